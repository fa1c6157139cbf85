// The question: nothing typed is lost, and one submission is one run.
import { Refusal, ask, chooseKey, root } from "./api.js";
import { settleFiles } from "./documents.js";
import { showFaults } from "./faults.js";

const form = document.getElementById("ask");
const options = document.getElementById("options");
const draftKey = `draft:ask:${form.previous_run?.value ?? ""}`;
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const shorten = (number) => compact.format(number).replace("K", "k"); // as the server writes it
const money = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 2 });
const INPUT_SHARE = 0.88; // of the tokens of a usual run are sent, the rest is answered
const ADDRESS = /https?:\/\/\S+/g;

// What was typed, kept until it was accepted.

function readDraft() {
  const draft = {};
  for (const field of form.elements) {
    if (!field.name || field.type === "hidden") continue;
    if (field.type === "checkbox") draft[field.name] = (draft[field.name] ?? []).concat(field.checked ? [field.value] : []);
    else if (field.type !== "radio" || field.checked) draft[field.name] = field.value;
  }
  return draft;
}

function restoreDraft(draft) {
  for (const field of form.elements) {
    if (!(field.name in draft) || field.type === "hidden") continue;
    const kept = draft[field.name];
    if (field.type === "checkbox") field.checked = kept.includes(field.value) && !field.disabled;
    else if (field.type === "radio") field.checked = kept === field.value && !field.disabled;
    else if (field.name !== "question" || !field.value) field.value = kept;
  }
  const gone = (draft.sources ?? []).filter((name) => !listSources().includes(name));
  if (gone.length) showFaults(form, [{ field: "sources", message: `${gone.join(", ")}: no longer there, or cannot be searched now.` }]);
}

// The request.

const number = (name) => (form[name].value.trim() === "" ? undefined : Number(form[name].value));
const text = (name) => form[name].value.trim() || undefined;
const lines = (name) => { const found = form[name].value.split("\n").map((line) => line.trim()).filter(Boolean); return found.length ? found : undefined; };
const listSources = (which = ":checked") => [...form.querySelectorAll(`[name=sources]${which}`)].map((box) => box.value);

function buildTrust() {
  const lists = ["allowed_domains", "blocked_domains", "allowed_journals", "blocked_journals"];
  const trust = Object.fromEntries(lists.map((name) => [name, lines(`trust.${name}`)]));
  trust.blocked_kinds = form.no_preprints.checked ? ["preprint"] : undefined;
  trust.egress = text("trust.egress");
  return Object.values(trust).some(Boolean) ? trust : undefined;
}

function buildRequest() {
  const minutes = number("budget.seconds");
  const sources = listSources();
  return JSON.parse(JSON.stringify({
    question: form.question.value,
    mode: form.mode.value,
    sources: String(sources) === String(listSources("[data-default]")) ? undefined : sources, // the server knows its own best
    trust: buildTrust(),
    previous_run: form.previous_run?.value,
    ...Object.fromEntries(["instructions", "background", "domain", "model"].map((name) => [name, text(name)])),
    clarify: form.clarify.checked || undefined,
    approve_plan: form.approve_plan.checked || undefined,
    budget: {
      tokens: number("budget.tokens"),
      cost_usd: number("budget.cost_usd"),
      seconds: minutes === undefined ? undefined : minutes * 60,
      iterations: number("budget.iterations"),
      when_exhausted: form.pause.checked ? "pause" : undefined,
    },
  }));
}

function listFaults(body) {
  const unread = [...form.elements].filter((field) => field.validity.badInput); // its value is empty, as if nothing were typed
  const faults = unread.map(({ name }) => ({ field: name, message: "Type a number, such as 50000." }));
  if (!body.question.trim()) faults.push({ field: "question", message: "Type a question first." });
  if (!listSources().length) faults.push({ field: "sources", message: "Choose what to search, or add files." });
  return faults;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("[type=submit]");
  if (!button || button.disabled) return;
  showFaults(form, []);
  button.disabled = true;
  try {
    const refuse = (faults) => { if (faults.length) throw new Refusal({ status: 422, detail: "", errors: faults }); };
    refuse(listFaults(buildRequest()));
    refuse(await settleFiles());
    const body = buildRequest(); // with what was chosen meanwhile
    refuse(listFaults(body));
    const run = await ask("POST", "/v1/runs", body, { "Idempotency-Key": chooseKey(`${draftKey}:key`, body) });
    sessionStorage.removeItem(draftKey);
    sessionStorage.removeItem(`${draftKey}:key`);
    location.assign(`${root}/runs/${encodeURIComponent(run.run_id)}`);
  } catch (refusal) {
    button.disabled = false;
    describe();
    showFaults(form, refusal.faults, refusal.message);
  }
});

form.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});

// What is chosen, in words.

function describe() {
  const mode = form.querySelector("[name=mode]:checked");
  const usual = { tokens: mode?.dataset.tokens, seconds: mode?.dataset.seconds / 60, iterations: mode?.dataset.iterations };
  const said = mode?.defaultChecked ? [] : [mode?.value.replaceAll("_", " ")];
  for (const field of form.querySelectorAll("[name^='budget.']")) {
    const name = field.name.slice(7);
    field.placeholder = usual[name] ? Number(usual[name]).toLocaleString("en") : "no limit";
    if (field.value) said.push(`at most ${name === "cost_usd" ? money.format(field.value) : `${shorten(field.value)} ${field.labels[0].textContent.toLowerCase()}`}`);
  }
  if (form.pause.checked) said.push("then waits");
  if (form.clarify.checked) said.push("asks back");
  if (form.approve_plan.checked) said.push("plan first");
  for (const name of ["instructions", "background"]) if (text(name)) said.push(name);
  for (const name of ["domain", "model"]) if (text(name)) said.push(text(name));
  for (const name of Object.keys(JSON.parse(JSON.stringify(buildTrust() ?? {})))) said.push(name.replace("_", " "));
  options.querySelector(".now").textContent = said.join(", ") || "nothing changed";
  for (const group of form.querySelectorAll(".group")) {
    const boxes = [...group.querySelectorAll("[name=sources]")];
    const on = boxes.filter((box) => box.checked);
    const all = group.querySelector("[data-group]");
    all.checked = on.length > 0;
    all.indeterminate = on.length > 0 && boxes.some((box) => isWhole(box) && !box.checked);
    const now = group.querySelector(".now");
    now.textContent = on.map((box) => box.dataset.title ?? box.value).join(", ") || now.dataset.off;
  }
  describeAddresses();
  document.getElementById("estimate").textContent = estimate(mode?.dataset ?? {});
}

/** Whether a source is there to be searched, and no part of another. */
const isWhole = (box) => !box.disabled && !box.value.includes(":");

function describeAddresses() {
  const [first, ...others] = form.question.value.match(ADDRESS) ?? [];
  const page = form.querySelector("[name=sources][value=page]");
  document.getElementById("addresses").textContent = !first ? ""
    : !page || page.disabled ? "The address in your question is not opened: this server reads no pages (see Set-up). Save the page, and add it as a file."
      : page.checked ? `${others.length ? "The pages that your question names are" : `${first} is`} read.${others.length > 4 ? " Of more than five addresses, the first five are read at once." : ""}`
        : "Turn on the source “page”, below Web, to have the address in your question read.";
}

function price(tokens) {
  const { inputUsd, outputUsd } = form.dataset;
  if (!inputUsd || text("model")) return `${shorten(tokens)} tokens`;
  return `${money.format((tokens * (inputUsd * INPUT_SHARE + outputUsd * (1 - INPUT_SHARE))) / 1e6)} (${shorten(tokens)} tokens)`;
}

function duration(seconds) {
  return seconds < 60 ? `${Math.max(1, Math.round(seconds))} s` : `${compact.format(seconds / 60)} min`;
}

function estimate({ tokens, usualTokens, seconds, usualSeconds }) {
  const longest = duration(60 * Number(form["budget.seconds"].value) || seconds);
  const lately = usualSeconds ? `, lately ${duration(usualSeconds)}` : "";
  if ("free" in form.dataset && !text("model")) return `Free: quotes, without a model${lately}; at most ${longest}.`;
  const most = Number(form["budget.tokens"].value || tokens || 0);
  if (!usualTokens) return "";
  return `Usually about ${price(Math.min(usualTokens, most))}${lately}; at most ${price(most)} and ${longest}.`;
}

form.addEventListener("input", (event) => {
  if (event.target.matches("[data-group]")) {
    for (const box of event.target.closest(".group").querySelectorAll("[name=sources]")) box.checked = event.target.checked && isWhole(box);
  }
  sessionStorage.setItem(draftKey, JSON.stringify(readDraft()));
  describe();
});

restoreDraft(JSON.parse(sessionStorage.getItem(draftKey) ?? "{}"));
describe();
addEventListener("pageshow", () => form.querySelector("[type=submit]")?.removeAttribute("disabled"));
