"use strict";
// One request for each file, so that one refusal stops none. Without this file the form still works.

const form = document.getElementById("upload-form");
const chosen = form.elements.uploads;
const zone = chosen.closest(".drop");
const rows = document.getElementById("uploads");
const status = document.getElementById("upload-status");
const AT_ONCE = 2;
const waiting = [];
let sending = 0;

function newRow(template, name) {
  const row = document.getElementById(template).content.firstElementChild.cloneNode(true);
  row.querySelector(".name").textContent = name;
  return row;
}

function size(bytes) {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function fieldsNow() {
  const fields = new FormData(form);
  fields.delete("uploads");
  return fields;
}

function enqueue(files, fields) {
  const batch = Array.from(files, (file) => ({ file, fields, row: newRow("sending", file.name) }));
  rows.prepend(...batch.map((one) => one.row));
  waiting.push(...batch);
  next();
}

function next() {
  while (sending < AT_ONCE && waiting.length) send(waiting.shift());
}

function send({ file, fields, row }) {
  sending += 1;
  const body = new FormData();
  for (const [name, value] of fields) body.append(name, value);
  body.append("uploads", file);
  const request = new XMLHttpRequest();
  request.upload.addEventListener("progress", (event) => {
    if (!event.lengthComputable) return;
    row.querySelector("progress").value = (100 * event.loaded) / event.total;
    row.querySelector(".state").textContent = `Uploading ${size(event.loaded)} of ${size(event.total)}`;
  });
  request.addEventListener("loadend", () => {
    sending -= 1;
    const answered = request.status === 200 || request.status === 422;
    if (answered) arrived(row, request.responseText, file.name);
    else lost(row, file, fields);
    next();
  });
  request.open("POST", form.dataset.one);
  request.send(body);
}

function arrived(row, html, name) {
  const holder = document.createElement("template");
  holder.innerHTML = html.trim();
  const stored = holder.content.firstElementChild;
  row.replaceWith(stored);
  htmx.process(stored);
  const refused = stored.classList.contains("refused");
  status.textContent = refused ? `${name}: ${stored.lastElementChild.textContent}` : `${name} is stored.`;
  document.body.dispatchEvent(new CustomEvent("stored"));
}

function lost(row, file, fields) {
  const unsent = newRow("unsent", file.name);
  unsent.querySelector(".again").addEventListener("click", () => {
    unsent.remove();
    enqueue([file], fields);
  });
  row.replaceWith(unsent);
  status.textContent = `${file.name} did not arrive.`;
}

form.addEventListener("submit", (event) => {
  if (!chosen.files.length) return; // the server says that one is missing
  event.preventDefault();
  enqueue(chosen.files, fieldsNow());
  chosen.value = "";
});

// Files may fall anywhere on the form: beside the field the browser would open them instead.
for (const name of ["dragover", "dragenter"]) {
  document.addEventListener(name, (event) => {
    if (!event.dataTransfer || !event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    zone.classList.add("over");
  });
}
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) zone.classList.remove("over");
});
document.addEventListener("drop", (event) => {
  if (!event.dataTransfer || !event.dataTransfer.files.length) return;
  event.preventDefault();
  zone.classList.remove("over");
  chosen.files = event.dataTransfer.files;
  status.textContent = `${chosen.files.length} files chosen. Press Upload to send them.`;
  form.querySelector("[type=submit]").focus();
});

// A page that is left would lose what has not arrived.
addEventListener("beforeunload", (event) => {
  if (sending || waiting.length) event.preventDefault();
});
