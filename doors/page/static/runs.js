// Lists of runs follow the newest that work: few, as a browser opens six connections; none while hidden.
import { ask, root } from "./api.js";
import { refreshParts } from "./parts.js";

const FOLLOWED = 2;
const REFRESH_MS = 1500;
const LAG_MS = 4000;
const SIGNS = ["started", "held", "hold_cleared", "paused", "unpaused", "questions_asked", "questions_answered", "plan_proposed", "plan_approved", "approval_requested",
  "synthesizing", "report_ready", "complete", "failed", "cancelled", "search_complete", "judge_complete", "branch_complete"];
const streams = new Map();
let refreshing;

async function follow() {
  const running = document.hidden ? [] : [...document.querySelectorAll(".runs [data-live-run]")].map((row) => row.dataset.run);
  const chosen = running.slice(0, FOLLOWED);
  for (const [id, stream] of streams) if (!chosen.includes(id)) { stream?.close(); streams.delete(id); }
  for (const id of chosen) {
    if (streams.has(id)) continue;
    streams.set(id, null);
    const path = `/v1/runs/${encodeURIComponent(id)}`;
    const run = await ask("GET", `${path}?pending=false`).catch(() => null);
    if (!run || !streams.has(id)) { streams.delete(id); continue; }
    const stream = new EventSource(`${root}${path}/events?since=${run.last_event ?? 0}`);
    for (const sign of SIGNS) stream.addEventListener(sign, refreshSoon);
    streams.set(id, stream);
  }
}

/** Looks after a sign, and once more: a list may lag some seconds behind what a run itself tells. */
function refreshSoon(sign, again = true) {
  refreshing ??= setTimeout(async () => {
    refreshing = undefined;
    try { await refreshParts(); } catch { return; } // it is as it was until the next sign
    follow();
    if (again) refreshSoon(sign, false);
  }, again ? REFRESH_MS : LAG_MS);
}

document.addEventListener("visibilitychange", () => { follow(); if (!document.hidden) refreshSoon(); });
addEventListener("pagehide", () => { for (const stream of streams.values()) stream?.close(); streams.clear(); });
addEventListener("pageshow", (event) => { if (event.persisted) refreshSoon(); });
for (const field of document.querySelectorAll("#filters :is(select, [name=batches])")) field.addEventListener("change", () => field.form.requestSubmit());
follow();
