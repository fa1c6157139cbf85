// Chosen runs of the list: two are compared; deleting takes a second press, which says how many.
import { ask, say } from "./api.js";
import { refreshParts } from "./parts.js";

const form = document.getElementById("chosen");
const remove = form.querySelector("[data-delete]");

function listChosen() {
  return [...document.querySelectorAll("input[form=chosen]:checked")].map((box) => box.value);
}

function showChosen() {
  const count = listChosen().length;
  form.querySelector("[type=submit]").disabled = count !== 2;
  if (!remove) return;
  remove.hidden = count === 0;
  remove.textContent = "Delete";
}

async function deleteChosen() {
  const chosen = listChosen();
  const sure = `Delete ${chosen.length} for good`;
  if (remove.textContent !== sure) {
    remove.textContent = sure;
    return say("This deletes their reports, evidence and events too. Press again to confirm.");
  }
  remove.disabled = true;
  const refusals = [];
  for (const id of chosen) await ask("DELETE", `/v1/runs/${encodeURIComponent(id)}`).catch((refusal) => refusals.push(refusal.message));
  remove.disabled = false;
  say([`${chosen.length - refusals.length} deleted.`, ...new Set(refusals)].join(" "));
  await refreshParts().catch(() => {});
  showChosen();
}

document.addEventListener("change", showChosen);
addEventListener("pageshow", showChosen);
remove?.addEventListener("click", deleteChosen);
