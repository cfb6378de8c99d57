"""Test that what waits in review is published by grade of its doubts, and what is left is named."""

import csv
from pathlib import Path

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import call_command

from corpus.models import Document, Lifecycle
from corpus.parsing.types import Doubt
from corpus.selectors import spans_withheld
from corpus.services.indexing import document_index
from corpus.services.lifecycle import document_submit
from tests.corpus.documents import ingest

pytestmark = pytest.mark.django_db
VALUE, STRUCTURE, NOTE = "sign_misread", "text_in_columns", "text_turned"


def waiting(name: str, *codes: str) -> Document:
    """Store a document in review whose page has doubts of these codes."""
    document = ingest(f"# {name}\n\nGive 5 mg of {name}.".encode(), f"{name}.md", title=name)
    while document_index(document.pk):
        pass
    document_submit(document, by=None)
    doubts = [Doubt(code, f"Unsure: {code}.", 0, 4) for code in codes]
    stored = [{**vars(doubt), "grade": str(doubt.grade)} for doubt in doubts]
    document.pages.update(doubts=stored)
    return document


def states() -> dict[str, str]:
    return dict(Document.objects.values_list("title", "lifecycle"))


def three() -> None:
    waiting("value", VALUE, NOTE)
    waiting("structure", STRUCTURE, STRUCTURE)
    waiting("note", NOTE)


def test_all_but_values_in_doubt_are_published(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    three()
    call_command("publish", dry_run=True)
    assert set(states().values()) == {Lifecycle.REVIEW}
    call_command("publish", csv=tmp_path / "left.csv")
    assert states() == {
        "value": Lifecycle.REVIEW,
        "structure": Lifecycle.PUBLISHED,
        "note": Lifecycle.PUBLISHED,
    }
    out = capsys.readouterr().out
    assert "2 would be published, 1 left in review" in out
    assert f"Left in review: value.md: {VALUE} on page 1." in out
    assert "Their doubts: 1 of value, 0 of structure, 1 of note." in out
    with (tmp_path / "left.csv").open(encoding="utf-8") as stream:
        assert list(csv.reader(stream)) == [
            ["document", "page", "code", "grade"],
            ["value.md", "1", VALUE, "value"],
            ["value.md", "1", NOTE, "note"],
        ]


@pytest.mark.parametrize("despite", [False, True])
def test_a_page_scanned_badly_waits_without_any_doubt_too(*, despite: bool) -> None:
    waiting("scan").pages.update(ocr_confidence=0.89)
    waiting("clear scan").pages.update(ocr_confidence=0.9)
    call_command("publish", despite_doubts=despite)
    held = Lifecycle.PUBLISHED if despite else Lifecycle.REVIEW
    assert states() == {"scan": held, "clear scan": Lifecycle.PUBLISHED}


def test_despite_doubts_values_are_published_and_withheld(bob: User) -> None:
    document = waiting("value", VALUE)
    bob.is_superuser = True
    bob.save()
    call_command("publish", despite_doubts=True, publisher=bob.username)
    assert states() == {"value": Lifecycle.PUBLISHED}
    assert spans_withheld([document.pk]) == {(document.pk, 1): [(0, 4)]}
    assert "without a look at page 1" in LogEntry.objects.latest("pk").change_message


def test_a_second_person_is_needed_as_in_the_administration(
    settings: object, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.TWO_PERSON_PUBLISH = True  # type: ignore[attr-defined]
    waiting("note", NOTE)
    call_command("publish")
    assert states() == {"note": Lifecycle.REVIEW}
    assert "needs a second person" in capsys.readouterr().out


def test_files_and_collections_narrow_it(tmp_path: Path) -> None:
    three()
    (tmp_path / "note.md").write_bytes(b"# note\n\nGive 5 mg of note.")
    call_command("publish", str(tmp_path))
    assert states()["note"] == Lifecycle.PUBLISHED
    assert states()["structure"] == Lifecycle.REVIEW


@pytest.mark.parametrize("despite", [False, True])
def test_ingesting_what_is_here_publishes_it(tmp_path: Path, *, despite: bool) -> None:
    three()
    for name in ("value", "structure", "note"):
        (tmp_path / f"{name}.md").write_bytes(f"# {name}\n\nGive 5 mg of {name}.".encode())
    call_command("ingest", str(tmp_path), publish=True, despite_doubts=despite)
    held = Lifecycle.PUBLISHED if despite else Lifecycle.REVIEW
    assert states() == {
        "value": held,
        "structure": Lifecycle.PUBLISHED,
        "note": Lifecycle.PUBLISHED,
    }
