"""Passages: nothing lost, nothing torn apart, the same for the same bytes."""

import random
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from corpus.chunking import MAX_CONTEXT_TOKENS, ChunkDraft, ChunkSettings, context_line, split
from corpus.embedding import get_embedder
from corpus.parsing.types import Page
from corpus.sentences import sentence_spans
from tests.corpora import pages_of

SHA = "f" * 64
SMALL = ChunkSettings(max_tokens=40, overlap_tokens=10)


def words(text: str) -> int:
    return len(text.split())


def chunks(text: str, settings: ChunkSettings = SMALL, **arguments: Any) -> list[ChunkDraft]:
    return chunks_of(pages_of(text), settings, **arguments)


def chunks_of(
    pages: Sequence[Page], settings: ChunkSettings = SMALL, **arguments: Any
) -> list[ChunkDraft]:
    values: dict[str, Any] = {"title": "Guide", "population": "adult"}
    values |= {"sha256": SHA, "count_tokens": words}
    return split(pages, settings=settings, **(values | arguments))


def prose(sentences: int, *, seed: int = 1) -> str:
    generator = random.Random(seed)
    vocabulary = "give dose level drug hour renal ward check stop infusion".split()
    return " ".join(
        f"S{n} " + " ".join(generator.choices(vocabulary, k=generator.randrange(3, 12))) + "."
        for n in range(sentences)
    )


RICH = f"""# Guide
Opening words.
## Dose
{prose(30)}
: Doses by weight
| Weight | Dose |
| Under 50 kg* | 1 g |
| 50 kg or more | 2 g |
^ * Halve in renal failure.
{prose(5, seed=2)}
### Children
- Give 10 mg.
- Stop at 16.
---
{prose(12, seed=3)}
## Empty heading
## Last
The end.
"""


def test_every_span_is_its_piece_of_a_page_and_the_text_their_sum() -> None:
    pages = {page.number: page.text for page in pages_of(RICH)}
    for chunk in chunks(RICH):
        pieces = [pages[page][start:end] for page, start, end in chunk.spans]
        assert chunk.text == "\n".join(pieces)
        assert all(piece == piece.strip() != "" for piece in pieces)
        assert chunk.page == chunk.spans[0][0]


def test_no_character_of_the_text_is_lost() -> None:
    """Headings live on in the section path; every other character stands in a passage."""
    for settings in (SMALL, ChunkSettings(12, 0), ChunkSettings(500, 100)):
        found = chunks(RICH, settings)
        for page in pages_of(RICH):
            covered = {
                place
                for chunk in found
                for number, start, end in chunk.spans
                if number == page.number
                for place in range(start, end)
            }
            for block in page.blocks:
                text = page.text[block.start : block.end]
                if block.kind == "heading" and "Empty" not in text:
                    continue
                missing = [
                    place
                    for place in range(block.start, block.end)
                    if place not in covered and not page.text[place].isspace()
                ]
                assert not missing, page.text[missing[0] : missing[-1] + 1]


def test_keys_and_indexes_count_up() -> None:
    found = chunks(RICH)
    assert [chunk.index for chunk in found] == list(range(len(found)))
    assert [chunk.key for chunk in found] == [f"{SHA}_p{c.page}_c{c.index}" for c in found]
    assert len({chunk.key for chunk in found}) == len(found)


def test_the_same_pages_give_the_same_passages() -> None:
    assert chunks(RICH) == chunks(RICH)


def test_a_passage_stays_within_its_size() -> None:
    for settings in (SMALL, ChunkSettings(60, 20), ChunkSettings(200, 40)):
        for chunk in chunks(RICH, settings):
            assert chunk.tokens <= settings.max_tokens
            assert chunk.tokens == words(f"{chunk.context}\n{chunk.text}")


def test_a_passage_never_leaves_its_section() -> None:
    by_path: dict[tuple[str, ...], str] = {}
    for chunk in chunks(RICH):
        by_path[chunk.section_path] = by_path.get(chunk.section_path, "") + chunk.text
    paths = [(), ("Dose",), ("Dose", "Children"), ("Last",)]
    assert [path for path in by_path if path in paths] == paths
    assert by_path[("Last",)] == "The end."
    assert "The end" not in by_path[("Dose", "Children")]


def test_a_heading_with_nothing_below_it_is_text() -> None:
    assert "Empty heading" in [chunk.text for chunk in chunks(RICH)]
    assert [chunk.text for chunk in chunks("# Other\n## Only headings")][-1] == "Only headings"


def test_sentences_are_whole_and_neighbours_overlap() -> None:
    found = chunks(f"## Dose\n{prose(40)}")
    assert len(found) > 3
    whole = {prose(40)[start:end] for start, end in sentence_spans(prose(40))}
    for before, after in pairwise(found):
        own = [after.text[start:end] for start, end in sentence_spans(after.text)]
        assert set(own) <= whole
        shared = set(own) & {before.text[s:e] for s, e in sentence_spans(before.text)}
        assert sum(words(sentence) for sentence in shared) <= SMALL.overlap_tokens


def test_some_neighbours_do_overlap() -> None:
    found = chunks(f"## Dose\n{prose(40)}", ChunkSettings(60, 20))
    pairs = pairwise(found)
    assert any(after.spans[0][1] < before.spans[-1][2] for before, after in pairs)


def test_a_table_is_one_passage_with_caption_header_and_footnotes() -> None:
    (table,) = [chunk for chunk in chunks(RICH) if "Weight | Dose" in chunk.text]
    assert table.text.splitlines() == [
        "Doses by weight",
        "Weight | Dose",
        "Under 50 kg* | 1 g",
        "50 kg or more | 2 g",
        "* Halve in renal failure.",
    ]


def test_a_table_that_must_be_split_repeats_its_header_and_cuts_no_row() -> None:
    rows = "\n".join(f"| Weight {n} kg | Dose of {n} mg daily |" for n in range(30))
    found = chunks(f"## Dose\n: Doses\n| Weight | Dose |\n{rows}")
    assert len(found) > 2
    for chunk in found:
        lines = chunk.text.splitlines()
        assert lines[:2] == ["Doses", "Weight | Dose"]
        assert all(line.count("|") == 1 for line in lines[1:])
    body = [line for chunk in found for line in chunk.text.splitlines()[2:]]
    assert body == [f"Weight {n} kg | Dose of {n} mg daily" for n in range(30)]


def test_a_sentence_that_is_too_long_is_cut_and_kept() -> None:
    long = " ".join(f"word{n}" for n in range(500))
    found = chunks(f"## Dose\n{long}.")
    assert all(chunk.tokens <= SMALL.max_tokens for chunk in found)
    assert " ".join(" ".join(chunk.text.split()) for chunk in found).count("word499") >= 1
    assert {word for chunk in found for word in chunk.text.split()} == set(f"{long}.".split())


def test_text_without_spaces_ends() -> None:
    found = chunks("x" * 5000, count_tokens=len)
    assert "".join(chunk.text for chunk in found).count("x") >= 5000


@pytest.mark.parametrize("pages", [[], [Page(1, "", ())], [Page(1, "  \n", ())]])
def test_nothing_gives_nothing(pages: list[Page]) -> None:
    assert chunks_of(pages) == []


def test_the_context_line() -> None:
    path = ("Dose", "Renal failure")
    assert context_line("Guide", path, "adult", words) == "Guide | Dose > Renal failure | adult"
    assert context_line("Guide", (), "", words) == "Guide"
    assert context_line("Guide", path, "", words) == "Guide | Dose > Renal failure"


def test_a_long_context_is_shortened_from_the_outside() -> None:
    path = tuple(f"Section {n} " + "word " * 20 for n in range(5))
    line = context_line("Guide", path, "adult", words)
    assert words(line) <= MAX_CONTEXT_TOKENS
    assert "Section 4" in line
    assert "Section 0" not in line
    assert line.endswith("| adult")
    assert words(context_line("word " * 500, path, "adult", words)) <= MAX_CONTEXT_TOKENS


def test_a_first_heading_that_repeats_the_title_is_no_section() -> None:
    (chunk,) = chunks("# The  guide\n## Dose\nGive 5 mg.", title="the Guide")
    assert chunk.section_path == ("Dose",)
    assert chunk.context == "the Guide | Dose | adult"


def test_with_the_real_tokenizer_passages_fit_what_the_encoder_reads() -> None:
    embedder = get_embedder()
    settings = ChunkSettings(embedder.max_tokens, 40)
    for chunk in chunks(RICH * 3, settings, count_tokens=embedder.count_tokens):
        assert chunk.tokens <= embedder.max_tokens


def test_any_pages_end_and_lose_nothing() -> None:
    generator = random.Random(9)
    lines = ["# A", "## B", "### C", "- item", "^ note", ": caption", "| a | b |", "Text one. Two.", "---", "é µ 10²"]  # fmt: skip  # noqa: E501
    for _ in range(200):
        text = "\n".join(generator.choices(lines, k=generator.randrange(1, 25)))
        pages = pages_of(text)
        found = chunks_of(pages, ChunkSettings(8, 2))
        kept = " ".join(f"{chunk.context} {chunk.text}" for chunk in found)
        kept += " ".join(part for chunk in found for part in chunk.section_path)
        for page in pages:
            for word in page.text.split():
                assert word in kept or word == "|", (text, word)
