"""Cut one document into passages, from an order to rows, both of them JSON. No Django.

This runs in the sandbox's child process, since its work depends on an uploaded file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from core.language.en.statements.meaning import meaning_label
from corpus.boxes import Blocks
from corpus.chunking import ChunkDraft, ChunkSettings, split
from corpus.encoders.counting import TokenCounter
from corpus.figures import unordered_spans
from corpus.parsing import serialise
from corpus.parsing.types import Page
from corpus.positions import positions_of
from corpus.statements import PageView, Statement, VerbatimSpan, statements_of

CUT = "passages.json"  # what `write_cut` writes


@dataclass(frozen=True)
class Order:
    """The document to cut, and how. `pages` is the JSON of `corpus.parsing.types.Page` in order."""

    pages: Sequence[Mapping[str, Any]]
    title: str
    population: str
    sha256: str
    settings: ChunkSettings
    counter: TokenCounter


@dataclass(frozen=True)
class Passage:
    """A draft, its position in a document without pages, its meaning label and its statements."""

    draft: ChunkDraft
    position: str
    twins: str
    statements: tuple[Statement, ...]


def order_json(order: Order) -> str:
    return json.dumps(asdict(order), ensure_ascii=False)


def write_cut(order: Path, folder: Path) -> None:
    """Cut the pages in the JSON file `order`, and write their passages into `folder`."""
    raw = json.loads(order.read_text(encoding="utf-8"))
    raw["settings"] = ChunkSettings(**raw["settings"])
    raw["counter"] = TokenCounter(**raw["counter"])
    wanted = Order(**raw)
    whole = {"pages": list(wanted.pages), "engine": "", "title": "", "metadata": {}}
    pages = serialise.from_raw(whole).pages
    drafts = split(
        pages,
        title=wanted.title,
        population=wanted.population,
        sha256=wanted.sha256,
        settings=wanted.settings,
        count_tokens=wanted.counter.load(),
    )
    passages = passages_of(drafts, pages, title=wanted.title, population=wanted.population)
    text = json.dumps([asdict(passage) for passage in passages], ensure_ascii=False)
    (folder / CUT).write_text(text, encoding="utf-8")


def passages_from(text: str) -> list[Passage]:
    """Return the passages that `write_cut` wrote. Raises ParseError (`parser_output`)."""
    try:
        return [
            Passage(
                _draft(raw["draft"]),
                str(raw["position"]),
                str(raw["twins"]),
                tuple(_statement(each) for each in raw["statements"]),
            )
            for raw in json.loads(text)
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise serialise.unreadable_output() from error


def passages_of(
    drafts: Sequence[ChunkDraft], pages: Sequence[Page], *, title: str, population: str
) -> list[Passage]:
    """Return drafts with positions, labels and statements; `pages` are all of the document."""
    views = {
        page.number: PageView(
            page.text,
            [asdict(block) for block in page.blocks],
            unordered_spans([asdict(b) for b in page.blocks], [asdict(d) for d in page.doubts]),
        )
        for page in pages
    }
    is_one_run = len(pages) == 1 and not pages[0].width
    blocks: Blocks = views[pages[0].number].blocks if is_one_run else ()
    ends = [(draft.spans[0][1], draft.spans[-1][2]) for draft in drafts]
    made = statements_of([(draft.section_path, draft.spans) for draft in drafts], views)
    positions = positions_of(blocks, ends)
    label = partial(meaning_label, title=title, population=population)
    return [
        Passage(
            draft, position, label(draft.text, section_path=draft.section_path), tuple(statements)
        )
        for draft, position, statements in zip(drafts, positions, made, strict=True)
    ]


def _statement(raw: dict[str, Any]) -> Statement:
    pieces = tuple(
        VerbatimSpan(int(piece["page"]), int(piece["start"]), int(piece["end"]), str(piece["text"]))
        for piece in raw["pieces"]
    )
    table, row = (None if raw[name] is None else int(raw[name]) for name in ("table", "row"))
    return Statement(str(raw["text"]), pieces, str(raw["kind"]), str(raw["caption"]), table, row)


def _draft(raw: dict[str, Any]) -> ChunkDraft:
    spans = tuple((int(page), int(start), int(end)) for page, start, end in raw["spans"])
    return ChunkDraft(
        key=str(raw["key"]),
        index=int(raw["index"]),
        page=int(raw["page"]),
        section_path=tuple(str(heading) for heading in raw["section_path"]),
        context=str(raw["context"]),
        text=str(raw["text"]),
        spans=spans,
        tokens=int(raw["tokens"]),
    )
