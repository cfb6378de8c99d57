"""Write into a file, before docling reads it, what docling would drop.

Each text becomes HTML: raised digits are in `sup`, and what is struck out is not in it at all, only
a mark of it (`xml_text.STRUCK`), so that no later step can quote it.
"""

from __future__ import annotations

from html import escape
from typing import Any

from corpus.parsing.clean import clean_line
from corpus.parsing.published.xml_text import STRUCK

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_RUN, _FIELD, _BREAK = f"{_A}r", f"{_A}fld", f"{_A}br"
_TEXT, _LOOK = f"{_A}t", f"{_A}rPr"
_BESIDE = (f"{_A}pPr", f"{_A}endParaRPr")  # of the runs of a paragraph
_BULLETS = (f"{_A}buChar", f"{_A}buAutoNum", f"{_A}buBlip")
_NOTHING = "\ue010"  # in an empty cell, so that it is kept; cleaning removes it


def mark_slide(slide: Any) -> None:
    """Mark raised and struck texts of a slide, lists in cells, and empty cells, which may span.

    Text under a merged cell, which is not shown, is removed.
    """
    for paragraph in slide.element.iter(f"{_A}p"):
        _mark_paragraph(paragraph)
    for cell in slide.element.iter(f"{_A}tc"):
        paragraphs = list(cell.iter(f"{_A}p"))
        if {cell.get("hMerge"), cell.get("vMerge")} & {"1", "true"}:
            for paragraph in paragraphs:
                paragraph.getparent().remove(paragraph)
            cell.txBody.add_p()
            continue
        for paragraph in paragraphs:
            _mark_point(paragraph)
        if not "".join(text.text or "" for text in cell.iter(f"{_A}t")).strip():
            cell.txBody.add_p().add_r(_NOTHING)


def _mark_paragraph(paragraph: Any) -> None:
    """Mark the runs of a paragraph, and make them one, which docling reads sooner."""
    runs = list(paragraph.iterdescendants(_RUN, _FIELD, _BREAK))
    texts = [run.find(_TEXT) for run in runs]
    for run, text in zip(runs, texts, strict=True):
        if text is not None:
            text.text = _run(text.text or "", run.find(_LOOK))
    inside = [child for child in paragraph if child.tag not in _BESIDE]
    if inside == runs and len(runs) > 1 and texts[0] is not None:
        texts[0].text = "".join(" " if text is None else text.text for text in texts)
        for run in runs[1:]:
            paragraph.remove(run)


def _run(text: str, properties: Any) -> str:
    look = {} if properties is None else properties.attrib
    if look.get("strike", "noStrike") != "noStrike" and clean_line(text):
        return STRUCK
    raised = int(look.get("baseline", "0").rstrip("%") or 0)
    name = "sup" if raised > 0 else "sub" if raised < 0 else ""
    return f"<{name}>{escape(text)}</{name}>" if name else escape(text)


def _mark_point(paragraph: Any) -> None:
    properties = paragraph.find(f"{_A}pPr")
    texts = list(paragraph.iter(f"{_A}t"))
    if properties is None or not texts or not any(child.tag in _BULLETS for child in properties):
        return
    depth = int(properties.get("lvl", "0")) + 1
    texts[0].text = f'<ul depth="{depth}"><li>{texts[0].text or ""}'
    texts[-1].text = f"{texts[-1].text or ''}</li></ul>"
