"""Test that passages lose nothing, break nothing, and are the same for the same bytes."""

import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core.language.en.sentences import sentence_spans
from corpus.chunking import MAX_CONTEXT_TOKENS, ChunkDraft, ChunkSettings, context_line, split
from corpus.encoders.registry import get_embedder
from corpus.parsing.serialise import to_json
from corpus.parsing.tables.contents import mark_contents
from corpus.parsing.types import Page, ParsedDocument
from tests.corpora import pages_of
from tests.corpus.chunking.passages import check_passages

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
    return split(mark_contents(pages), settings=settings, **(values | arguments))


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


SIZES = [
    SMALL,
    ChunkSettings(12, 0),
    ChunkSettings(60, 20),
    ChunkSettings(200, 40),
    ChunkSettings(200, 40, reserved_tokens=41),
    ChunkSettings(550, 125),
]


@pytest.mark.parametrize("sizes", SIZES, ids=lambda sizes: sizes.recipe)
def test_any_size_keeps_every_character_and_every_place(sizes: ChunkSettings) -> None:
    pages = pages_of(RICH)
    found = chunks(RICH, sizes)
    check_passages(found, pages, title="Guide", settings=sizes, count_tokens=words)
    assert found == chunks(RICH, sizes)


def test_the_same_pages_give_the_same_passages_in_every_process() -> None:
    script = (
        "import sys\n"
        "from corpus.chunking import ChunkSettings, split\n"
        "from corpus.parsing.serialise import from_json\n"
        "pages = from_json(sys.stdin.read()).pages\n"
        "print(split(pages, title='Guide', population='adult', sha256='f' * 64,\n"
        "      settings=ChunkSettings(40, 10), count_tokens=lambda text: len(text.split())))\n"
    )
    parsed = to_json(ParsedDocument(pages_of(RICH), "test"))
    made = {
        subprocess.run(
            [sys.executable, "-c", script],
            input=parsed,
            env={"PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
            cwd=Path(__file__).resolve().parents[3],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "42")
    }
    assert len(made) == 1
    assert made.pop().count("ChunkDraft(") > 20


def test_a_table_of_contents_makes_no_passage() -> None:
    entries = [f"- 1.{n} Doses of gentamicin {'.' * (30 - n)} {n + 1}" for n in range(1, 9)]
    contents = "\n".join(["# Contents", *entries[:4], "- A title on", *entries[4:]])
    form = "# Form\nName ........ Date ........\nWard ........\nWeight ...... kg"
    found = chunks(f"{contents}\n---\n# Doses\nGive gentamicin.\n---\n{form}")
    assert "".join(chunk.text for chunk in found).count("gentamicin") == 1
    assert {chunk.page for chunk in found} == {2, 3}
    assert chunks(contents), "a document that is nothing else stays as it is"
    doses = "\n".join(f"- {n} kg {'.' * 20} {n * 5}" for n in range(40, 90, 10))
    bleeps = "\n".join(f"- Ward {n} {'.' * 20} {9 - n}" for n in range(1, 9))
    assert {chunk.page for chunk in chunks(f"{doses}\n---\n{bleeps}")} == {1, 2}


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


def wide(columns: int, rows: int, *, header: str = "Column") -> str:
    head = " | ".join(f"{header} {n}" for n in range(columns))
    body = [" | ".join(f"r{row}c{n}" for n in range(columns)) for row in range(rows)]
    return "## Dose\n: Doses\n" + "\n".join(f"| {line} |" for line in [head, *body])


@pytest.mark.parametrize("columns", range(2, 40))
def test_a_wide_table_is_cut_within_its_size_and_loses_nothing(columns: int) -> None:
    """With headers from a tenth of a passage to more than a whole one."""
    text = wide(columns, rows=12)
    settings = ChunkSettings(60, 10)
    found = chunks(text, settings)
    check_passages(found, pages_of(text), title="Guide", settings=settings, count_tokens=words)


def test_a_header_of_more_than_a_third_is_still_repeated() -> None:
    text = wide(8, rows=12)
    found = chunks(text, ChunkSettings(60, 10))
    header = " | ".join(f"Column {n}" for n in range(8))
    assert words(header) > 60 // 3
    assert len(found) > 2
    assert all(chunk.text.splitlines()[1] == header for chunk in found)
    assert all(chunk.text.splitlines()[0] == "Doses" for chunk in found)


def test_a_caption_gives_way_to_the_header() -> None:
    rows = "\n".join(f"| {n} kg | {n} mg |" for n in range(60))
    text = f"## Dose\n: {'Doses and more ' * 9}\n| Weight | Dose |\n{rows}"
    found = chunks(text, ChunkSettings(60, 10))
    assert all("Weight | Dose" in chunk.text.splitlines()[0] for chunk in found)
    assert sum("Doses and more" in chunk.text for chunk in found) == 1


def test_a_sentence_as_long_as_a_passage_stays_whole() -> None:
    long = " ".join(f"word{n}" for n in range(30)) + "."
    found = chunks(f"## Dose\nGive it. {long} Stop it.", SMALL)
    assert any(long in chunk.text for chunk in found)


def test_the_line_above_is_indexed_with_the_text_and_never_quoted() -> None:
    (chunk,) = chunks("## Renal failure\nHalve it.")
    assert chunk.context == "Guide | Renal failure | adult"
    assert chunk.text == "Halve it."
    assert chunk.tokens == words(f"{chunk.context}\n{chunk.text}")


def test_sizes_shrink_in_proportion_where_the_encoder_reads_less() -> None:
    wanted = ChunkSettings(550, 125)
    assert wanted.bounded(8190) == wanted
    assert wanted.bounded(510).recipe == "sections 442/100"
    assert wanted.bounded(254).recipe == "sections 220/50"
    assert ChunkSettings(100, 30).bounded(254) == ChunkSettings(100, 30)


def test_a_recipe_names_the_sizes() -> None:
    assert SMALL.recipe == "sections 40/10"
    assert replace(SMALL, reserved_tokens=41).recipe == "sections 40/10 -41"


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
    settings = ChunkSettings(550, 125).bounded(embedder.max_tokens)
    found = chunks(RICH * 3, settings, count_tokens=embedder.count_tokens)
    assert max(chunk.tokens for chunk in found) <= settings.max_tokens == 220


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
