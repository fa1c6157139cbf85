// Files of one's own: chosen, dropped or pasted, uploaded at once, then searched by the run.
import { Refusal, announceSignIn, ask, root } from "./api.js";

const form = document.querySelector("#ask, [data-table]");
const place = document.getElementById("documents");
const AT_ONCE = 3; // uploads, of a browser's six connections
const LOOKED_AT = 20; // files asked for at a time
const POLL_MS = 500;
const SAY_MS = 2000; // between two sentences that are read aloud
const WORDS = { sent: "uploaded, is being read", read: "read" };

let files = []; // { file, name, collection, path, row, kept, state: waiting, sent, read, unread or failed }
const unread = new Map(); // by collection: documents yet to be read, parts of archives and lists among them
let sending = 0;
let accepted = 0; // unreadable files that the reader was told of
let watching = false;
let saying; // of all files, soon
let saidAt = -SAY_MS;

const count = (...states) => files.filter(({ state }) => states.includes(state)).length;
const isOpen = () => count("waiting", "sent") || [...unread.values()].some(Boolean);
const sleep = () => new Promise((resolve) => setTimeout(resolve, POLL_MS));

/** Adds files: those that come together are a source of their own, so that a question is asked of just these. */
function add(found) {
  if (!found.length) return;
  const collection = (form.elements.documents && files[0]?.collection) || form.querySelector("#collection")?.value.trim() || nameCollection(found);
  for (const { file, name } of found) {
    const path = `/v1/collections/${encodeURIComponent(collection)}/documents/${name.split("/").map(encodeURIComponent).join("/")}`;
    files.find((one) => one.path === path)?.row.remove();
    files = files.filter((one) => one.path !== path);
    const row = place.querySelector("template").content.firstElementChild.cloneNode(true);
    const one = { file, name, collection, path, row };
    row.querySelector("span").textContent = name;
    row.querySelector("progress").ariaLabel = `Upload of ${name}`;
    row.querySelectorAll("button").forEach((button, number) => {
      button.addEventListener("click", () => (number ? show(one, "waiting") : remove(one)));
      button.firstElementChild.textContent = ` ${name}`;
    });
    place.querySelector("ul").append(row);
    files.push(one);
    show(one, ...(file.size ? ["waiting"] : ["unread", "It is empty."]));
  }
}

/** A name for just these files: the same ones get the same, so that they are uploaded once. */
function nameCollection(found) {
  let hash = 5381;
  for (const letter of found.map(({ file, name }) => `${name} ${file.size} ${file.lastModified}`).sort().join()) hash = (hash * 33 + letter.codePointAt(0)) % 2 ** 40;
  const first = found[0].name.split("/")[0].replace(/\.\w+$/, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 40);
  const others = new Set(found.map(({ name }) => name.split("/")[0])).size - 1; // a folder is one
  return `${/^[a-z0-9]/.test(first) ? first : "files"}${others ? `-and-${others}-more` : ""}-${hash.toString(36)}`;
}

/** Shows how a file stands; those that cannot be used as they are come first, and can be tried again if that may help. */
function show(one, state, said = "") {
  one.state = state;
  const [, told, bar, , retry] = one.row.children;
  told.textContent = [WORDS[state], said].filter(Boolean).join(": ");
  const bad = one.partly || state === "failed" || state === "unread";
  told.className = bad ? "warn-text" : "quiet";
  if (bad && !one.row.matches(":focus-within")) one.row.parentNode?.prepend(one.row);
  bar.hidden = state !== "waiting";
  retry.hidden = state !== "failed";
  summarize();
  if (state === "waiting") send();
}

async function send() {
  const one = sending < AT_ONCE && files.find(({ state, request }) => state === "waiting" && !request);
  if (!one) return;
  sending += 1;
  try {
    await upload(one);
    one.kept = true;
    show(one, "sent");
    choose(one.collection);
    watch();
  } catch (refusal) {
    const [fault] = refusal.faults;
    if (refusal.status === 401) announceSignIn();
    const passes = !refusal.status || [401, 429].includes(refusal.status) || refusal.status >= 500;
    show(one, passes ? "failed" : "unread", fault?.field === "collection" ? `The collection’s name ${fault.message}.` : fault?.message ?? refusal.message);
  }
  one.request = undefined;
  sending -= 1;
  send();
}

/** Sends the bytes of a file, and shows how many have gone. */
function upload(one) {
  return new Promise((resolve, reject) => {
    const request = (one.request = new XMLHttpRequest());
    request.upload.onprogress = ({ loaded, total }) => { one.row.querySelector("progress").value = loaded / total; };
    request.onload = () => (request.status < 300 ? resolve() : reject(new Refusal({ title: "The upload was refused.", ...request.response, status: request.status })));
    request.onerror = request.onabort = () => reject(new Refusal({ title: "The upload was cut off." }));
    request.open("PUT", root + one.path);
    request.responseType = "json"; // null of what is none, as of a proxy
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.send(one.file);
  });
}

/** Follows the files until all are read. */
async function watch() {
  if (watching) return;
  watching = true;
  for (; isOpen(); await sleep()) {
    for (const collection of new Set(files.map((one) => one.collection))) {
      const found = await ask("GET", `/v1/collections/${encodeURIComponent(collection)}`).catch((refusal) => refusal);
      if (!(found instanceof Refusal) || found.status === 404) unread.set(collection, found.unread ?? 0);
    }
    await Promise.all(files.filter(({ state }) => state === "sent").slice(0, LOOKED_AT).map(look));
    summarize();
  }
  watching = false;
}

/** What became of a file: it is read, it cannot be, or some of it was not. */
async function look(one) {
  const found = await ask("GET", one.path).catch((refusal) => refusal);
  if (one.state !== "sent" || found.state === "uploaded") return;
  if (found.status === 404) return show(one, "failed", "It was deleted meanwhile.");
  if (found instanceof Refusal) return; // the next look tells
  one.partly = Boolean(found.reason) || found.gaps.some((gap) => gap.unread);
  show(one, found.state === "refused" ? "unread" : "read", [found.title, found.reason, ...found.gaps.map((gap) => gap.reason)].filter(Boolean).join("; "));
}

function remove(one) {
  files = files.filter((other) => other !== one);
  const next = one.row.nextElementSibling ?? one.row.previousElementSibling ?? place;
  one.row.remove();
  next.querySelector("button, input").focus();
  one.request?.abort();
  if (!files.some(({ collection }) => collection === one.collection)) choose(one.collection, false);
  summarize();
  if (one.kept) ask("DELETE", one.path).catch(() => {});
}

/** Says how all files stand, soon: each upload by itself would be too much to be read aloud. */
function summarize() {
  saying ??= setTimeout(tellAll, saidAt + SAY_MS - performance.now());
}

function tellAll() {
  saying = undefined;
  saidAt = performance.now();
  const parts = [`${count("read")} of ${files.length} read`];
  for (const [state, words] of [["waiting", "to upload"], ["unread", "cannot be read"], ["failed", "not uploaded"]]) if (count(state)) parts.push(`${count(state)} ${words}`);
  place.querySelector("[role=status]").textContent = files.length ? `${parts.join(", ")}.` : "";
}

/** Has the run search a collection; the server's own sources are searched beside it only if they are chosen again. */
function choose(collection, on = true) {
  const source = `uploads:${collection}`;
  const [first, ...others] = files.filter((one) => one.collection === collection);
  const title = first && `${first.name.split("/")[0]}${others.length ? ` and ${others.length} more` : ""}`;
  if (form.elements.documents) {
    if (on) unread.set(collection, unread.get(collection) ?? 1);
    return form.dispatchEvent(new CustomEvent("elcano:files", { detail: { source, title, on } }));
  }
  const find = () => form.querySelector(`[name=sources][value="${CSS.escape(source)}"]`);
  if (!find()) {
    const option = document.getElementById("new-source").content.firstElementChild.cloneNode(true);
    option.querySelector("input").value = option.querySelector(".option-name").textContent = source;
    form.querySelector(".group .options").prepend(option);
  } else if (find().checked === on && unread.has(collection)) return;
  if (on ? !unread.size : !files.length) for (const own of form.querySelectorAll("[data-default]")) own.checked = !on;
  if (on) unread.set(collection, 1);
  if (title) find().dataset.title = title;
  find().checked = on;
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Waits until files are read; resolves to the faults that are in the way. */
export async function settleFiles() {
  for (; isOpen(); await sleep()) document.getElementById("estimate").textContent = "Begins by itself once your files are read.";
  const [failed, bad] = [count("failed"), count("unread")];
  const refuse = (message) => [{ field: "files", message }];
  if (failed) return refuse(`Not uploaded: ${failed} of ${files.length}. Try again, or remove what you do not need.`);
  if (bad && bad === files.length) return refuse("None of the files can be read: remove them, or add others.");
  if (bad <= accepted) return [];
  accepted = bad;
  return refuse(`Cannot be read: ${bad} of ${files.length}, on top of the list. Press again to go on with the others.`);
}

/** Puts pasted addresses into the question, where the source “page” reads them; if this server has none, the form says so. */
function nameAddresses(field) {
  form.question.value = `${form.question.value.trimEnd()}\n${field.value.trim()}`.trimStart();
  const page = form.querySelector("[name=sources][value=page]:enabled");
  if (page) page.checked = true;
  field.value = "";
  form.question.focus();
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

// Where they come from.

async function listEntry(entry, folder = "") {
  const name = folder + entry.name;
  if (entry instanceof File) return [{ name, file: entry }];
  if (entry.isFile) return [{ name, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) }];
  const reader = entry.createReader();
  const found = [];
  for (let some; !some || some.length; ) { // a hundred at a time
    some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    for (const inner of some) found.push(...(await listEntry(inner, `${name}/`)));
  }
  return found;
}

const addSeen = (found) => add(found.filter(({ name }) => !/(^|\/)\./.test(name))); // hidden files are a system's own

if (place) {
  place.addEventListener("change", ({ target }) => {
    if (target.type !== "file") return;
    addSeen([...target.files].map((file) => ({ file, name: file.webkitRelativePath || file.name })));
    target.value = "";
  });
  place.querySelector("[data-paste]")?.addEventListener("click", () => {
    const field = document.getElementById("pasted");
    if (/^(\s*https?:\/\/\S+)+\s*$/.test(field.value)) return nameAddresses(field);
    const name = field.value.trim().slice(0, 40).replace(/[^\p{L}\p{N}]+/gu, " ").trim();
    if (name) add([{ file: new File([field.value], name, { lastModified: 0 }), name: `${name}.txt` }]);
    field.value = "";
    field.focus();
  });
  addEventListener("dragover", (event) => { if (event.dataTransfer.types.includes("Files")) event.preventDefault(); });
  addEventListener("drop", async (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile()).filter(Boolean);
    event.preventDefault();
    addSeen((await Promise.all(entries.map((entry) => listEntry(entry)))).flat());
  });
  addEventListener("beforeunload", (event) => { if (count("waiting")) event.preventDefault(); });
}
