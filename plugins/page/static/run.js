// A run while it works: what is told is shown at once, and what the server knows is fetched anew soon after, so that the
// figures are those of the API. A hidden page listens to nothing; when it is looked at again it goes on where it was.
import { root } from "./api.js";
import { refreshParts } from "./parts.js";
import { tellTimes } from "./page.js";

const run = document.getElementById("run");
const connection = document.getElementById("connection");
const feed = document.getElementById("feed");
const FEED_LINES = 20;
const RECENT = 30;
const MOST_SECTIONS = 20; // whose events are all told to who comes: those of 200 are tens of megabytes
const REFRESH_MS = 2000; // between two looks at what the server knows
const PATIENCE = 5; // and this many times as long as the last one took: who is slow is asked less often, but at least
const SLOWEST_MS = 15_000; // so often
const RETRY_MS = 3000;
const TERMINAL = ["complete", "failed", "cancelled"];
const TYPES = ["started", "searching", "search_complete", "judging", "judge_complete", "looping", "hypothesizing", "analyzing",
  "analysis_complete", "synthesizing", "node_error", "thinking", "routed", "state_updated", "branch_started", "branch_complete",
  "ending_early", "paused", "unpaused", "topped_up", "stopping", "held", "hold_cleared", "rolling_back", "rolled_back", "run_resumed",
  "forked", "execution_ended", "steered", "questions_asked", "questions_answered", "plan_proposed", "plan_approved", "plan_refused", "approval_requested", "call_approved",
  "call_refused", "approval_expired", "report_ready", ...TERMINAL];
const WHOLE = ["questions_asked", "questions_answered", "plan_proposed", "plan_approved", "plan_refused", "approval_requested", "call_approved", "call_refused",
  "approval_expired", "paused", "unpaused", "held", "hold_cleared", ...TERMINAL]; // after these the page has other forms

let source;
const shownTo = Number(run.dataset.lastEvent ?? 0); // what the page shows already: the last event that the server knew
// Of a run with a few open sections everything is told, so that each says where it is; else the latest events are.
const sections = run.querySelectorAll(".lanes > li").length;
let lastId = sections <= MOST_SECTIONS && run.querySelector(".lanes .running") ? "" : String(Math.max(shownTo - RECENT, 0));
let ended = !run.dataset.events;
let retry;
let refreshing;
let outdated = false; // something happened since what is shown was asked for
let refreshAt = 0; // not before that, on the clock of the page
let wholePage = false;
let waitingLines = [];
let frame = 0;

// The stream.

function listen() {
  clearTimeout(retry);
  if (ended || source || document.hidden) return;
  source = new EventSource(`${root}${run.dataset.events}${lastId && `?since=${encodeURIComponent(lastId)}`}`);
  source.onopen = () => { tellConnection(""); scheduleRefresh(); };
  source.onerror = () => {
    tellConnection("The connection to the server is lost. The run goes on; this page reconnects by itself.");
    if (source.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
    source = undefined;
    retry = setTimeout(listen, RETRY_MS);
    scheduleRefresh();
  };
  for (const type of TYPES) source.addEventListener(type, (message) => showEvent(type, message));
  source.addEventListener("waiting", (message) => { tellConnection(JSON.parse(message.data).message); scheduleRefresh(); }); // nobody tells when that is over
  source.addEventListener("unreadable", (message) => addLine({ message: JSON.parse(message.data).message, section: "" }));
  source.addEventListener("streaming", (message) => showWords(JSON.parse(message.data)));
}

function stopListening() {
  source?.close();
  source = undefined;
}

function tellConnection(text) {
  if (connection.textContent === text) return;
  connection.textContent = text;
  connection.hidden = !text;
}

// What is told.

function showEvent(type, message) {
  const event = JSON.parse(message.data);
  lastId = message.lastEventId || lastId;
  tellConnection("");
  addLine(event);
  if (!event.path && event.seq <= shownTo) return; // told again, for those who have just come
  if (!event.path && event.node) light(event.node);
  if (event.path) {
    const said = run.querySelector(`[data-said="${CSS.escape(event.path)}"]`);
    if (said) said.textContent = event.message;
  }
  if (WHOLE.includes(type)) wholePage = true;
  if (TERMINAL.includes(type) && !event.path) {
    ended = true;
    stopListening();
  }
  scheduleRefresh();
}

function addLine(event) {
  waitingLines.push(event);
  if (waitingLines.length > FEED_LINES) waitingLines = waitingLines.slice(-FEED_LINES);
  frame ||= requestAnimationFrame(showLines);
}

function showLines() {
  frame = 0;
  if (!feed) return;
  const lines = waitingLines.map((event) => {
    const line = document.createElement("li");
    if (event.section) {
      const section = document.createElement("strong");
      section.dir = "auto";
      section.textContent = `${event.section} `;
      line.append(section);
    }
    const text = document.createElement("span");
    text.dir = "auto";
    text.textContent = event.message;
    line.append(text);
    if (event.at) {
      const time = document.createElement("time");
      time.dateTime = event.at;
      time.dataset.ago = "";
      line.append(" ", time);
    }
    return line;
  });
  waitingLines = [];
  lines.forEach(tellTimes);
  feed.prepend(...lines.reverse()); // the newest is on top, where it is seen without scrolling: that would be a second frame
  while (feed.childElementCount > FEED_LINES) feed.lastElementChild.remove();
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
  refreshing ||= setTimeout(refresh, Math.max(refreshAt - performance.now(), 150));
}

async function refresh() {
  const begun = performance.now();
  outdated = false;
  const whole = wholePage;
  wholePage = false;
  try {
    const status = await refreshParts({ whole });
    if (status === "stale") { outdated = true; wholePage ||= whole; }
    else if (ended || source?.readyState === EventSource.OPEN) tellConnection("");
    if (status === "running" && ended && run.dataset.events) { ended = false; listen(); }
  } catch {
    wholePage ||= whole;
    if (!ended && connection.hidden) tellConnection("The server is not answering. This page reconnects by itself.");
    setTimeout(scheduleRefresh, RETRY_MS);
  }
  refreshAt = Math.max(begun + REFRESH_MS, performance.now() + Math.min(PATIENCE * (performance.now() - begun), SLOWEST_MS));
  refreshing = undefined;
  if (outdated) scheduleRefresh();
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
addEventListener("pageshow", (event) => { if (event.persisted) { stopListening(); listen(); scheduleRefresh(); } });
addEventListener("pagehide", stopListening);
document.addEventListener("elcano:done", () => { wholePage = true; scheduleRefresh(); });
showNode();
listen();
