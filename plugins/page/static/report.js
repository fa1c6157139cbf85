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

function show(link, found) {
  const shown = found.flatMap((claim) => {
    const statement = document.createElement("p");
    statement.append(...[...claim.querySelector("summary").childNodes].map((node) => node.cloneNode(true)));
    const parts = claim.querySelectorAll(`.reason, .quote[data-cites="${link.hash}"]`);
    return [statement, ...[...parts].map((part) => part.cloneNode(true))];
  });
  dialog.querySelector("h2").textContent = document.querySelector(`${link.hash} strong`)?.textContent ?? link.textContent;
  dialog.querySelector("[data-shown]").replaceChildren(...shown);
  dialog.querySelector("[data-reference]").hash = link.hash;
  dialog.showModal();
}

document.querySelector(".report").addEventListener("click", (event) => {
  const link = event.target.closest("a.number");
  const found = link && !(event.ctrlKey || event.metaKey || event.shiftKey) ? findClaims(link) : [];
  if (!found.length) return;
  event.preventDefault();
  show(link, found);
});
dialog?.addEventListener("click", (event) => {
  if (event.target === dialog || event.target.closest("a[href^='#']")) dialog.close();
});
