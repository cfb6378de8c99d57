"""Test `manage.py ask`: one JSON object and nothing else, or text for people."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from chat.models import Channel, Turn
from corpus.models import Lifecycle
from tests.corpora import publish

ROOT = Path(__file__).resolve().parents[3]
DOSE = "Give demonstracillin 500 mg by mouth every 8 hours to adults with pneumonia."
QUESTION = "What is the dose of demonstracillin for adults with pneumonia?"
TOP = set(
    "status reason message recalled mode standalone plain option warnings withheld owner claims "
    "nearest hidden confidence turn".split()
)
TODAY = set(
    "issuer journal year population lifecycle effective_from review_by overdue stopped".split()
)
PAINTED = set("boxes page_size link picture token_link token_picture".split())
PLACE = (
    TODAY
    | PAINTED
    | set("document reference version sha256 page page_label position section section_path".split())
)
CITATION = {*PLACE, "quote", "ocr_confidence", "corrected"}
NEAREST = {"excerpt", *PLACE, "text"}


def run(*arguments: str) -> str:
    out, err = StringIO(), StringIO()
    call_command("ask", *arguments, stdout=out, stderr=err)
    assert err.getvalue() == ""
    return out.getvalue()


def asked(*arguments: str) -> dict[str, Any]:
    result = json.loads(run(*arguments, "--json"))
    assert isinstance(result, dict)
    return result


@pytest.fixture
def guideline(db: None) -> str:
    return publish(f"# Pneumonia\n## Treatment\n{DOSE}").sha256


def test_an_answer_has_exactly_this_shape(guideline: str) -> None:
    answer = asked(QUESTION)
    assert answer.keys() == TOP
    assert (answer["status"], answer["reason"], answer["nearest"]) == ("answered", None, [])
    assert 0.5 < answer["confidence"] <= 1.0
    (claim,) = answer["claims"]
    fields = {"number", "text", "under", "kind", "left_out", "row", "citations", "figures"}
    assert claim.keys() == fields
    assert claim["text"] == DOSE
    (cited,) = claim["citations"]
    assert cited.keys() == CITATION
    assert {name: cited[name] for name in CITATION - TODAY - PAINTED} == {
        "document": "Pneumonia", "reference": "Pneumonia, version 1.0, page 1, Treatment",
        "version": "1.0", "sha256": guideline, "page": 1, "page_label": None, "position": None,
        "section": "Treatment", "section_path": ["Treatment"], "quote": DOSE,
        "ocr_confidence": None, "corrected": [],
    }  # fmt: skip
    assert cited["link"].startswith("/source/citation/")  # without a host
    turn = Turn.objects.get(pk=answer["turn"])
    assert (turn.channel, turn.user) == (Channel.COMMAND, None)


def test_a_refusal_has_the_same_shape(guideline: str) -> None:
    """A refusal is no failure: the command exits 0."""
    refusal = asked("What is the boiling point of tungsten?")
    assert refusal.keys() == TOP
    assert (refusal["status"], refusal["reason"]) == ("abstained", "WEAK_EVIDENCE")
    assert refusal["claims"] == []
    assert all(passage.keys() == NEAREST for passage in refusal["nearest"])
    assert Turn.objects.filter(pk=refusal["turn"]).exists()


@pytest.mark.parametrize("question", ["", "   ", "?", "x" * 100_000])
def test_what_cannot_be_asked_is_an_error_in_one_sentence(db: None, question: str) -> None:
    with pytest.raises(CommandError) as error:
        run(question, "--json")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200
    assert not Turn.objects.exists()


def test_limits_to_a_collection(guideline: str) -> None:
    assert asked(QUESTION, "--collection", "general")["status"] == "answered"
    assert asked(QUESTION, "--collection", "elsewhere")["reason"] == "NO_EVIDENCE"


def test_text_for_people(guideline: str) -> None:
    text = run(QUESTION)
    assert f"1. Pneumonia › Treatment: {DOSE}" in text
    for part in ("Pneumonia", "page 1", "Treatment", f"“{DOSE}”", "Check the cited page"):
        assert part in text
    refusal = run("What is the boiling point of tungsten?")
    assert "No answer (WEAK_EVIDENCE)" in refusal


def test_text_of_a_refusal_names_the_owner_and_calls_the_nearest_no_answer(db: None) -> None:
    publish(f"# Pneumonia\n{DOSE}", lifecycle=Lifecycle.WITHDRAWN)
    text = run(QUESTION)
    assert "No answer (ONLY_OUT_OF_DATE)" in text
    assert "no answer" in text.replace("No answer", "", 1)
    assert "Dr general, 4417" in text


def process(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "ask", *arguments],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_a_process_prints_one_object_and_exits_0(own_database: str) -> None:
    publish(f"# Pneumonia\n## Treatment\n{DOSE}")
    done = process(QUESTION, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["claims"][0]["text"] == DOSE


def test_a_process_that_cannot_ask_exits_1_with_nothing_on_its_output(own_database: str) -> None:
    done = process("", "--json")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" not in done.stderr
    assert "Please type a question" in done.stderr


def test_a_refusal_says_what_alone_was_searched(guideline: str) -> None:
    narrowed = run(QUESTION, "--population", "child", "--year-to", "2023")
    assert "No answer" in narrowed
    assert "  Searched only: child, up to 2023." in narrowed.splitlines()
    assert "Searched only" not in run("What is the boiling point of tungsten?")
