// The question: nothing typed is lost, one submission is one run, and every fault is shown where it is.
import { Refusal, ask, chooseKey, root } from "./api.js";
import { showFaults } from "./faults.js";

const form = document.getElementById("ask");
const draftKey = `draft:ask:${form.previous_run?.value ?? ""}`;
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const money = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 2 });
const INPUT_SHARE = 0.88; // of the tokens of a usual run are sent, the rest is answered

// What was typed, kept until it was accepted.

function readDraft() {
  const draft = {};
  for (const field of form.elements) {
    if (!field.name || field.type === "hidden") continue;
    if (field.type === "checkbox") draft[field.name] = (draft[field.name] ?? []).concat(field.checked ? [field.value] : []);
    else if (field.type !== "radio") draft[field.name] = field.value;
    else if (field.checked) draft[field.name] = field.value;
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
}

// The request.

const number = (name) => (form[name].value.trim() === "" ? undefined : Number(form[name].value));
const text = (name) => form[name].value.trim() || undefined;

const lines = (name) => { const found = form[name].value.split("\n").map((line) => line.trim()).filter(Boolean); return found.length ? found : undefined; };

function buildTrust() {
  const lists = ["allowed_domains", "blocked_domains", "allowed_journals", "blocked_journals"];
  const trust = Object.fromEntries(lists.map((name) => [name, lines(`trust.${name}`)]));
  trust.blocked_kinds = form.no_preprints.checked ? ["preprint"] : undefined;
  trust.egress = text("trust.egress");
  return Object.values(trust).some(Boolean) ? trust : undefined;
}

function buildRequest() {
  const minutes = number("budget.seconds");
  const sources = [...form.querySelectorAll("[name=sources]:checked")].map((box) => box.value);
  return JSON.parse(JSON.stringify({
    question: form.question.value,
    mode: form.mode.value,
    sources: sources.length ? sources : undefined,
    trust: buildTrust(),
    previous_run: form.previous_run?.value,
    instructions: text("instructions"),
    background: text("background"),
    domain: text("domain"),
    model: text("model"),
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

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("[type=submit]");
  if (!button || button.disabled) return;
  const body = buildRequest();
  showFaults(form, []);
  button.disabled = true;
  try {
    const unread = [...form.elements].filter((field) => field.validity.badInput); // its value is empty, as if nothing were typed
    if (unread.length) throw new Refusal({ status: 422, detail: "", errors: unread.map(({ name }) => ({ field: name, message: "Type a number, such as 50000." })) });
    if (!body.question.trim()) throw new Refusal({ status: 422, detail: "", errors: [{ field: "question", message: "Type a question first." }] });
    const run = await ask("POST", "/v1/runs", body, { "Idempotency-Key": chooseKey(`${draftKey}:key`, body) });
    sessionStorage.removeItem(draftKey);
    sessionStorage.removeItem(`${draftKey}:key`);
    location.assign(`${root}/runs/${encodeURIComponent(run.run_id)}`);
  } catch (refusal) {
    button.disabled = false;
    showFaults(form, refusal.faults, refusal.message);
  }
});

form.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});

// What is chosen, in words.

const limits = [...form.querySelectorAll("[data-limit]")].map((place) => ({
  name: place.dataset.limit,
  lowest: Math.log(Number(place.dataset.lowest)),
  highest: Math.log(Number(place.dataset.highest)),
  slider: place.querySelector("[data-slider]"),
  field: place.querySelector("[type=number]"),
}));

function round(value) {
  if (value >= 10 || value < 0.01) return Number(value.toPrecision(2));
  return Number(value.toPrecision(value < 1 ? 1 : 2));
}

function defaultOf(name) {
  const chosen = form.querySelector("[name=mode]:checked")?.dataset ?? {};
  return { tokens: chosen.tokens, seconds: chosen.seconds && chosen.seconds / 60, iterations: chosen.iterations }[name];
}

function describe() {
  const mode = form.querySelector("[name=mode]:checked");
  const tell = (name, words) => { form.querySelector(`[data-now="${name}"]`).textContent = words; };
  tell("mode", (mode?.value ?? "auto").replaceAll("_", " "));
  const sources = [...form.querySelectorAll("[name=sources]:checked")].map((box) => box.value);
  tell("sources", sources.length > 3 ? `${sources.length} chosen` : sources.join(", ") || "the server’s own");
  const said = [];
  for (const { name, field, slider, lowest, highest } of limits) {
    const usual = defaultOf(name);
    field.placeholder = usual ? Number(usual).toLocaleString("en") : "no limit";
    const value = Number(field.value || usual || 0);
    slider.value = value > 0 ? (100 * (Math.log(value) - lowest)) / (highest - lowest) : 0;
    slider.classList.toggle("unset", !field.value);
    if (field.value) said.push(name === "cost_usd" ? money.format(value) : `${compact.format(value)} ${field.nextElementSibling.textContent}`);
  }
  if (form.pause.checked) said.push("then waits");
  tell("budget", said.join(", ") || "the mode’s own");
  const trust = Object.entries(buildTrust() ?? {}).filter(([, value]) => value);
  const usual = form.previous_run ? "as before" : "no limits";
  tell("trust", trust.map(([name, value]) => (name === "egress" ? value : name.replace("_", " "))).join(", ") || usual);
  const more = ["clarify", "approve_plan"].filter((name) => form[name].checked).map((name) => (name === "clarify" ? "asks back" : "plan first"))
    .concat(["instructions", "background", "domain", "model"].filter((name) => form[name].value.trim()).map((name) => (name === "domain" || name === "model" ? form[name].value : name)));
  tell("more", more.join(", ") || "nothing set");
  document.getElementById("estimate").textContent = estimate(mode?.dataset ?? {});
}

function priced(tokens) {
  const { inputUsd, outputUsd } = form.dataset;
  if (!inputUsd || form.model.value.trim()) return "";
  return ` (about ${money.format((tokens * (inputUsd * INPUT_SHARE + outputUsd * (1 - INPUT_SHARE))) / 1e6)})`;
}

function estimate(mode) {
  const most = Number(form["budget.tokens"].value || mode.tokens || 0);
  const usual = Math.min(Number(mode.usualTokens || 0), most || Infinity);
  if (!usual) return "";
  return `Usually about ${compact.format(usual)} tokens${priced(usual)}; never more than ${compact.format(most)}${priced(most)}.`;
}

for (const { slider, field, name, lowest, highest } of limits) {
  slider.addEventListener("input", () => {
    const value = Math.exp(lowest + (slider.value / 100) * (highest - lowest));
    field.value = name === "tokens" || name === "iterations" ? Math.round(round(value)) : round(value);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

form.addEventListener("input", () => {
  sessionStorage.setItem(draftKey, JSON.stringify(readDraft()));
  describe();
});

restoreDraft(JSON.parse(sessionStorage.getItem(draftKey) ?? "{}"));
describe();
addEventListener("pageshow", () => form.querySelector("[type=submit]")?.removeAttribute("disabled"));
