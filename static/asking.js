"use strict";
// While a question is answered, say how far it is. htmx asks and swaps as ever; only the response is
// a stream of events, whose last holds what would have been the response. Without this file it is.

const STREAM = "text/event-stream";

function isStreamed(xhr) {
  return (xhr.getResponseHeader("Content-Type") || "").startsWith(STREAM);
}

// The whole events of a text that may still grow; a comment is none.
function eventsOf(text) {
  const whole = text.split("\n\n").slice(0, -1).filter((part) => !part.startsWith(":"));
  return whole.map((part) => {
    const [, name, data] = part.split("\n").map((line) => line.slice(line.indexOf(": ") + 2));
    return { name, data: JSON.parse(data) };
  });
}

function lastPage(xhr) {
  const last = eventsOf(xhr.responseText).pop();
  return last && last.name === "page" ? last.data : null;
}

// The words of a step stand in the page, with places for its numbers.
function tellStep(xhr) {
  const progress = document.getElementById("progress");
  const step = isStreamed(xhr) && eventsOf(xhr.responseText).pop();
  const words = step && progress && progress.dataset[step.name];
  if (!words || step.data.open === false || step.data.passages === 0) return;
  progress.textContent = words.replace(/\{(\w+)\}/g, (_, name) => step.data[name]);
}

document.addEventListener("htmx:configRequest", (event) => {
  if (event.target.id === "ask") event.detail.headers.Accept = STREAM;
});

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.id !== "ask") return;
  const { xhr } = event.detail;
  xhr.addEventListener("progress", () => tellStep(xhr));
  document.getElementById("progress").scrollIntoView({ block: "nearest" });
});

document.addEventListener("htmx:beforeOnLoad", (event) => {
  const { xhr } = event.detail;
  if (!isStreamed(xhr)) return;
  const page = lastPage(xhr);
  if (page && !page.location) return;
  event.preventDefault();
  if (!page) return say("failed");
  event.detail.keepIndicators = true;
  location.assign(page.location);
});

document.addEventListener("htmx:beforeSwap", (event) => {
  const { detail } = event;
  if (!isStreamed(detail.xhr)) return;
  const page = lastPage(detail.xhr);
  detail.serverResponse = page.html;
  if (page.reswap) detail.swapOverride = page.reswap;
  if (page.retarget) detail.target = document.querySelector(page.retarget);
});
