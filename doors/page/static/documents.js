// Documents of one's own: uploaded one by one, by choice or by drop, and then searched by the run that is asked for.
import { ask } from "./api.js";

const form = document.getElementById("ask");
const place = document.getElementById("documents");

async function upload(files) {
  const collection = form.querySelector("#collection").value.trim() || "-"; // none is refused as one that cannot be
  const told = place.querySelector("ul");
  let kept = 0;
  for (const file of files) {
    const line = Object.assign(document.createElement("li"), { textContent: `${file.name}: uploading…` });
    told.append(line);
    const name = (file.webkitRelativePath || file.name).split("/").map(encodeURIComponent).join("/");
    const path = `/v1/collections/${encodeURIComponent(collection)}/documents/${name}`;
    try {
      await ask("PUT", path, file);
      line.textContent = `${file.name}: uploaded; it is read within seconds`;
      kept += 1;
      follow(path, file.name, line);
    } catch (refusal) {
      const [fault] = refusal.faults;
      const named = fault?.field === "collection"; // which is wrong for all of them
      line.textContent = named ? `The collection’s name ${fault.message}.` : `${file.name}: ${fault?.message ?? refusal.message}`;
      line.className = "warn-text";
      if (named) break;
    }
  }
  if (kept) choose(`uploads:${collection}`);
}

/** Tells what became of a document once it is read: that it cannot be, or what of it was not. */
async function follow(path, name, line) {
  for (let looks = 0; looks < 200; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const found = await ask("GET", path).catch(() => null);
    if (!found) return;
    if (found.state === "uploaded") continue;
    const read = found.state === "refused" ? "cannot be read" : `read (${found.title})`;
    const said = [found.reason, ...found.gaps.map((gap) => gap.reason)].filter(Boolean);
    line.textContent = `${name}: ${[read, said.join("; ")].filter(Boolean).join(": ")}`;
    line.classList.toggle("warn-text", Boolean(found.reason) || found.gaps.some((gap) => gap.unread));
    return;
  }
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
