// Graphs and agents as JSON, checked and kept by the API.
import { ask, root } from "./api.js";

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-keep]");
  if (!form) return;
  event.preventDefault();
  const faults = form.querySelector(".fault");
  const ack = form.querySelector(".ack");
  faults.replaceChildren();
  ack.textContent = "";
  let definition;
  try {
    definition = JSON.parse(form.definition.value);
  } catch (error) {
    return showFaults(faults, [`This is not JSON: ${error.message}`]);
  }
  event.submitter.disabled = true;
  try {
    if (event.submitter.name === "check") {
      const verdict = await ask("POST", form.dataset.check, definition);
      if (verdict.valid) ack.textContent = "Valid: it can run.";
      else showFaults(faults, verdict.faults);
    } else {
      const kept = await ask("POST", form.dataset.keep, definition);
      location.assign(`${root}${form.dataset.go}${encodeURIComponent(kept.name)}`);
    }
  } catch (refusal) {
    const told = (refusal.faults ?? []).map((fault) => `${fault.pointer || fault.field}: ${fault.message}`);
    showFaults(faults, told.length ? told : [refusal.message]);
  }
  event.submitter.disabled = false;
});

function showFaults(place, texts) {
  place.replaceChildren(...texts.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
}
