// The API as scripts use it: requests that keep the reason of a refusal, and the one place that knows paths.

export const root = document.documentElement.dataset.root;

/** A refusal: `problem` is the problem document, `faults` its faults by field. */
export class Refusal extends Error {
  constructor(problem) {
    super(problem.detail || problem.title);
    this.problem = problem;
    this.status = problem.status;
    this.faults = problem.errors ?? [];
  }
}

/** Asks the API; resolves to the JSON of the answer, null without any. Rejects with a `Refusal`. */
export async function ask(method, path, body, headers = {}) {
  const kind = body === undefined ? {} : { "Content-Type": "application/json" };
  let response;
  try {
    response = await fetch(root + path, {
      method,
      keepalive: method === "DELETE", // what is shown as removed is removed though the reader leaves at once
      headers: { Accept: "application/json", ...kind, ...headers },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Refusal({ status: 0, title: "The server is not answering", detail: "The server is not answering. Nothing is lost: try again when it is back." });
  }
  const text = await response.text();
  const parsed = text && response.headers.get("Content-Type")?.includes("json") ? JSON.parse(text) : null;
  if (response.ok) return parsed;
  if (response.status === 401 && path !== "/v1/session") announceSignIn();
  throw new Refusal({ title: response.statusText, ...parsed, status: response.status });
}

/** The key of a request, kept under a name until that is forgotten: sent again with the same body, it does nothing twice. */
export function chooseKey(name, body) {
  const written = JSON.stringify(body);
  const kept = JSON.parse(sessionStorage.getItem(name) ?? "null");
  if (kept?.body === written) return kept.key;
  const key = crypto.randomUUID?.() ?? String(Math.random()).slice(2) + Date.now();
  sessionStorage.setItem(name, JSON.stringify({ body: written, key }));
  return key;
}

/** The columns of an evidence table as they are typed: one a line, its head, a colon, its question. */
export function readColumns(text) {
  return text.split("\n").map((line) => line.trim()).filter(Boolean)
    .map((line) => { const [head, ...rest] = line.split(":"); return { name: head.trim(), question: rest.join(":").trim() }; });
}

/** Says where to sign in again: in another tab, since what was typed is in this one. */
export function announceSignIn() {
  if (findInvitation()) return;
  const here = encodeURIComponent(location.pathname + location.search);
  say("Your session has ended. What you typed stays here: ", { href: `${root}/login?to=${here}`, text: "sign in again in another tab" });
}

const findInvitation = () => document.querySelector("#says.shown a");

/** Takes that back, once somebody has signed in. */
export function forgetSignIn() {
  findInvitation()?.parentElement.classList.remove("shown");
}

/** Tells the reader something, aloud for those who listen; it stays until the next. */
export function say(text, link) {
  const place = document.getElementById("says");
  place.replaceChildren(text);
  if (link) {
    place.append(Object.assign(document.createElement("a"), { href: link.href, target: "_blank", textContent: link.text }));
  }
  place.classList.add("shown");
  clearTimeout(say.timer);
  if (!link) say.timer = setTimeout(() => place.classList.remove("shown"), 8000);
}
