// A report beside its sources: a sentence shows its quotes where they stand, and a source the sentences that rest on it.
// Without this script citations lead to their references.
import { makePageView } from "./page_view.js";

const report = document.querySelector(".report");
const pane = document.getElementById("sources");
const title = document.getElementById("pane-title");
const steps = pane.querySelector(".steps-between");
const doubtedOnly = document.getElementById("doubted");
const claims = [...pane.querySelectorAll(".claim-list > li")];
const fetched = new Set();
let chosen = [];
let opener; // where the reader came from

const words = (text) => text.replace(/\s+/g, " ").trim();
const findClaim = (hash) => claims.find((claim) => `#${claim.id}` === hash.replace("statement", "claim"));
const findStatement = (claim) => document.getElementById(claim.id.replace("claim", "statement"));
const listed = () => claims.filter((claim) => !doubtedOnly?.checked || claim.classList.contains("doubted"));
const isModified = (event) => event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;

/** The statements that a number stands behind: its own, else those of its table whose quotes it tells, else all that cite its reference. */
function findClaims(link) {
  const own = link.closest(".statement");
  if (own) return [findClaim(`#${own.id}`)].filter(Boolean);
  const cited = claims.filter((claim) => claim.querySelector(`.quote[data-cites="${link.hash}"]`));
  const told = cited.filter((claim) => [...claim.querySelectorAll("mark")].some((quote) => link.title.includes(words(quote.textContent))));
  return told.length ? told : cited;
}

function mark(name, statements) {
  for (const one of report.querySelectorAll(`.${name}`)) one.classList.remove(name);
  for (const one of statements) one?.classList.add(name);
}

/** Shows statements in the pane: one with its quotes, several as a list. */
function choose(found, from, cites) {
  opener = from ?? opener;
  for (const claim of chosen) claim.classList.remove("chosen");
  chosen = found;
  for (const claim of found) {
    claim.classList.add("chosen");
    claim.firstElementChild.open = found.length === 1;
  }
  mark("chosen", found.map(findStatement));
  const [first] = found;
  title.textContent = found.length > 1 ? `${found.length} statements` : `Statement ${claims.indexOf(first) + 1} of ${claims.length}`;
  raise("claims");
  if (found.length === 1) {
    showPages(first, cites);
    history.replaceState(null, "", `#${first.id.replace("claim", "statement")}`);
    prefetch(listed()[listed().indexOf(first) + 1]);
  }
}

/** Brings the pane up with one of its views, and the reader to its title. */
function raise(view) {
  pane.dataset.view = view;
  pane.classList.add("up");
  pane.scrollTop = 0;
  steps.hidden = false;
  for (const button of steps.children) button.hidden = button.value !== "0" && chosen.length !== 1;
  title.focus({ preventScroll: true });
  (view === "claims" ? findStatement(chosen[0]) : null)?.scrollIntoView({ block: "nearest" });
}

/** Back to all sources, and to where the reader was in the text. */
function close() {
  const place = chosen.length === 1 ? findStatement(chosen[0]) : null;
  for (const claim of chosen) claim.classList.remove("chosen");
  chosen = [];
  mark("chosen", []);
  title.textContent = "Sources";
  pane.dataset.view = "sources";
  pane.classList.remove("up");
  steps.hidden = true;
  history.replaceState(null, "", location.pathname + location.search);
  (place?.querySelector("a") ?? opener)?.focus({ preventScroll: true });
}

function step(by) {
  const all = listed();
  const at = claims.indexOf(chosen[0]);
  const next = by > 0 ? all.find((claim) => claims.indexOf(claim) > at) : all.findLast((claim) => claims.indexOf(claim) < at);
  if (next) choose([next]);
}

/** The pictures of the pages of a statement's quotes, and those of the wanted reference in sight. */
function showPages(claim, cites) {
  for (const link of claim.querySelectorAll(".page-link:not([data-shown])")) {
    link.dataset.shown = "";
    link.closest(".facts").after(makePageView(link));
  }
  const wanted = cites && claim.querySelector(`.quote[data-cites="${cites}"]`);
  if (wanted && wanted.offsetTop > pane.clientHeight / 2) wanted.scrollIntoView({ block: "nearest" });
}

/** Asks for the pictures of a statement before it is chosen: what is pointed at is often clicked. */
function prefetch(claim) {
  for (const { dataset } of claim?.querySelectorAll(".page-link") ?? []) {
    if (fetched.has(dataset.picture)) continue;
    fetched.add(dataset.picture);
    new Image().src = dataset.picture;
  }
}

report.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (isModified(event) || (link ? !link.matches(".number, .doubt") : !getSelection().isCollapsed)) return;
  const place = link ?? event.target.closest(".statement");
  const found = place ? findClaims(place) : [];
  if (!found.length) return;
  event.preventDefault();
  choose(found, link ?? place.querySelector("a"), link?.hash);
});
for (const kind of ["pointerover", "pointerdown", "focusin"]) {
  report.addEventListener(kind, ({ target }) => {
    const statement = target.closest(".statement");
    if (statement) prefetch(findClaim(`#${statement.id}`));
  }, { passive: true });
}
pane.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#'], .page-link");
  const button = event.target.closest(".steps-between button");
  if (button) (button.value === "0" ? close : step)(Number(button.value));
  if (!link || isModified(event)) return;
  if (link.matches(".page-link") && !link.closest(".quote").querySelector(".page-figure")) return;
  event.preventDefault();
  if (link.matches(".page-link")) link.closest(".quote").querySelector(".page-view").focus();
  else if (link.hash.startsWith("#claim")) choose([findClaim(link.hash)], link);
  else if (link.hash.startsWith("#source")) openSource(link.hash);
});
pane.addEventListener("toggle", ({ target }) => {
  const claim = target.closest(".claim-list > li");
  if (claim && target.open) showPages(claim);
  if (target.closest(".source-list")) {
    const links = pane.querySelectorAll(".source-list details[open] .rests a");
    mark("resting", [...links].map((link) => findStatement({ id: link.hash.slice(1) })));
  }
}, true);
document.addEventListener("keydown", ({ key, target }) => {
  if (key !== "Escape" || target.closest("form")) return;
  const menu = target.closest(".tools details[open]");
  if (menu) menu.firstElementChild.focus();
  if (menu) menu.open = false;
  else if (!steps.hidden) close();
});
document.addEventListener("click", ({ target }) => { // a menu is over once something is chosen in it, or beside it
  for (const menu of document.querySelectorAll(".tools details[open]")) if (!menu.contains(target) || target.closest("a")) menu.open = false;
});
document.querySelector(".to-sources").addEventListener("click", (event) => { event.preventDefault(); opener = event.target; raise("sources"); });

function openSource(hash) {
  const entry = pane.querySelector(hash);
  close();
  entry.firstElementChild.open = true;
  pane.classList.add("up");
  steps.hidden = false;
  entry.querySelector("summary").focus();
}

pane.dataset.view = "sources";
const linked = /^#(statement|claim)-\d+$/.test(location.hash) && findClaim(location.hash);
if (linked) choose([linked]);
(window.requestIdleCallback ?? setTimeout)(() => prefetch(claims.find((claim) => claim.querySelector(".page-link"))));
