"""Windows that slide over a text: what each holds, and that a database is filled with them."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from pathlib import Path

import pytest

from bench.ablations.switches import Cut, switches
from bench.datasets import read_dataset
from bench.runs.child_tasks import ChildTask, Source, read_errand, write_errand
from bench.runs.configurations import Recipe, Window
from bench.runs.databases import name_for
from bench.runs.windows import cut_by, windows_of
from corpus.encoders.registry import get_embedder
from corpus.models import Chunk, Document
from corpus.services.bulk_load import PlainDocument, documents_load
from retrieval.config import RetrievalConfig
from tests import corpora
from tests.evaluation import made_up

SIZES = (Window(128, 64), Window(256, 128), Window(512, 256))


@pytest.mark.parametrize(
    ("sizes", "window", "found"),
    [
        ([], Window(4, 2), []),
        ([1] * 4, Window(4, 2), [(0, 4)]),
        ([1] * 7, Window(4, 2), [(0, 4), (2, 6), (4, 7)]),
        ([1] * 5, Window(4, 4), [(0, 4), (4, 5)]),
        ([3, 3, 3], Window(4, 2), [(0, 1), (1, 2), (2, 3)]),
        ([9, 1, 1], Window(4, 2), [(0, 1), (1, 3)]),  # a word that is longer than any window
        ([1, 1, 9], Window(4, 2), [(0, 2), (2, 3)]),
        ([0, 2, 0, 2, 0], Window(2, 1), [(0, 3), (2, 5)]),
    ],
)
def test_windows_begin_a_stride_apart(
    sizes: list[int], window: Window, found: list[tuple[int, int]]
) -> None:
    assert list(windows_of(sizes, window)) == found


@pytest.mark.parametrize("window", SIZES)
def test_no_word_is_left_out_and_neighbours_share_half(window: Window) -> None:
    sizes = [1 + number % 4 for number in range(900)]
    found = list(windows_of(sizes, window))
    assert {word for first, stop in found for word in range(first, stop)} == set(range(900))
    for (first, stop), (following, _) in pairwise(found):
        assert window.tokens - 4 < sum(sizes[first:stop]) <= window.tokens
        assert window.stride <= sum(sizes[first:following]) < window.stride + 4


@pytest.mark.django_db
def test_a_database_is_filled_with_them() -> None:
    text = " ".join(f"Word {number}." for number in range(100)) + "\nAnd a last line."
    digest = hashlib.sha256(text.encode()).hexdigest()
    plain = PlainDocument(digest, "long", "Long", text, len(text))
    documents_load([plain], collection=corpora.shelf(), cut=cut_by(Window(128, 64)))
    page = Document.objects.get().pages.get()
    chunks = list(Chunk.objects.order_by("index"))
    assert len(chunks) > 3
    for chunk in chunks:
        ((_, start, end),) = chunk.spans
        assert page.text[start:end] == chunk.text
        assert get_embedder().count_tokens(chunk.text) <= 128
        assert (chunk.context, chunk.section_path) == ("Long", [])
    assert chunks[-1].text.endswith("And a last line.")
    starts = [chunk.spans[0][1] for chunk in chunks]
    ends = [chunk.spans[0][2] for chunk in chunks]
    assert all(start < end for start, end in zip(starts[1:], ends, strict=False))


def test_each_has_a_row_and_a_database_of_its_own(tmp_path: Path) -> None:
    rows, _ = switches(RetrievalConfig(), set(), Cut(220, 50))
    recipes = {row.recipe.window: row.recipe for row in rows if row.recipe.window}
    assert tuple(recipes) == SIZES
    dataset = read_dataset(made_up.write_beir(tmp_path / "made"), form="beir")
    names = [name_for(dataset, recipe) for recipe in (Recipe(), *recipes.values())]
    assert len(set(names)) == 4


def test_the_child_is_told_the_window(tmp_path: Path) -> None:
    for window in (None, Window(128, 64)):
        errand = ChildTask(Source("/data", "beir"), (), "/out", window=window)
        write_errand(tmp_path / "errand.json", errand)
        assert read_errand(tmp_path / "errand.json") == errand
