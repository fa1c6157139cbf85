// Forms that act: each posts what it holds as JSON to the API, shows faults beside their fields and says what was accepted.
import { ask, chooseKey, readColumns, root, say } from "./api.js";
import { showFaults } from "./faults.js";

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-post]");
  if (!form) return;
  event.preventDefault();
  const button = form.querySelector("[type=submit]");
  const keyName = `key:${form.dataset.post}`;
  if (button.disabled) return;
  button.disabled = true;
  showFaults(form, []);
  const ack = form.querySelector(".ack");
  ack.textContent = "";
  try {
    const removes = form.dataset.method === "DELETE";
    const body = removes ? undefined : buildBody(form);
    const answer = await ask(form.dataset.method ?? "POST", form.dataset.post, body, removes ? {} : { "Idempotency-Key": chooseKey(keyName, body) });
    sessionStorage.removeItem(keyName);
    ack.textContent = form.dataset.done;
    form.reset();
    delete form.dataset.changed;
    if (form.dataset.go) return location.assign(root + form.dataset.go.replace("{name}", answer?.name));
    if (/\/(fork|edits|updates|rollback)$/.test(form.dataset.post)) return location.assign(`${root}/runs/${encodeURIComponent(answer.run_id)}`);
    say(form.dataset.done);
    const summary = form.closest("details")?.querySelector("summary");
    const next = summary ?? form.closest(".acts") ?? document.getElementById("main");
    next.focus({ preventScroll: true }); // nobody types in the form any longer, and it may go
    summary?.scrollIntoView({ block: "nearest" });
    document.dispatchEvent(new Event("elcano:done"));
  } catch (refusal) {
    showFaults(form, refusal.faults ?? [], refusal.message);
    if (refusal.status === 409) say(refusal.message); // somebody else was faster, and the form is gone in a moment
  } finally {
    button.disabled = false;
  }
});

function buildBody(form) {
  const body = {};
  const list = form.querySelector("[data-sections]");
  if (list) body[list.dataset.sections] = [...list.querySelectorAll("[data-section]")].map(buildSection);
  for (const field of form.elements) {
    if (!field.name || field.closest("[data-section]")) continue;
    const value = readField(field);
    if (value === undefined) continue;
    const names = field.name.split(".");
    const last = names.pop();
    let place = body;
    for (const name of names) place = place[name] ??= {};
    if (field.dataset.list !== undefined) (place[last] ??= []).push(value);
    else place[last] = value;
  }
  return body;
}

function readField(field) {
  if (field.type === "checkbox") return field.checked ? (field.dataset.list === undefined ? true : field.value) : undefined;
  const text = field.value.trim();
  if (!text) return undefined;
  if (field.dataset.columns !== undefined) return readColumns(text);
  if (field.type === "number" || field.dataset.number !== undefined) return Number(text) * Number(field.dataset.times ?? 1);
  return text;
}

function buildSection(group) {
  const criteria = [...group.querySelectorAll("[name=criteria]")].map((field) => field.value);
  return {
    title: group.querySelector("[name=title]").value,
    question: group.querySelector("[name=question]").value,
    ...(criteria.length ? { criteria } : {}),
  };
}

// The plan: sections come and go.

document.addEventListener("click", (event) => {
  const remove = event.target.closest("[data-remove]");
  if (remove) {
    const section = remove.closest("[data-section]");
    const next = section.nextElementSibling ?? section.previousElementSibling;
    if (!next) return say("A plan needs at least one section.");
    section.closest("form").dataset.changed = "";
    section.remove();
    next.querySelector("[name=title]").focus();
  }
  if (event.target.closest("[data-add]")) {
    const list = event.target.closest("form").querySelector("[data-sections]");
    const made = list.lastElementChild.cloneNode(true);
    const number = Math.max(...[...list.querySelectorAll("[name=title]")].map((field) => Number(field.id.match(/\d+$/)[0]))) + 1;
    for (const hidden of made.querySelectorAll("[name=criteria]")) hidden.remove();
    for (const field of made.querySelectorAll("[id]")) {
      const id = field.id.replace(/\d+$/, number);
      made.querySelector(`label[for="${field.id}"]`)?.setAttribute("for", id);
      field.id = id;
      field.value = field.defaultValue = "";
      field.textContent = "";
    }
    made.querySelector("label").textContent = "New section";
    list.append(made);
    list.closest("form").dataset.changed = "";
    made.querySelector("[name=title]").focus();
  }
});
