// Evidence tables: rows are decided on with i, e, u and walked with j, k; a cell opens what it rests on.
import { Refusal, ask, chooseKey, readColumns, root, say } from "./api.js";
import { showFaults } from "./faults.js";
import { makePageView } from "./page_view.js";
import { refreshParts } from "./parts.js";

const LOOK_MS = 3000;
const table = document.querySelector("[data-table-id]");
const dialog = document.getElementById("cell");
const path = table && `/v1/evidence-tables/${table.dataset.tableId}`;

// Screening.

let excluding; // the row whose reason is being written, to exclude it

const findRow = (node) => node?.closest?.("[data-row]");

async function decide(row, decision) {
  const field = row.querySelector("[name=reason]");
  try {
    const made = await ask("PATCH", `${path}/rows/${row.dataset.row}/screening`, { decision, reason: decision ? field.value : "" });
    const before = made.decisions.at(-2)?.decision ?? "";
    const meanwhile = before === (row.dataset.decision ?? "") ? "" : `; meanwhile it had become ${before || "undecided"}`;
    row.dataset.decision = made.decision ?? "";
    excluding = undefined;
    field.defaultValue = field.value;
    for (const button of row.querySelectorAll(".decide button")) button.ariaPressed = String(button.value === made.decision);
    say(`Row ${made.number + 1}: ${made.decision ?? "undecided"}${meanwhile}`);
    refreshParts().catch(() => {});
    return true;
  } catch (refusal) {
    say(refusal.message);
    return false;
  }
}

function walk(row, back) {
  const rows = [...table.querySelectorAll("[data-row]")];
  const next = row ? rows[rows.indexOf(row) + (back ? -1 : 1)] : rows[0];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

table?.addEventListener("click", (event) => {
  const button = event.target.closest(".decide button");
  if (button) decide(findRow(button), button.ariaPressed === "true" ? null : button.value);
});
table?.addEventListener("submit", (event) => { // Enter in the reason: to exclude, if nothing else was decided
  event.preventDefault();
  const row = findRow(event.target);
  decide(row, row === excluding ? "exclude" : row.dataset.decision || "exclude").then((done) => done && walk(row));
});
document.addEventListener("keydown", (event) => {
  if (!table || dialog.open || event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches?.("input, textarea, select");
  const row = findRow(document.activeElement);
  if (typing) { if (event.key === "Escape") { excluding = undefined; row?.focus(); } return; }
  if (event.key === "j" || event.key === "k") { event.preventDefault(); walk(row, event.key === "k"); }
  if (!row?.querySelector(".decide")) return;
  if (event.key === "e") { event.preventDefault(); excluding = row; row.querySelector("[name=reason]").select(); }
  const decision = { i: "include", u: "unsure" }[event.key];
  if (decision) decide(row, decision).then((done) => done && walk(row));
});

// A cell, on its page.

table?.addEventListener("click", async (event) => {
  const link = event.target.closest("a.cell");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const response = await fetch(link.href, { headers: { Accept: "text/html" } }).catch(() => null);
  const part = response?.ok && new DOMParser().parseFromString(await response.text(), "text/html").getElementById(link.hash.slice(1));
  if (!part) return location.assign(link.href);
  const [title, ...rest] = part.children;
  dialog.querySelector("h2").textContent = title.textContent;
  dialog.querySelector("[data-shown]").replaceChildren(...rest);
  dialog.showModal();
  const first = dialog.querySelector(".page-link");
  if (first) showPage(first);
});
document.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
  const link = event.target.closest(".page-link");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  showPage(link);
});

/** The picture of a page behind the quote that is on it; another click takes it away. */
function showPage(link) {
  const facts = link.closest(".facts");
  const shown = facts.parentElement.querySelector(".page-figure");
  if (shown) shown.remove();
  else facts.after(makePageView(link));
}

// Edits, and new tables.

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-cell], [data-table]");
  if (!form) return;
  event.preventDefault();
  const button = event.submitter ?? form.querySelector("[type=submit]");
  if (button.disabled) return;
  button.disabled = true;
  showFaults(form, []);
  try {
    if (form.dataset.cell) {
      const reason = form.elements.reason.value;
      await ask("PATCH", form.dataset.cell, button.name === "restore" ? { restore: true, reason } : { value: readValue(form), reason });
      if (!dialog?.open) return location.reload();
      dialog.close(); // the reader is back at the cell
      await refreshParts();
    } else {
      const { settleFiles } = await import("./documents.js");
      const faults = await settleFiles();
      if (faults.length) throw new Refusal({ detail: "", errors: faults });
      const body = buildTable(form);
      const made = await ask("POST", "/v1/evidence-tables", body, { "Idempotency-Key": chooseKey("key:table", body) });
      sessionStorage.removeItem("key:table");
      location.assign(`${root}/tables/${made.id}`);
    }
  } catch (refusal) {
    showFaults(form, refusal.faults ?? [], refusal.message);
  } finally {
    button.disabled = false;
  }
});

/** The value of an edit in the type of its column; what is no such value is sent as it is, and refused with a reason. */
function readValue(form) {
  const text = form.elements.value.value.trim();
  if (!text) return null;
  if (form.dataset.type === "string") return text;
  try { return JSON.parse({ yes: "true", no: "false" }[text.toLowerCase()] ?? text); } catch { return text; }
}

function buildTable(form) {
  const { documents, columns, name, budget } = form.elements;
  return {
    documents: [{ source: documents.value }],
    columns: readColumns(columns.value),
    ...(name.value.trim() ? { name: name.value.trim() } : {}),
    ...(budget.value ? { budget: { tokens: Number(budget.value) } } : {}),
  };
}

/** The files that were added are the documents of the new table. */
document.querySelector("[data-table]")?.addEventListener("elcano:files", ({ target, detail: { source, title, on } }) => {
  const list = target.elements.documents;
  const option = [...list.options].find(({ value }) => value === source) ?? new Option("", source);
  if (!on) return option.remove();
  option.textContent = title;
  list.prepend(option);
  list.value = source;
});

// Cells fill by themselves while somebody looks.

if (table) setInterval(() => { if (!document.hidden && document.querySelector("[data-filling]")) refreshParts().catch(() => {}); }, LOOK_MS);
