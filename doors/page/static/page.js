// What every page has: times told from now, and signing out.
import { ask, root, say } from "./api.js";

const UNITS = [["year", 31_536_000], ["month", 2_592_000], ["day", 86_400], ["hour", 3_600], ["minute", 60]];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const absolute = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** A moment told from now: `3 minutes ago`. */
export function tellAgo(at) {
  const seconds = (at - Date.now()) / 1000;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return unit === "second" ? "just now" : relative.format(Math.round(seconds / size), unit);
}

export function tellTimes(within = document) {
  for (const time of within.querySelectorAll("time[data-ago]")) {
    const at = new Date(time.dateTime);
    time.title ||= absolute.format(at);
    const told = tellAgo(at);
    if (time.textContent !== told) time.textContent = told;
  }
}

tellTimes();
setInterval(tellTimes, 30_000);

document.querySelector("[data-sign-out]")?.addEventListener("click", async () => {
  try {
    await ask("DELETE", "/v1/session");
    location.assign(`${root}/login`);
  } catch (refusal) {
    say(refusal.message);
  }
});

document.addEventListener("click", async ({ target }) => {
  if (!target.matches("[data-share]")) return;
  try {
    const made = await ask("POST", target.dataset.share, {});
    const address = new URL(root + made.path, location.href).href;
    const copied = await navigator.clipboard?.writeText(address).then(() => true, () => false);
    say(`Whoever has this link can read the report, without an account, for 30 days${copied ? "; it is copied" : ""}: `, { href: address, text: "the report" });
  } catch (refusal) {
    say(refusal.message);
  }
});
