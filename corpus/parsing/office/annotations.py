"""Tell captions and notes of tables from paragraphs, for the formats that do not say so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from corpus.parsing.drafts import Draft, Drafted, DraftTable
from corpus.parsing.layout.styles import CAPTION
from corpus.parsing.types import BlockKind

_NOTE = re.compile(r"^(?:[*†‡§¶#]+|[⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠ]+|[a-f])\s")


def annotate(drafts: Iterable[Drafted]) -> list[Drafted]:
    """Return drafts with captions and notes of tables as such, by their words and places."""
    result: list[Drafted] = []
    for draft in drafts:
        if isinstance(draft, Draft) and draft.kind is BlockKind.PARAGRAPH:
            draft = replace(draft, kind=_kind_beside_table(draft.text, result))
        if isinstance(draft, DraftTable) and result and not draft.caption:
            above = result[-1]
            if isinstance(above, Draft) and above.kind is BlockKind.CAPTION:
                draft = replace(draft, caption=above.text)
        result.append(draft)
    return result


def _kind_beside_table(text: str, before: Sequence[Drafted]) -> BlockKind:
    if CAPTION.match(text):
        return BlockKind.CAPTION
    last = before[-1] if before else None
    below_table = isinstance(last, DraftTable) or (
        isinstance(last, Draft) and last.kind is BlockKind.FOOTNOTE
    )
    return BlockKind.FOOTNOTE if below_table and _NOTE.match(text) else BlockKind.PARAGRAPH
