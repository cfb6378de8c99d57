"use strict";
// Comfort only: without this file everything still works.

function scrollToCited() {
  const cited = document.getElementById("cited") || document.querySelector("mark, tr.cited");
  if (cited) cited.scrollIntoView({ block: "center" });
}

function showCopyButtons(root) {
  for (const button of root.querySelectorAll("[data-copy]")) button.hidden = false;
}

async function copyText(text) {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
  const box = document.createElement("textarea");
  box.value = text;
  document.body.append(box);
  box.select();
  document.execCommand("copy");
  box.remove();
}

// The box itself, or a button that asks a question again.
function asks(element) {
  return element.id === "ask" || element.matches(".searched, .carried");
}

function say(name) {
  const progress = document.getElementById("progress");
  if (progress) progress.textContent = name ? progress.dataset[name] : "";
}

// Enter and the Send of a touch keyboard ask, Shift+Enter starts a line.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  if (event.target.id !== "id_question") return;
  event.preventDefault();
  event.target.form.requestSubmit();
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await copyText(document.getElementById(button.dataset.copy).content.textContent);
  button.textContent = button.dataset.done;
});

// What is unfolded at the end of the page would lie under the box for questions.
document.addEventListener("click", (event) => {
  const summary = event.target.closest("summary");
  if (!summary) return;
  const shown = () => summary.parentElement.open && summary.parentElement.scrollIntoView({ block: "nearest" });
  summary.parentElement.addEventListener("toggle", shown, { once: true });
});

document.addEventListener("htmx:beforeRequest", (event) => {
  if (asks(event.target)) say("busy");
});
for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, (event) => {
    if (!asks(event.target)) return;
    const isStale = event.detail.xhr.status === 403;  // its token ended with another sign-in
    if (isStale) keepUnsent();
    say(isStale ? "stale" : "failed");
  });
}

// A new turn: take the reader to its question.
document.addEventListener("htmx:afterSettle", (event) => {
  showCopyButtons(document);
  if (event.target.id !== "turns") return;
  const turn = event.target.lastElementChild;
  turn.querySelector("h2").focus({ preventScroll: true });
  turn.scrollIntoView({ block: "start" });
});

// The session ended while somebody typed, or they signed in again elsewhere: the words wait in this
// tab until that person is back.
const UNSENT = "medrag.unsent";

function signedIn() {
  const who = document.querySelector(".account .who");
  return who && who.textContent;
}

function keepUnsent() {
  const box = document.getElementById("id_question");
  if (!box || !box.value) return;
  sessionStorage.setItem(UNSENT, JSON.stringify({ who: signedIn(), question: box.value }));
}

document.addEventListener("htmx:beforeOnLoad", (event) => {
  const there = event.detail.xhr.getResponseHeader("HX-Redirect") || "";
  if (there.startsWith("/sign-in/")) keepUnsent();
});

function giveBackUnsent() {
  const kept = signedIn() && sessionStorage.getItem(UNSENT);
  const box = document.getElementById("id_question");
  if (!kept) return;
  sessionStorage.removeItem(UNSENT);  // whoever is signed in now: nobody else reads it later
  const { who, question } = JSON.parse(kept);
  if (box && who === signedIn() && !box.value) box.value = question;
}

function tellKept() {
  const note = document.getElementById("kept");
  if (note) note.hidden = !sessionStorage.getItem(UNSENT);
}

giveBackUnsent();
tellKept();
showCopyButtons(document);
if (document.body.classList.contains("is-source")) addEventListener("load", scrollToCited);
