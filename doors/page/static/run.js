// A run while it works: events are shown at once, and what the server knows is fetched anew soon after, so that the
// figures are those of the API. A hidden page listens to nothing; when it is looked at again it goes on where it was.
import { ask, root } from "./api.js";
import { refreshParts } from "./parts.js";
import { tellTimes } from "./page.js";

const run = document.getElementById("run");
const connection = document.getElementById("connection");
const FEED_LINES = 20;
const RECENT = 30;
const MOST_SECTIONS = 20; // whose events are all told to who comes: those of 200 are tens of megabytes
const REFRESH_MS = 2000; // between two looks at what the server knows
const PATIENCE = 5; // and this many times as long as the last one took: who is slow is asked less often, but at least
const SLOWEST_MS = 15_000; // so often
const RETRY_MS = 3000;
const LAG_MS = 4000; // after an action: what it leads to is not always told by an event
const BOOKKEEPING = ["started", "state_updated", "routed"]; // of inner steps, which the page of the steps has
const COUNTS = ["No question is", "One question is", "Two questions are", "Three questions are", "Four questions are"];
const LOOK_MS = 50; // between two looks for the report of a run that has just ended
const MOST_LOOKS = 40;
const TERMINAL = ["complete", "failed", "cancelled"];

let source;
const shownTo = Number(run.dataset.lastEvent ?? 0); // what the page shows already: the last event that the server knew
// Of a run with a few open sections everything is told, so that each says where it is; else the latest events are.
const sections = run.querySelectorAll(".lanes > li").length;
let lastId = sections <= MOST_SECTIONS && run.querySelector(".lanes .running") ? "" : String(Math.max(shownTo - RECENT, 0));
const watched = Boolean(run.dataset.events); // it was not over yet when the page was opened
let ended = !watched;
let endedAt = 0; // the number of the event that told so: the server may know it a little later
let retry;
let timer; // of the next refresh
let refreshing = false;
let urgent = false; // somebody has acted, and looks at what comes of it
let outdated = false; // something happened since what is shown was asked for
let refreshAt = 0; // not before that, on the clock of the page
let missed = run.querySelector("[data-waits]") !== null; // something may have happened that no event will tell
let waitingLines = [];
let frame = 0;
let leaving = false; // for the report

// The stream.

function listen() {
  clearTimeout(retry);
  if (ended || source || document.hidden) return;
  source = new EventSource(`${root}${run.dataset.events}${lastId && `?since=${encodeURIComponent(lastId)}`}`);
  source.onopen = () => {
    tellConnection("");
    if (missed) scheduleRefresh();
    missed = false;
  };
  source.onerror = () => {
    missed = true;
    tellConnection("The connection to the server is lost. The run goes on; this page reconnects by itself.");
    if (source.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
    source = undefined;
    retry = setTimeout(listen, RETRY_MS);
    scheduleRefresh();
  };
  for (const type of run.dataset.types.split(" ")) source.addEventListener(type, (message) => showEvent(type, message));
  source.addEventListener("waiting", (message) => { tellConnection(JSON.parse(message.data).message, true); scheduleRefresh(); }); // nobody tells when that is over
  source.addEventListener("unreadable", (message) => addLine({ message: JSON.parse(message.data).message, section: "" }));
  source.addEventListener("streaming", (message) => showWords(JSON.parse(message.data)));
}

function stopListening() {
  source?.close();
  source = undefined;
}

/** What is between the page and what it shows; a wait of the run is told by the server's own notice, once it is there. */
function tellConnection(text, waits = false) {
  connection.classList.toggle("waits", waits);
  if (connection.textContent === text) return;
  connection.textContent = text;
  connection.hidden = !text;
}

// What is told.

function showEvent(type, message) {
  const event = JSON.parse(message.data);
  lastId = message.lastEventId || lastId;
  tellConnection("");
  const said = tellWork(type, event);
  if (said) {
    addLine({ ...event, message: said });
    const place = run.querySelector(`[data-said="${CSS.escape(event.path)}"]`);
    if (place) place.textContent = said;
  }
  if (!event.path && event.seq <= shownTo) return; // told again, for those who have just come
  if (!event.path && event.node) light(event.node);
  if (!TERMINAL.includes(type) || event.path) return scheduleRefresh();
  ended = true;
  endedAt = event.seq;
  stopListening();
  finish();
}

function addLine(event) {
  waitingLines.push(event);
  if (waitingLines.length > FEED_LINES) waitingLines = waitingLines.slice(-FEED_LINES);
  frame ||= requestAnimationFrame(showLines);
}

function showLines() {
  frame = 0;
  const feed = document.getElementById("feed"); // of a run that goes on again it is a new one
  if (!feed) return;
  feed.prepend(...waitingLines.reverse().map(buildLine)); // the newest is on top, seen without scrolling: that would be a second frame
  waitingLines = [];
  while (feed.childElementCount > FEED_LINES) feed.lastElementChild.remove();
  const now = run.querySelector('[data-said=""]').textContent;
  for (const line of feed.children) line.hidden = line === feed.firstChild && line.children[0].textContent === now; // said above it
}

function buildLine(event) {
  const build = (name, given) => Object.assign(document.createElement(name), given);
  const line = build("li");
  if (event.section) line.append(build("strong", { dir: "auto", textContent: `${event.section} ` }));
  line.append(build("span", { dir: "auto", textContent: event.message }));
  if (event.at) line.append(" ", build("time", { dateTime: event.at }));
  line.querySelector("time")?.setAttribute("data-ago", "");
  tellTimes(line);
  return line;
}

/** What an event says to readers, without the names of nodes and sections; empty: only the steps say it. */
function tellWork(type, { message, node, section, data }) {
  if (BOOKKEEPING.includes(type)) return "";
  const list = (name) => (Array.isArray(data?.[name]) ? data[name] : null);
  const [gaps, queries, sections] = ["gaps", "queries", "sections"].map(list);
  if (gaps) return `${COUNTS[gaps.length] ?? `${gaps.length} questions are`} open${gaps.length ? `: ${gaps.join(" · ")}` : " any more"}`;
  if (queries?.length) return `Searching for ${queries.join(" · ")}`;
  if (type === "searching" && sections) return `Researching ${sections.length} ${sections.length === 1 ? "section" : "sections side by side"}`;
  if (type === "searching" || data?.searches === 0) return ""; // there was nothing to search for
  let said = message.replace(/^Thought: |, iteration \d.*/g, "").replace(/^Iteration/, "Round").replace(/(another step) \(\w+\)/, "$1");
  for (const name of [section, node?.replaceAll("_", " ")]) {
    if (name && said.toLowerCase().startsWith(`${name.toLowerCase()}: `)) said = said.slice(name.length + 2);
  }
  return said.charAt(0).toUpperCase() + said.slice(1);
}

function light(node) {
  const here = run.querySelector(`.node[data-node="${CSS.escape(node)}"]`);
  if (!here || here.classList.contains("now")) return;
  for (const other of run.querySelectorAll(".node.now")) other.classList.replace("now", "done");
  here.classList.remove("done", "held", "failed");
  here.classList.add("now");
}

function showWords(written) {
  const place = run.querySelector(`[data-words="${CSS.escape(written.path)}"]`);
  if (!place) return;
  place.hidden = !written.text;
  place.textContent = written.text;
  place.scrollTop = place.scrollHeight;
}

// What the server knows.

function scheduleRefresh() {
  outdated = true;
  if (!refreshing) timer ||= setTimeout(refresh, Math.max(refreshAt - performance.now(), 150));
}

function refreshSoon() {
  urgent = true;
  refreshAt = 0;
  clearTimeout(timer);
  timer = undefined;
  scheduleRefresh();
}

async function refresh() {
  const begun = performance.now();
  timer = undefined;
  refreshing = true;
  urgent = outdated = false;
  try {
    const status = await refreshParts();
    if (status === "ended") {
      ended = true;
      stopListening();
      if (watched && run.querySelector("#result")) openReport();
    } else if (ended && status === "running" && Number(run.dataset.lastEvent) > endedAt) {
      ended = false;
      listen();
    } else if (ended || run.querySelector("[data-waits]")) outdated = true;
    if (status !== "stale" && (ended || source?.readyState === EventSource.OPEN)) tellConnection("");
  } catch {
    if (!ended && connection.hidden) tellConnection("The server is not answering. This page reconnects by itself.");
    setTimeout(scheduleRefresh, RETRY_MS);
  }
  refreshAt = urgent ? 0 : Math.max(begun + REFRESH_MS, performance.now() + Math.min(PATIENCE * (performance.now() - begun), SLOWEST_MS));
  refreshing = false;
  if (outdated) scheduleRefresh();
}

/** Opens the report of a run that was watched to its end, as soon as the server has it. */
async function finish() {
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const found = await ask("GET", `/v1${location.pathname.slice(root.length)}?pending=false`).catch(() => null);
    if (found?.report && found.status !== "running" && openReport()) return;
    if (found?.status !== "running") break;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  refreshSoon();
}

/** Whoever watched a run to its end came for its report; who is about to act on it, or looks at its steps, is not disturbed. */
function openReport() {
  const stays = !run.querySelector("#now, #result") || run.querySelector("details[name=acts][open]");
  if (!stays && !leaving) location.assign(`${location.pathname}/report`); // a second time would abort the first
  leaving = !stays;
  return leaving;
}

/** Brings the node at work into sight, in a picture that is larger than its frame. */
function showNode() {
  const frame = run.querySelector(".graph");
  const node = run.querySelector(".node.now, .node.held, .node.failed");
  if (!frame || !node) return;
  const place = node.getBoundingClientRect();
  const seen = frame.getBoundingClientRect();
  frame.scrollTo(frame.scrollLeft + place.left - seen.left - (seen.width - place.width) / 2, frame.scrollTop + place.top - seen.top - seen.height / 3);
}

document.addEventListener("visibilitychange", () => (document.hidden ? stopListening() : (listen(), scheduleRefresh())));
addEventListener("pageshow", (event) => { if (event.persisted) { leaving = false; stopListening(); listen(); scheduleRefresh(); } });
addEventListener("pagehide", stopListening);
document.addEventListener("elcano:done", () => { refreshSoon(); setTimeout(refreshSoon, LAG_MS); });
showNode();
listen();
