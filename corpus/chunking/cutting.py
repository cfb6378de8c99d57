"""One document cut into passages, from an order to rows, both of which are JSON. No Django.

This runs in the sandbox's child: what it takes depends on what somebody uploaded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from corpus.boxes import Blocks
from corpus.chunking import ChunkDraft, ChunkSettings, split
from corpus.chunking.given import take_passages
from corpus.chunking.near_duplicates import meaning_label
from corpus.chunking.types import Strategy
from corpus.encoders.counting import TokenCounter
from corpus.parsing import serialise, sniff
from corpus.parsing.published.exchanged import read_passages
from corpus.positions import positions_of

CUT = "passages.json"  # what `write_cut` writes


@dataclass(frozen=True)
class Order:
    """What is cut, and how. `pages` is the JSON of `corpus.parsing.types.Page` in order.

    What came in as passages has no `pages` here: it is read from the file itself.
    """

    media_type: str
    pages: Sequence[Mapping[str, Any]]
    title: str
    population: str
    sha256: str
    settings: ChunkSettings
    counter: TokenCounter


@dataclass(frozen=True)
class Passage:
    """A draft, where it stands in a document without pages, and the label of what it says."""

    draft: ChunkDraft
    position: str
    twins: str


def order_json(order: Order) -> str:
    return json.dumps(asdict(order), ensure_ascii=False)


def write_cut(document: Path, order: Path, folder: Path) -> None:
    """Do what the file `order` says with the stored `document`; write the passages into `folder`.

    Raises ParseError for passages of the document that can't be read.
    """
    wanted = _order(json.loads(order.read_text(encoding="utf-8")))
    passages = labelled(
        _drafts(document, wanted),
        blocks=_blocks_without_pages(wanted.pages),
        title=wanted.title,
        population=wanted.population,
    )
    text = json.dumps([asdict(passage) for passage in passages], ensure_ascii=False)
    (folder / CUT).write_text(text, encoding="utf-8")


def passages_from(text: str) -> list[Passage]:
    """Return the passages that `write_cut` wrote. Raises ParseError (`parser_output`)."""
    try:
        return [
            Passage(_draft(raw["draft"]), str(raw["position"]), str(raw["twins"]))
            for raw in json.loads(text)
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise serialise.unreadable_output() from error


def labelled(
    drafts: Sequence[ChunkDraft], *, blocks: Blocks, title: str, population: str
) -> list[Passage]:
    """Return drafts with their labels; `blocks` are those of a document without pages."""
    spans = [(draft.spans[0][1], draft.spans[-1][2]) for draft in drafts]
    return [
        Passage(draft, position, _twins(draft, title, population))
        for draft, position in zip(drafts, positions_of(blocks, spans), strict=True)
    ]


def _blocks_without_pages(pages: Sequence[Mapping[str, Any]]) -> Blocks:
    """Return the blocks of a document that is one run of text; none of one with pages."""
    is_one = len(pages) == 1 and not pages[0]["width"]
    return pages[0]["blocks"] if is_one else ()


def _twins(draft: ChunkDraft, title: str, population: str) -> str:
    return meaning_label(
        draft.text, title=title, section_path=draft.section_path, population=population
    )


def _drafts(document: Path, order: Order) -> list[ChunkDraft]:
    about = {"title": order.title, "population": order.population, "sha256": order.sha256}
    if order.media_type == sniff.PASSAGES:
        return take_passages(read_passages(document), **about, count_tokens=order.counter.load())
    whole = {"pages": list(order.pages), "engine": "", "title": "", "metadata": {}}
    return split(
        serialise.from_raw(whole).pages,
        **about,
        settings=order.settings,
        count_tokens=order.counter.load(),
    )


def _order(raw: dict[str, Any]) -> Order:
    raw["settings"]["strategy"] = Strategy(raw["settings"]["strategy"])
    raw["settings"] = ChunkSettings(**raw["settings"])
    return Order(**{**raw, "counter": TokenCounter(**raw["counter"])})


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
