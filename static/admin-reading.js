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
