"use strict";
// Point at a passage, block, cell or doubt and its places are painted, and the other way round.
// Without this file the links with ?show= paint the same.

// The first of a place's keys is its own block or cell; the others are what it also stands in.
function paint(page, keys) {
  const wanted = new Set(keys);
  for (const place of page.querySelectorAll("[data-in]")) {
    place.classList.toggle("hot", place.dataset.in.split(" ").includes(keys[0]));
  }
  for (const part of page.querySelectorAll("[data-shows]")) {
    part.classList.toggle("hot", wanted.has(part.dataset.shows));
  }
}

function keysAt(target) {
  const place = target.closest("[data-in]");
  if (place) return place.dataset.in.split(" ");
  const part = target.closest("[data-shows]");
  return part ? [part.dataset.shows] : [];
}

// The picture may be longer than its frame: bring what is painted into it, and move nothing else.
function reveal(page) {
  const frame = page.querySelector(".picture");
  const place = frame && frame.querySelector("rect.hot, rect.on");
  if (!place) return;
  const outer = frame.getBoundingClientRect();
  const inner = place.getBoundingClientRect();
  if (inner.top < outer.top || inner.bottom > outer.bottom) {
    frame.scrollTop += inner.top - outer.top - outer.height / 3;
  }
}

function point(event) {
  const page = event.target.closest(".reading");
  if (!page) return;
  paint(page, keysAt(event.target));
  if (!event.target.closest(".picture")) reveal(page);
}

// A page that scrolls under a resting pointer must not take the paint from what the keyboard chose.
let resting = "";
document.addEventListener("pointerover", (event) => {
  const here = `${event.clientX} ${event.clientY}`;
  if (here === resting) return;
  resting = here;
  point(event);
});
document.addEventListener("focusin", point);
document.addEventListener("pointerout", (event) => {
  const page = event.target.closest(".reading");
  if (page && !page.contains(event.relatedTarget)) paint(page, keysAt(document.activeElement));
});

// A click on the picture leads to the words that stand there.
document.addEventListener("click", (event) => {
  const place = event.target.closest("[data-in]");
  if (!place) return;
  const page = place.closest(".reading");
  const part = page.querySelector(`[data-shows="${CSS.escape(place.dataset.in.split(" ")[0])}"]`);
  if (part) part.scrollIntoView({ block: "center" });
});

for (const page of document.querySelectorAll(".reading")) reveal(page);

// Keys that press what bears them (`data-key`), unless somebody types, or has switched them off. A
// key held down or pressed in haste must not tick the next page before anybody has seen it.
const HASTE_MS = 600;
const opened = performance.now();
const keys = document.querySelector(".keys");
if (keys) {
  const box = keys.querySelector("input");
  keys.hidden = false;
  box.checked = localStorage.getItem("keys") !== "off";
  box.addEventListener("change", () => localStorage.setItem("keys", box.checked ? "on" : "off"));
  document.addEventListener("keydown", (event) => {
    if (!box.checked || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.closest("input:not([type=checkbox]), textarea, select")) return;
    const part = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (!part || performance.now() - opened < HASTE_MS) return;
    event.preventDefault();
    part.click();
  });
}
