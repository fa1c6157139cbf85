// A citation opens what it rests on: its quotes where they stand in their passages, with verdict, source and standing.
// Without this script it leads to its reference.
const claims = [...document.querySelectorAll(".claim-list > li")];
const dialog = document.getElementById("citation");
const words = (text) => text.replace(/\s+/g, " ").trim();

/** The statements that a number stands behind: those whose quotes it tells, else all that cite its reference. */
function findClaims(link) {
  const cited = claims.filter((claim) => claim.querySelector(`.quote[data-cites="${link.hash}"]`));
  const told = cited.filter((claim) => [...claim.querySelectorAll("mark")].some((quote) => link.title.includes(words(quote.textContent))));
  return told.length ? told : cited;
}

/** The statements as the dialog shows them, each once: the same words stand in several parts of a report. */
function describeClaims(found, hash) {
  const seen = new Set();
  return found.flatMap((claim) => {
    const summary = claim.querySelector("summary");
    const parts = [...claim.querySelectorAll(`.reason, .quote[data-cites="${hash}"]`)].filter((part) => once(seen, part.textContent));
    if (!once(seen, summary.textContent) && !parts.length) return [];
    const statement = document.createElement("p");
    statement.append(...[...summary.childNodes].map((node) => node.cloneNode(true)));
    return [statement, ...parts.map((part) => part.cloneNode(true))];
  });
}

const once = (seen, text) => !seen.has(words(text)) && Boolean(seen.add(words(text)));

function show(title, nodes, hash) {
  dialog.querySelector("h2").textContent = title;
  dialog.querySelector("[data-shown]").replaceChildren(...nodes);
  dialog.querySelector("[data-reference]").hash = hash;
  dialog.showModal();
  for (const link of dialog.querySelectorAll(".page-link")) link.closest(".quote").prepend(makePageView(link));
}

/** The picture of a page, scrolled to its mark; + and - zoom, arrows scroll. */
function makePageView(link) {
  const figure = document.getElementById("page-view").content.firstElementChild.cloneNode(true);
  const view = figure.querySelector(".page-view");
  const image = figure.querySelector("img");
  const name = link.textContent;
  view.ariaLabel = `Picture of ${name}`;
  image.alt = `${name[0].toUpperCase()}${name.slice(1)} with the quote marked`;
  const scroll = () => { view.scrollTop = image.offsetHeight * link.dataset.top - view.clientHeight / 3; };
  const zoom = (step) => {
    const level = Math.min(Math.max(Number(view.dataset.zoom) + step, 1), 3);
    view.dataset.zoom = level;
    if (level > 1) image.src = `${link.href}&width=2400`;
    scroll();
  };
  image.addEventListener("load", scroll);
  image.addEventListener("error", async () => {
    const answer = await fetch(link.href).catch(() => null);
    const problem = answer?.ok ? null : await answer?.json().catch(() => null);
    const why = document.createElement("p");
    why.className = "small quiet";
    why.textContent = `There is no picture of ${name}${problem ? `: ${problem.detail}` : ""}`;
    figure.replaceWith(why);
  });
  image.src = link.href;
  figure.addEventListener("click", (event) => zoom(Number(event.target.closest("button")?.value ?? 0)));
  view.addEventListener("keydown", (event) => zoom({ "+": 1, "=": 1, "-": -1 }[event.key] ?? 0));
  return figure;
}

document.querySelector(".report").addEventListener("click", (event) => {
  const link = event.target.closest("a.number");
  const found = link && !(event.ctrlKey || event.metaKey || event.shiftKey) ? findClaims(link) : [];
  if (!found.length) return;
  event.preventDefault();
  show(document.querySelector(`${link.hash} strong`)?.textContent ?? link.textContent, describeClaims(found, link.hash), link.hash);
});
document.querySelector(".claims")?.addEventListener("click", (event) => {
  const link = event.target.closest(".page-link");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const quote = link.closest(".quote");
  show(link.textContent, [quote.cloneNode(true)], quote.dataset.cites);
});
dialog?.addEventListener("click", (event) => {
  if (event.target === dialog || event.target.closest("a[href^='#']")) dialog.close();
});
