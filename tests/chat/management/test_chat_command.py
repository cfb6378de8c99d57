"""Test `manage.py chat`: a conversation in a terminal, typed or piped."""

import io
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from chat.models import AuditEvent, Channel, Conversation, Mode, Turn
from chat.terminal import opened
from chat.web.refusals import ADVICE, ADVICE_ALONE
from core.errors import MedragError
from corpus.models import Document, Lifecycle
from corpus.services.lifecycle import document_withdraw
from tests.corpora import publish

ROOT = Path(__file__).resolve().parents[3]
DOSE = "Give demonstracillin 500 mg by mouth every 8 hours to adults with pneumonia."
CHILD = "Give demonstracillin 250 mg by mouth every 8 hours to children with pneumonia."
QUESTION = "What is the dose of demonstracillin for adults with pneumonia?"
TUNGSTEN = "What is the boiling point of tungsten?"


@pytest.fixture
def guideline(db: None) -> Document:
    return publish(f"# Pneumonia\n## Treatment\n{DOSE}\n\n{CHILD}\n\nCall the ward for advice.")


def talked(monkeypatch: pytest.MonkeyPatch, *lines: str, **options: Any) -> tuple[str, str]:
    """Return standard output and standard error of a conversation of these lines."""
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    call_command("chat", stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def test_piped_questions_are_answered_and_nothing_else_is_said(
    guideline: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, errors = talked(monkeypatch, QUESTION, "", TUNGSTEN)
    assert said.startswith(f"Question: {QUESTION}\n")
    assert f"Treatment: {DOSE}" in said
    assert "No answer (WEAK_EVIDENCE)" in said
    assert errors == ""
    assert not Turn.objects.exclude(channel=Channel.COMMAND, user=None).exists()
    assert not Conversation.objects.exists()


@pytest.mark.parametrize("named", [True, False])
def test_a_question_goes_on_from_the_one_before(
    guideline: Document, monkeypatch: pytest.MonkeyPatch, alice: User, named: bool
) -> None:
    options = {"user": "alice"} if named else {}
    said, _ = talked(monkeypatch, QUESTION, "And for children?", **options)
    assert "Read as: " in said
    assert CHILD in said
    second = Turn.objects.latest("created_at")
    assert "demonstracillin" in second.standalone
    if named:
        conversation = Conversation.objects.get(user=alice)
        assert conversation.turns.count() == 2
        assert conversation.title == QUESTION


def test_a_new_conversation_knows_nothing_of_the_old(
    guideline: Document, monkeypatch: pytest.MonkeyPatch, alice: User
) -> None:
    said, _ = talked(monkeypatch, QUESTION, "new", "And for children?", "history", user="alice")
    assert "A new conversation has started." in said
    assert Conversation.objects.filter(user=alice).count() == 2
    assert "demonstracillin" not in Turn.objects.latest("created_at").standalone
    assert said.splitlines()[-1] == "  1. And for children? (refused)"


def test_a_citation_opens_amid_its_page(
    guideline: Document, monkeypatch: pytest.MonkeyPatch, alice: User
) -> None:
    said, errors = talked(monkeypatch, QUESTION, "open 1", user="alice")
    cited = Turn.objects.get().claims.get().citations.get()
    assert f"Pneumonia (1.0), {cited.place}, /source/citation/{cited.pk}/" in said
    assert f"»{DOSE}«" in said
    assert "Call the ward for advice." in said
    assert errors == ""
    event = AuditEvent.objects.get(action="source.opened")
    assert (event.actor, event.subject) == (f"user:{alice.pk}:alice", f"document:{guideline.pk}")


def test_a_long_page_is_shown_around_the_words(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    filler = "Wash hands before each contact and after it. " * 40
    publish(f"# Pneumonia\n## Hygiene\n{filler}\n## Treatment\n{DOSE}\n## After\n{filler}")
    said, _ = talked(monkeypatch, QUESTION, "open 1")
    opened = said[said.index("/source/") :]
    assert f"»{DOSE}«" in opened
    assert "… " in opened
    assert opened.rstrip().endswith(" …")
    assert len(opened) < 1200


def test_a_refusal_says_what_to_do_and_its_passages_open(
    guideline: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, _ = talked(monkeypatch, "How is pneumonia in adults diagnosed?", "open 1")
    turn = Turn.objects.get()
    assert turn.reason
    assert f"  {ADVICE[turn.reason]}" in said  # type: ignore[index]
    assert "[1] Pneumonia" in said
    assert f"/source/{guideline.sha256}/1/?chunk={guideline.sha256}" in said
    assert "»" in said


def test_a_misspelt_question_is_offered_right(
    guideline: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, _ = talked(monkeypatch, "How is pneunonia in adults diagnosed?")
    assert "Did you mean: How is pneumonia in adults diagnosed?" in said


def test_a_refusal_without_passages_sends_nobody_to_them(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, errors = talked(monkeypatch, TUNGSTEN, "open 1")
    turn = Turn.objects.get()
    assert f"  {ADVICE_ALONE[turn.reason]}" in said  # type: ignore[index]
    assert errors == "The last answer has no citation [1].\n"


def test_what_cannot_be_done_is_said_and_the_conversation_goes_on(
    guideline: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (
        "open 1", "?", QUESTION, "open 7", "open 0", "mode strict", "mode confident", "quit", "x",
    )  # fmt: skip
    said, errors = talked(monkeypatch, *lines)
    assert errors.splitlines()[0].startswith("Nothing was asked yet")
    assert "Please type a question" in errors
    assert "The last answer has no citation [7]." in errors
    assert "The last answer has no citation [0]." in errors
    assert "There is no mode strict. Modes: " in errors
    assert "add [judge] to MEDRAG_MODELS" in errors
    assert DOSE in said
    assert Turn.objects.count() == 1  # lines after `quit` are not asked


def test_a_document_out_of_force_opens_with_a_warning_and_a_closed_one_not(
    guideline: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    talked(monkeypatch, QUESTION)
    turn = Turn.objects.get()
    publisher = User.objects.create_superuser("publisher")
    document_withdraw(guideline, by=publisher, reason="Harm.")
    assert "  Note: " in opened(turn, 1, user=None)
    Document.objects.filter(pk=guideline.pk).update(lifecycle=Lifecycle.DRAFT)
    with pytest.raises(MedragError, match="no longer open to you"):
        opened(turn, 1, user=None)


def test_modes_are_those_of_ask(guideline: Document, monkeypatch: pytest.MonkeyPatch) -> None:
    said, _ = talked(monkeypatch, "mode", "mode Faithful", QUESTION, mode="standard")
    assert said.startswith("Mode: standard. Modes of this site: ")
    assert "Mode: faithful." in said
    assert Turn.objects.get().mode == Mode.FAITHFUL


def test_who_is_not_known_does_not_ask(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match="no active user nobody"):
        talked(monkeypatch, QUESTION, user="nobody")


@contextmanager
def terminal() -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run the command in a pseudo-terminal; yield the process and the user's end."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "manage.py", "chat"],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings", "TERM": "dumb"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield process, ours
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def read_until(ours: int, words: str) -> str:
    said = b""
    with suppress(OSError):  # the other end was closed
        while not words or words.encode() not in said:
            part = os.read(ours, 4096)
            if not part:
                break
            said += part
    return said.decode()


def interrupt(process: subprocess.Popen[bytes]) -> None:
    """Send Ctrl-C until the process ends: between two reads it may be ignored."""
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["end", "interrupt"])
def test_a_person_leaves_by_a_key(own_database: str, key: str) -> None:
    publish(f"# Pneumonia\n## Treatment\n{DOSE}")
    with terminal() as (process, ours):
        assert "Type a question" in read_until(ours, "> ")
        os.write(ours, f"{QUESTION}\n".encode())
        said = read_until(ours, "\n> ")  # answer and prompt may come in one piece
        assert DOSE in " ".join(said.split())
        if key == "end":
            os.write(ours, b"\x04")
        else:
            interrupt(process)
        rest = read_until(ours, "")
        assert process.wait(timeout=30) == 0
        assert "Traceback" not in rest
