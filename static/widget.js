"use strict";
// For other pages of the hospital: a frame with the box for questions, after the tag of this script.
// It reads nothing of that page, and keeps and sends nothing.
{
  const tag = document.currentScript;
  const frame = document.createElement("iframe");
  frame.src = new URL("/widget/", tag.src).href;
  frame.title = tag.dataset.title || "MedRAG";
  frame.width = "100%";
  frame.height = tag.dataset.height || "600";
  tag.after(frame);
}
