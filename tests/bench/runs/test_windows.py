"""Sliding windows: what each contains, and a database filled with them."""

import hashlib
from itertools import pairwise

import pytest

from bench.runs.bulk_load import PlainDocument, documents_load
from bench.runs.configurations import Window
from bench.runs.windows import cut_by, windows_of
from corpus.encoders.registry import get_embedder
from corpus.models import Chunk, Document
from tests import corpora

SIZES = (Window(128, 64), Window(256, 128), Window(512, 256))


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
