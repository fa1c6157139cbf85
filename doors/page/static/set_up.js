// Trying a source: one search, of which nothing is kept.
import { ask } from "./api.js";

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-source]");
  if (!form) return;
  event.preventDefault();
  const fault = form.querySelector(".fault");
  const found = form.querySelector(".found");
  const button = form.querySelector("button");
  if (button.disabled) return;
  fault.textContent = "";
  found.textContent = "Searching…";
  button.disabled = true;
  try {
    const answer = await ask("POST", `/v1/sources/${encodeURIComponent(form.dataset.source)}/check`, { query: form.query.value });
    const list = document.createElement("ul");
    for (const passage of answer.passages) {
      const line = document.createElement("li");
      line.dir = "auto";
      line.textContent = `${passage.title}: ${passage.excerpt.slice(0, 200)}`;
      list.append(line);
    }
    const head = answer.passages.length ? `It answered in ${answer.seconds.toFixed(1)} s:` : `It answered in ${answer.seconds.toFixed(1)} s and found nothing.`;
    found.replaceChildren(head, list, ...answer.warnings);
  } catch (refusal) {
    found.textContent = "";
    fault.textContent = refusal.message;
  }
  button.disabled = false;
});
