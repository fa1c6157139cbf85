// Takes over from the page as the server renders it now those parts that live, and leaves alone what somebody works in.
import { announceSignIn, forgetSignIn } from "./api.js";
import { tellTimes } from "./page.js";

const rendered = new WeakMap(); // the parts as the server last rendered them: scripts change what is in the page

/** Fetches this page again and replaces its `[data-live]` parts; with `whole`, all of it unless somebody is typing. */
export async function refreshParts({ whole = false } = {}) {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (response.redirected) { // to sign in, which takes nobody away from what they are typing
    if (!isBusy()) location.assign(response.url);
    else announceSignIn();
    return "stale";
  }
  if (!response.ok) throw new Error(response.statusText);
  forgetSignIn();
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  const stale = fresh.querySelector("[data-stale]"); // what the page knows already is more than what the server knows now
  if (whole && !stale && !isBusy()) replace("main", fresh, () => document.getElementById("main"));
  else for (const part of document.querySelectorAll("[data-live]")) if (!stale || part.id === "notices") replace(part.id, fresh, () => part);
  tellTimes();
  if (stale) return "stale";
  return fresh.querySelector("[data-events]") ? "running" : "ended";
}

function isBusy() {
  const main = document.getElementById("main");
  const typed = [...main.querySelectorAll("form input:not([type=hidden]), form textarea")]
    .some((field) => (field.type === "checkbox" ? field.checked !== field.defaultChecked : field.value !== field.defaultValue));
  return typed || main.querySelector("form:focus-within, form[data-changed]") !== null;
}

function replace(id, fresh, find) {
  const old = find();
  const made = fresh.getElementById(id);
  if (!made) return;
  if (id === "main") {
    const kept = ["feed", "connection"];
    const opened = [...old.querySelectorAll("details[open] > summary")].map((summary) => summary.textContent);
    for (const one of kept) {
      const was = old.querySelector(`#${one}`);
      const place = made.querySelector(`#${one}`);
      if (was && place) place.replaceWith(was);
    }
    for (const summary of made.querySelectorAll("details > summary")) if (opened.includes(summary.textContent)) summary.parentElement.open = true;
    const acknowledged = [...old.querySelectorAll(".ack")].map((ack) => ack.textContent).filter(Boolean).at(-1);
    // The element that scripts hold on to stays: only what is in it changes.
    const inner = old.querySelector("#run");
    const innerMade = made.querySelector("#run");
    if (inner && innerMade) {
      inner.replaceChildren(...innerMade.childNodes);
      for (const name of ["data-events", "data-last-event"]) {
        if (innerMade.hasAttribute(name)) inner.setAttribute(name, innerMade.getAttribute(name));
      }
    }
    if (acknowledged) document.dispatchEvent(new CustomEvent("elcano:acknowledged", { detail: acknowledged }));
    return;
  }
  if (old.contains(document.activeElement) && old.querySelector("form")) return;
  const html = made.innerHTML;
  if (rendered.get(old) === html) return;
  const opened = [...old.querySelectorAll("details[open] > summary")].map((summary) => summary.textContent);
  const scrolled = [...old.querySelectorAll(".graph, .scroll, .words")].map((place) => [place.scrollLeft, place.scrollTop]);
  const checked = new Set([...old.querySelectorAll("input:checked")].map((box) => box.value));
  const words = new Map([...old.querySelectorAll("[data-words], [data-said]")].map((place) => [keyOf(place), place]));
  const focused = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  old.replaceChildren(...made.childNodes);
  rendered.set(old, html);
  for (const box of old.querySelectorAll("input[type=checkbox]")) box.checked = checked.has(box.value);
  for (const place of old.querySelectorAll("[data-words], [data-said]")) if (words.has(keyOf(place))) place.replaceWith(words.get(keyOf(place)));
  for (const summary of old.querySelectorAll("details > summary")) if (opened.includes(summary.textContent)) summary.parentElement.open = true;
  old.querySelectorAll(".graph, .scroll, .words").forEach((place, index) => scrolled[index] && place.scrollTo(...scrolled[index]));
  if (focused) old.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

const keyOf = (place) => (place.dataset.words === undefined ? `said ${place.dataset.said}` : `words ${place.dataset.words}`);
