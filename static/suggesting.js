"use strict";
// Suggestions below the question, by the ARIA pattern of a combobox with a list box. htmx fetches
// them; the words go into the box, and nothing is asked. Without this file the list stays hidden.

function suggestions() {
  return { box: document.getElementById("id_question"), list: document.getElementById("suggestions") };
}

function dressQuestion() {
  const { box, list } = suggestions();
  if (!box || !list || box.hasAttribute("role")) return;
  const attributes = { role: "combobox", "aria-autocomplete": "list", "aria-controls": list.id };
  for (const [name, value] of Object.entries(attributes)) box.setAttribute(name, value);
  showSuggestions(false);
}

function showSuggestions(shown) {
  const { box, list } = suggestions();
  if (!list) return;
  list.hidden = !shown;
  box.setAttribute("aria-expanded", String(shown));
  choose(null);
}

function chosen() {
  return document.querySelector("#suggestions [aria-selected=true]");
}

function choose(option) {
  const { box } = suggestions();
  chosen()?.setAttribute("aria-selected", "false");
  option?.setAttribute("aria-selected", "true");
  option?.scrollIntoView({ block: "nearest" });
  if (option) box.setAttribute("aria-activedescendant", option.id);
  else box.removeAttribute("aria-activedescendant");
}

function take(option) {
  const { box, list } = suggestions();
  box.value = option.dataset.text;
  list.replaceChildren();
  showSuggestions(false);
  box.focus();
}

// Down and Up go round through the list and the box itself.
function move(step) {
  const { list } = suggestions();
  const places = [null, ...list.children];
  choose(places[(places.indexOf(chosen()) + step + places.length) % places.length]);
}

const KEYS = {
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  Escape: () => showSuggestions(false),
  Enter: () => take(chosen()),
};

// Before the key that asks is heard.
document.addEventListener("keydown", (event) => {
  const { box, list } = suggestions();
  if (event.target !== box || !list || list.hidden || event.isComposing || event.shiftKey) return;
  if (event.key === "Tab" || (event.key === "Enter" && !chosen())) return showSuggestions(false);
  if (!KEYS[event.key]) return;
  event.preventDefault();
  event.stopPropagation();
  KEYS[event.key]();
}, { capture: true });

// The box keeps the focus while an option is clicked.
document.addEventListener("mousedown", (event) => {
  if (event.target.closest("#suggestions")) event.preventDefault();
});
document.addEventListener("click", (event) => {
  const option = event.target.closest("#suggestions [role=option]");
  if (option) take(option);
});
document.addEventListener("focusout", (event) => {
  if (event.target.id === "id_question") showSuggestions(false);
});

document.addEventListener("htmx:beforeSwap", (event) => {
  const { box, list } = suggestions();
  if (event.detail.target === list && document.activeElement !== box) event.detail.shouldSwap = false;
});
document.addEventListener("htmx:afterSettle", (event) => {
  dressQuestion();
  if (event.target.id === "suggestions") showSuggestions(event.target.childElementCount > 0);
});

dressQuestion();
