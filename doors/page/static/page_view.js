// The picture of a page with a quote marked on it.
const ZOOMS = [1, 1.6, 2.5];
const READABLE = 720; // pixels: so wide a page can be read

/** The picture that a link leads to, scrolled to the marks of its quote; + and - zoom, arrows scroll. */
export function makePageView(link) {
  const figure = document.getElementById("page-view").content.firstElementChild.cloneNode(true);
  const view = figure.querySelector(".page-view");
  const image = figure.querySelector("img");
  const sheet = figure.querySelector(".sheet");
  const name = link.textContent;
  let level = 0;
  const marks = JSON.parse(link.dataset.marks);
  view.ariaLabel = `Picture of ${name}`;
  image.alt = `${name[0].toUpperCase()}${name.slice(1)} with the quote marked`;
  const edge = (side, choose) => choose(...marks.map((box) => box[side]));
  const wide = Math.min(1 / (edge(2, Math.max) - edge(0, Math.min) + 0.08), 1.2); // as wide as the quote, at most as lines between usual margins
  const scroll = () => {
    sheet.style.width = `${100 * Math.max(Math.min(wide, READABLE / view.clientWidth), 1) * ZOOMS[level]}%`;
    view.scrollTo((edge(0, Math.min) - 0.04) * sheet.offsetWidth, edge(1, Math.min) * sheet.offsetHeight - view.clientHeight / 3);
  };
  const zoom = (step) => {
    if (level + step > 0) image.src = `${link.dataset.picture}&width=2400`;
    level = Math.min(Math.max(level + step, 0), ZOOMS.length - 1);
    if (step) scroll();
  };
  image.addEventListener("load", () => {
    if (!figure.querySelector("i")) image.after(...marks.map(makeMark));
    scroll();
  });
  image.addEventListener("error", async () => {
    const answer = await fetch(link.href).catch(() => null);
    const problem = answer?.ok ? null : await answer?.json().catch(() => null);
    const why = document.createElement("p");
    why.className = "small warn-text";
    why.textContent = `There is no picture of ${name}${problem ? `: ${problem.detail}` : ""}`;
    figure.replaceWith(why);
  });
  image.src = link.dataset.picture;
  figure.addEventListener("click", (event) => zoom(Number(event.target.closest("button")?.value ?? 0)));
  view.addEventListener("keydown", (event) => zoom({ "+": 1, "=": 1, "-": -1 }[event.key] ?? 0));
  return figure;
}

function makeMark([left, top, right, bottom]) {
  const made = document.createElement("i");
  const share = (value) => `${100 * value}%`;
  Object.assign(made.style, { left: share(left), top: share(top), width: share(right - left), height: share(bottom - top) });
  return made;
}
