// Updates the live parts of a page to what the server renders now, and touches only what differs: what somebody opened,
// scrolled to, chose or writes stays as it is.
import { announceSignIn, forgetSignIn } from "./api.js";
import { tellTimes } from "./page.js";

const OWN = "#feed, #connection, [data-words], [data-said], .ack, .fault"; // written by scripts, and empty as rendered

/** Fetches this page again and brings its `[data-live]` parts up to date; resolves to how what it shows stands then. */
export async function refreshParts() {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (response.redirected) { // to sign in, which takes nobody away from what they are typing
    if (![...document.querySelectorAll("main form")].some(isInUse)) location.assign(response.url);
    else announceSignIn();
    return "stale";
  }
  if (!response.ok) throw new Error(response.statusText);
  forgetSignIn();
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  const stale = fresh.querySelector("[data-stale]"); // what the page knows already is more than what the server knows now
  for (const part of document.querySelectorAll(stale ? "#notices" : "[data-live]")) {
    const made = fresh.getElementById(part.id);
    if (made) update(part, made);
  }
  tellTimes();
  if (stale) return "stale";
  return fresh.querySelector("[data-events]") ? "running" : "ended";
}

/** Whether somebody types in a form, or has typed what is not sent yet. */
function isInUse(form) {
  return form.matches("[data-changed], :has(:is(input, textarea, select):focus)") || [...form.querySelectorAll("input:not([type=hidden]), textarea")]
    .some((field) => (field.type === "checkbox" ? field.checked !== field.defaultChecked : field.value !== field.defaultValue));
}

/** Makes a node equal to the one made anew, except for what is not the server's: what scripts and readers did to it. */
function update(old, made) {
  if (old.isEqualNode(made)) return;
  if (old.nodeType !== Node.ELEMENT_NODE) { old.data = made.data; return; }
  if (old.matches(OWN) || (old.localName === "form" && isInUse(old))) return;
  if (old.localName === "time" && old.dateTime === made.dateTime) return;
  for (const { name } of [...old.attributes]) if (name !== "open" && !made.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of made.attributes) if (name !== "open" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  const named = new Map([...old.children].filter((child) => child.id).map((child) => [child.id, child]));
  const kept = new Set([...made.children].map((child) => child.id));
  for (const [id, child] of named) if (!kept.has(id)) remove(child);
  let place = old.firstChild;
  for (const child of [...made.childNodes]) {
    const like = child.id ? named.get(child.id) : findLike(child, place);
    if (!like) {
      old.insertBefore(child, place);
      continue;
    }
    if (child.id && like !== place) old.insertBefore(like, place);
    else {
      while (place !== like) place = passBy(place);
      place = like.nextSibling;
    }
    update(like, child);
  }
  while (place) place = passBy(place);
}

/** The next node that can become `child`, which has no id: of texts only the very next. */
function findLike(child, place) {
  const isLike = (node) => node.nodeName === child.nodeName && !node.id && (node.nodeType !== Node.ELEMENT_NODE || node.matches(OWN) === child.matches(OWN));
  if (child.nodeType !== Node.ELEMENT_NODE) return place && isLike(place) ? place : null;
  while (place && !isLike(place)) place = place.nextSibling;
  return place;
}

/** Removes a node that is there no longer, unless it has an id, by which it is found; returns the one behind it. */
function passBy(node) {
  const next = node.nextSibling;
  if (!node.id) remove(node);
  return next;
}

/** Removes a node, unless somebody works in it. The focus of an action goes to those that are left: it would be nowhere. */
function remove(node) {
  if ([...(node.querySelectorAll?.("form") ?? [])].some(isInUse)) return;
  const acts = node.contains(document.activeElement) ? node.parentElement.closest(".acts") : null;
  node.remove();
  acts?.focus({ preventScroll: true });
}
