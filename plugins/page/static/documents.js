// Files of one's own: uploaded at once, by choice, by drop or pasted; then searched by the run that is asked for.
import { Refusal, ask, root } from "./api.js";

const form = document.getElementById("ask");
const place = document.getElementById("documents");
const list = place?.querySelector("ul");
const AT_ONCE = 3; // of six connections that a browser has to a server
const POLL_MS = 1000;
const LISTED = 1000; // documents in one answer
const STATES = { waiting: "waits", sent: "uploaded, is being read", read: "read" };

const files = []; // { file, name, collection, path, row, state: waiting | sent | read | unread | failed, ... }
const unread = new Map(); // by collection: documents that are yet to be read, parts of archives and lists among them
let sending = 0;
let accepted = 0; // files that cannot be read, of which the reader was told
let watching = false;

/** Adds files: those of one drop are a source of their own, so that a question is asked of just these. */
function add(found) {
  const named = form.querySelector("#collection").value.trim();
  const collection = named || nameCollection(found);
  for (const { file, name } of found) {
    const known = files.find((one) => one.collection === collection && one.name === name);
    if (known) remove(known, false);
    const row = place.querySelector("template").content.firstElementChild.cloneNode(true);
    row.firstElementChild.textContent = name;
    row.querySelector("progress").ariaLabel = `Upload of ${name}`;
    row.querySelector("button").append(Object.assign(document.createElement("span"), { className: "unseen", textContent: ` ${name}` }));
    const one = { file, name, collection, row, path: `/v1/collections/${encodeURIComponent(collection)}/documents/${name.split("/").map(encodeURIComponent).join("/")}` };
    row.querySelector("button").addEventListener("click", () => (one.state === "failed" && one.again ? show(one, "waiting") : remove(one)));
    files.push(one);
    list.append(row);
    if (file.size) show(one, "waiting");
    else show(one, "failed", "It is empty.");
  }
}

/** A name for just these files: the same ones get the same, so that they are uploaded once. */
function nameCollection(found) {
  let hash = 5381;
  for (const letter of found.map(({ file, name }) => `${name} ${file.size} ${file.lastModified}`).sort().join("\n")) hash = (hash * 33 + letter.codePointAt(0)) % 2 ** 40;
  const first = found[0].name.split("/")[0].replace(/\.\w+$/, "").toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return `${first.slice(0, 40) || "files"}-${hash.toString(36)}`;
}

function show(one, state, said = "") {
  one.state = state;
  const [, told, bar] = one.row.children;
  told.textContent = [STATES[state], said].filter(Boolean).join(": ");
  told.className = state === "failed" || state === "unread" || one.partly ? "warn-text" : "quiet";
  bar.hidden = state !== "waiting";
  one.row.querySelector("button").firstChild.data = one.again && state === "failed" ? "Try again" : "Remove";
  summarize();
  if (state === "waiting") send();
}

async function send() {
  const one = sending < AT_ONCE && files.find(({ state, request }) => state === "waiting" && !request);
  if (!one) return;
  sending += 1;
  try {
    await upload(one);
    show(one, "sent");
    unread.set(one.collection, unread.get(one.collection) || 1);
    choose(`uploads:${one.collection}`);
    watch();
  } catch (refusal) {
    const [fault] = refusal.faults;
    one.again = !fault || refusal.status >= 500;
    if (one.state === "waiting") show(one, "failed", fault?.field === "collection" ? `The collection’s name ${fault.message}.` : fault?.message ?? refusal.message);
  }
  one.request = undefined;
  sending -= 1;
  summarize();
  send();
}

/** Sends the bytes of a file, and shows how many have gone. */
function upload(one) {
  return new Promise((resolve, reject) => {
    const request = (one.request = new XMLHttpRequest());
    const fail = () => reject(new Refusal({ status: 0, detail: "The upload was cut off." }));
    request.upload.onprogress = ({ loaded, total }) => { one.row.querySelector("progress").value = loaded / total; };
    request.onload = () => {
      if (request.status < 300) return resolve();
      let problem = {};
      try { problem = JSON.parse(request.responseText); } catch { /* no problem document, as of a proxy */ }
      reject(new Refusal({ title: request.statusText || "The upload was refused", ...problem, status: request.status }));
    };
    request.onerror = request.onabort = fail;
    request.open("PUT", root + one.path);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.send(one.file);
  });
}

/** Follows the collections until all of them are read. */
async function watch() {
  if (watching) return;
  watching = true;
  while ([...unread.values()].some(Boolean)) {
    for (const collection of unread.keys()) if (unread.get(collection)) await look(collection).catch(() => {}); // the next look tells
    summarize();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  watching = false;
  summarize();
}

async function look(collection) {
  const path = `/v1/collections/${encodeURIComponent(collection)}`;
  const mine = files.filter((one) => one.collection === collection && one.state === "sent");
  const found = await ask("GET", path).catch((refusal) => { if (refusal.status === 404) return null; throw refusal; });
  if (found) {
    const documents = new Map();
    for (let cursor = ""; cursor !== null && mine.some((one) => !documents.has(one.name.normalize()));) {
      const page = await ask("GET", `${path}/documents?limit=${LISTED}&cursor=${encodeURIComponent(cursor)}`);
      for (const one of page.documents) documents.set(one.path, one);
      cursor = page.next;
    }
    for (const one of mine) showRead(one, documents.get(one.name.normalize()));
  } else for (const one of mine) showRead(one);
  unread.set(collection, found?.unread ?? 0);
}

/** What became of a file: it is read, it cannot be, or some of it was not. */
function showRead(one, found) {
  if (!found) {
    one.again = true;
    return show(one, "failed", "It was deleted meanwhile.");
  }
  if (found.state === "uploaded") return;
  const gaps = found.gaps.map((gap) => gap.reason);
  one.partly = found.gaps.some((gap) => gap.unread) || Boolean(found.reason);
  show(one, found.state === "refused" ? "unread" : "read", [found.title, found.reason, ...gaps].filter(Boolean).join("; "));
}

async function remove(one, there = ["sent", "read", "unread"].includes(one.state)) {
  files.splice(files.indexOf(one), 1);
  one.row.remove();
  one.state = "removed";
  one.request?.abort();
  if (!files.some(({ collection }) => collection === one.collection)) choose(`uploads:${one.collection}`, false);
  if (!files.length) for (const box of form.querySelectorAll("[name=sources][data-default]")) box.checked = true;
  summarize();
  if (there) await ask("DELETE", one.path).catch(() => {}); // somebody else was faster
}

/** All files in one sentence, which is what is read aloud. */
function summarize() {
  const count = (...states) => files.filter(({ state }) => states.includes(state)).length;
  const parts = [`${count("read")} of ${files.length} read`];
  if (count("waiting")) parts.push(`${count("waiting")} to upload`);
  if (count("unread")) parts.push(`${count("unread")} cannot be read`);
  if (count("failed")) parts.push(`${count("failed")} not uploaded`);
  const rest = [...unread.values()].reduce((sum, more) => sum + more, 0) - count("sent");
  if (rest > 0) parts.push(`${rest} parts of archives and lists to read`);
  const told = files.length ? `${parts.join(", ")}.` : "";
  const status = place.querySelector("[role=status]");
  if (status.textContent !== told) status.textContent = told;
}

/** Has the run search a source, which the list may not have yet. The server's own are searched beside it only if chosen. */
function choose(source, on = true) {
  let box = form.querySelector(`[name=sources][value="${CSS.escape(source)}"]`);
  if (!box && !on) return;
  if (!box) {
    const option = document.getElementById("new-source").content.firstElementChild.cloneNode(true);
    box = option.querySelector("input");
    box.value = source;
    option.querySelector(".option-name").textContent = source;
    form.querySelector(".options:has([name=sources])").prepend(option);
    if (files.every(({ collection }) => source.endsWith(collection))) for (const other of form.querySelectorAll("[name=sources][data-default]")) other.checked = false;
  } else if (box.checked === on) return;
  box.checked = on;
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Waits until files are read; resolves to the faults because of which nothing should be asked of them yet. */
export async function settleFiles() {
  const isOpen = () => files.some(({ state }) => state === "waiting" || state === "sent") || [...unread.values()].some(Boolean);
  while (isOpen()) {
    document.getElementById("estimate").textContent = "Begins by itself once your files are read.";
    await new Promise((resolve) => setTimeout(resolve, POLL_MS / 5));
  }
  const failed = files.filter(({ state }) => state === "failed").length;
  const bad = files.filter(({ state }) => state === "unread").length;
  const refuse = (message) => [{ field: "files", message }];
  if (failed) return refuse(`Not uploaded: ${failed} of ${files.length}. Try again, or remove what you do not need.`);
  if (bad && bad === files.length) return refuse("None of the files can be read: remove them, or add others.");
  if (bad <= accepted) return [];
  accepted = bad;
  return refuse(`Cannot be read: ${bad} of ${files.length}. Press Research again to ask the others.`);
}

// Where they come from.

async function listEntry(entry, folder = "") {
  if (entry.name.startsWith(".")) return [];
  if (entry.isFile) return [{ file: await new Promise((resolve, reject) => entry.file(resolve, reject)), name: folder + entry.name }];
  const reader = entry.createReader();
  const found = [];
  for (let some; !some || some.length;) { // a hundred at a time
    some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    for (const inner of some) found.push(...(await listEntry(inner, `${folder}${entry.name}/`)));
  }
  return found;
}

if (place) {
  place.addEventListener("change", (event) => {
    if (event.target.type !== "file") return;
    const found = [...event.target.files].map((file) => ({ file, name: file.webkitRelativePath || file.name })).filter(({ name }) => !/(^|\/)\./.test(name));
    event.target.value = "";
    if (found.length) add(found);
  });
  place.querySelector("[data-paste]").addEventListener("click", () => {
    const field = document.getElementById("pasted");
    if (!field.value.trim()) return field.focus();
    add([{ file: new File([field.value], "pasted.txt", { lastModified: 0 }), name: `${field.value.trim().slice(0, 40).replace(/[^\p{L}\p{N} ]+/gu, " ").trim() || "pasted"}.txt` }]);
    field.value = "";
    field.closest("details").open = false;
    field.closest("details").querySelector("summary").focus();
  });
  addEventListener("dragover", (event) => { if (event.dataTransfer.types.includes("Files")) event.preventDefault(); });
  addEventListener("drop", async (event) => {
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    if (!entries.length) return;
    event.preventDefault();
    const found = (await Promise.all(entries.map((entry) => listEntry(entry)))).flat();
    if (found.length) add(found);
  });
  addEventListener("beforeunload", (event) => { if (files.some(({ state }) => state === "waiting")) event.preventDefault(); });
}
