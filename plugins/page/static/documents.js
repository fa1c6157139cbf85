// Documents of one's own: uploaded one by one, by choice or by drop, and then searched by the run that is asked for.
import { ask } from "./api.js";

const form = document.getElementById("ask");
const place = document.getElementById("documents");

async function upload(files) {
  const collection = form.querySelector("#collection").value.trim();
  const told = place.querySelector("ul");
  let kept = 0;
  for (const file of files) {
    const line = Object.assign(document.createElement("li"), { textContent: `${file.name}: is sent …` });
    told.append(line);
    const name = (file.webkitRelativePath || file.name).split("/").map(encodeURIComponent).join("/");
    try {
      await ask("PUT", `/v1/collections/${encodeURIComponent(collection)}/documents/${name}`, file);
      line.textContent = `${file.name}: uploaded, and read within seconds`;
      kept += 1;
    } catch (refusal) {
      line.textContent = `${file.name}: ${refusal.message}`;
      line.className = "warn-text";
    }
  }
  if (kept) choose(`uploads:${collection}`);
}

/** Has the run search a source, which the list of sources may not have yet. */
function choose(source) {
  let box = form.querySelector(`[name=sources][value="${CSS.escape(source)}"]`);
  if (!box) {
    const option = document.getElementById("new-source").content.firstElementChild.cloneNode(true);
    box = option.querySelector("input");
    box.value = source;
    option.querySelector("span").textContent = source;
    form.querySelector(".options.two").prepend(option);
  }
  box.checked = true;
  place.querySelector("[data-now]").textContent = `searched as ${source}`;
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

place.querySelector("[type=file]").addEventListener("change", async (event) => {
  await upload([...event.target.files]);
  event.target.value = "";
});
form.addEventListener("dragover", (event) => {
  if (event.dataTransfer.types.includes("Files")) event.preventDefault();
});
form.addEventListener("drop", (event) => {
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  place.open = true;
  upload([...event.dataTransfer.files]);
});
