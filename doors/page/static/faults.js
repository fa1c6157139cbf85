// Faults of a refused request, each beside its field.

/** Shows the faults of a request in a form, `[data-fault=FIELD]` by `[data-fault=FIELD]`; the rest at `.fault[role=alert]`. */
export function showFaults(form, faults, message = "") {
  const rest = [];
  for (const place of form.querySelectorAll("[data-fault]")) place.textContent = "";
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  let first;
  for (const fault of faults) {
    const names = fault.field.split(".");
    // One of several sections has fields of its own: `sections.2.title` is the title in the third.
    const section = form.querySelector(`[data-sections="${CSS.escape(names[0])}"]`)?.children[names[1]];
    if (section) names.splice(0, 2);
    let place;
    while (names.length && !place) {
      place = (section ?? form).querySelector(`[data-fault="${CSS.escape(names.join("."))}"]`);
      if (!place) names.pop();
    }
    if (!place) {
      rest.push(`${fault.field}: ${fault.message}`);
      continue;
    }
    place.textContent = [place.textContent, fault.message].filter(Boolean).join(" ");
    place.closest("details")?.setAttribute("open", "");
    const field = (section ?? form).querySelector(`[name="${CSS.escape(names.join("."))}"]`);
    field?.setAttribute("aria-invalid", "true");
    first ??= field ?? place;
  }
  if (!faults.length && message) rest.push(message);
  const alert = form.querySelector(".fault[role=alert]");
  if (alert) alert.textContent = rest.join("\n") || (faults.length ? "Not accepted: see the messages above." : "");
  first?.focus?.();
}
