import { ask } from "./api.js";

const form = document.getElementById("sign-in");
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const fault = document.getElementById("key-fault");
  fault.textContent = "";
  try {
    await ask("POST", "/v1/session", { key: form.key.value.trim() });
    location.assign(form.dataset.to);
  } catch (refusal) {
    fault.textContent = refusal.message;
    form.key.focus({ preventScroll: true });
    fault.scrollIntoView({ block: "center" }); // the field is above it
  }
});
