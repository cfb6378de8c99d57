"""Test disabling and enabling a passage, and what stays disabled after another chunking."""

import pytest
from django.contrib.auth.models import User
from django.dispatch import Signal

from corpus import signals
from corpus.models import Chunk, Document
from corpus.review.disabled_passages import still_disabled
from corpus.services.documents import NotNow, document_reindex
from corpus.services.indexing import document_index
from corpus.services.lifecycle import ReasonNeeded
from corpus.services.passages import chunk_disable, chunk_enable
from tests.corpus.documents import ingest
from tests.corpus.listening import refused


@pytest.fixture
def chunk(db: None) -> Chunk:
    document = ingest()
    document_index(document.pk)
    return document.chunks.get(text__contains="calcium gluconate")


def test_who_when_and_why_is_kept_until_it_is_enabled(chunk: Chunk, alice: User) -> None:
    chunk_disable(chunk, by=alice, reason=" Wrong\x00 dose. ")
    assert (chunk.disabled_by, chunk.disabled_reason) == (alice, "Wrong dose.")
    assert chunk.disabled_at is not None
    chunk_enable(chunk, by=alice)
    stored = Chunk.objects.values_list("disabled_at", "disabled_by", "disabled_reason")
    assert list(stored.get(pk=chunk.pk)) == [None, None, ""]


def test_it_takes_a_reason(chunk: Chunk, alice: User) -> None:
    with pytest.raises(ReasonNeeded):
        chunk_disable(chunk, by=alice, reason=" \x00\n")
    assert Chunk.objects.get(pk=chunk.pk).disabled_at is None


def test_of_two_the_second_is_told_and_changes_nothing(
    chunk: Chunk, alice: User, bob: User
) -> None:
    late = Chunk.objects.get(pk=chunk.pk)
    chunk_disable(chunk, by=alice, reason="First.")
    with pytest.raises(NotNow):
        chunk_disable(late, by=bob, reason="Second.")
    assert Chunk.objects.get(pk=chunk.pk).disabled_reason == "First."
    chunk_enable(chunk, by=alice)
    with pytest.raises(NotNow):
        chunk_enable(late, by=bob)


@pytest.mark.parametrize("signal", [signals.chunk_disabled, signals.chunk_enabled])
def test_what_can_not_be_recorded_does_not_happen(
    chunk: Chunk, alice: User, signal: Signal
) -> None:
    if signal is signals.chunk_enabled:
        chunk_disable(chunk, by=alice, reason="Wrong.")
    before = Chunk.objects.get(pk=chunk.pk).disabled_at
    with refused(signal, lambda: Chunk.objects.get(pk=chunk.pk).disabled_at != before):
        if before:
            chunk_enable(chunk, by=alice)
        else:
            chunk_disable(chunk, by=alice, reason="Wrong.")
    assert Chunk.objects.get(pk=chunk.pk).disabled_at == before


def test_it_stays_disabled_when_the_document_is_read_again(chunk: Chunk, alice: User) -> None:
    chunk_disable(chunk, by=alice, reason="Wrong dose.")
    document = Document.objects.get(pk=chunk.document_id)
    count = document.chunks.count()
    document_reindex(document, by=alice)
    document_index(document.pk)
    again = document.chunks.get(text=chunk.text)
    assert (again.pk != chunk.pk, again.disabled_at) == (True, chunk.disabled_at)
    assert (again.disabled_by, again.disabled_reason) == (alice, "Wrong dose.")
    assert document.chunks.filter(disabled_at=None).count() == count - 1


OLD = "Give 10 mL of calcium gluconate 10 % over 5 minutes when the ECG has changed."


@pytest.mark.parametrize(
    ("cut", "stays"),
    [
        (["Other.", OLD], {1: 0}),
        ([OLD.replace(" ", "\n"), OLD + " Then call."], {0: 0}),  # the same text alone
        (["Before. " + OLD, "Nothing of it."], {0: 0}),
        ([OLD[:40], "Give 20 units of insulin."], {0: 0}),  # a part of the text
        ([OLD[:35], OLD[35:]], {0: 0, 1: 0}),
        ([OLD.replace("10 mL", "20 mL")], {0: 0}),  # another text: somebody has to look at it
        ([], {}),
        (["..."], {}),
    ],
)
def test_what_holds_much_of_it_or_is_a_piece_of_it_is_it(
    cut: list[str], stays: dict[int, int]
) -> None:
    assert still_disabled([OLD], cut) == stays


def test_a_disabled_passage_without_words_hides_no_other() -> None:
    assert still_disabled(["- - -"], ["Give 1 mg.", "- - -"]) == {1: 0}
    assert still_disabled(["- - -"], ["Give 1 mg."]) == {}
