"""The command `evaluate silver` with teachers on loopback: sound, failing, slow and lying."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from bench.silver.teacher import PROMPT
from tests.chat.guidelines import QUESTION, publish_guideline
from tests.evaluation.question_runs.asking import ITEMS, stored_set
from tests.llm.server import Answer, Endpoint, completion, endpoint, raw, says, status
from tests.models import set_model

DOSE = "Adults get 5 mg of\ndemonstracillin daily."
PASSAGES = [
    {"question": "What dose do adults get?", "passage": DOSE},
    {"question": "What dose do adults get?", "passage": "Children get 2 mg daily."},
    {"question": "How often is it given?", "passage": DOSE, "more": 1},
]
SOUND = [
    {"claim": "Adults take 5 mg a day.", "label": "supported", "quote": "5 mg of demonstracillin"},
    {"claim": "Adults take 50 mg a day.", "label": "contradicted", "quote": "Adults get 5 mg"},
    {"claim": "It is given by mouth.", "label": "not_found", "quote": ""},
]
ELSEWHERE = [{"claim": "Adults take 5 mg.", "label": "not_found", "quote": ""}]


def claims(written: Any, **usage: int) -> Answer:
    body = completion(json.dumps({"claims": written}))
    return raw(json.dumps(body | ({"usage": usage} if usage else {})).encode())


def sound(handler: BaseHTTPRequestHandler) -> None:
    """Answer with claims that are right for the passage."""
    prompt = handler.request_body["messages"][0]["content"]  # type: ignore[attr-defined]
    claims(SOUND if DOSE in prompt else ELSEWHERE)(handler)


@contextmanager
def teaching(settings: Settings, default: Answer = sound) -> Iterator[Endpoint]:
    with endpoint(default) as server:
        set_model(settings, "teacher", server.url, model="teacher-1", key="key-of-the-teacher")
        yield server


@pytest.fixture
def passages(tmp_path: Path) -> Path:
    path = tmp_path / "passages.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in PASSAGES))
    return path


def silver(*arguments: object) -> str:
    out = io.StringIO()
    call_command("evaluate", "silver", *map(str, arguments), stdout=out)
    return out.getvalue()


def lines(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "silver.jsonl").read_text().splitlines()]


def test_each_line_says_what_a_passage_says_of_a_claim_and_who_says_so(
    passages: Path, tmp_path: Path, settings: Settings
) -> None:
    with teaching(settings) as server:
        said = silver("--passages", passages, "--out", tmp_path / "out")
    found = lines(tmp_path / "out")
    assert server.keys == ["Bearer key-of-the-teacher"] * 3
    assert {key: found[0][key] for key in ("question", "passage", "claim", "label", "quote")} == {
        "question": "What dose do adults get?",
        "passage": DOSE,
        "claim": "Adults take 5 mg a day.",
        "label": "supported",
        "quote": "5 mg of\ndemonstracillin",  # verbatim from the passage
    }
    assert {(each["teacher"], each["prompt"]) for each in found} == {("teacher-1", PROMPT.identity)}
    # The third answer repeats the first one's claims about the same passage: stored once.
    assert len(found) == 3 + 1
    assert "4 claims (1 supported, 1 contradicted, 2 not_found) of 2 questions" in said
    assert "3 passages shown, 360 tokens" in said  # 120 for each answer
    assert "left out, duplicates: 3" in said


def test_what_a_kill_tore_is_written_again_once(
    passages: Path, tmp_path: Path, settings: Settings
) -> None:
    """The log is cut before, within and after a line, and the file within a line."""
    out = tmp_path / "out"
    with teaching(settings) as server:
        silver("--passages", passages, "--out", out)
        whole, log = (out / "silver.jsonl").read_bytes(), (out / "asked.log").read_bytes()
        first_line = log.index(b"\n") + 1
        for kept in (0, 10, first_line, first_line + 10, len(log) - 1):
            (out / "asked.log").write_bytes(log[:kept])
            (out / "silver.jsonl").write_bytes(whole if kept else whole[:-5])
            silver("--passages", passages, "--out", out)
            assert (out / "silver.jsonl").read_bytes() == whole
            assert (out / "asked.log").read_bytes() == log
    assert len(server.asked) == 3 + 3 + 3 + 2 + 2 + 1


GARBAGE: dict[str, Answer] = {
    "no JSON": says("I would rather not."),
    "another form": says('{"claims": "none"}'),
    "a label that is none": claims([SOUND[0] | {"label": "true"}]),
    "a claim without a word": claims([SOUND[2] | {"claim": " - "}]),
    "a quote from elsewhere": claims([SOUND[0] | {"quote": "500 mg"}]),
    "no quote": claims([SOUND[1] | {"quote": " "}]),
    "two labels": claims([SOUND[0], SOUND[2] | {"claim": "adults take  5 mg a day"}]),
    "too many": claims([SOUND[2]] * 7),
    "no completion": raw(b"<html>"),
}


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_a_malformed_answer_is_counted_and_left_out_whole(
    passages: Path, tmp_path: Path, settings: Settings, garbage: Answer
) -> None:
    with teaching(settings) as server:
        server.script = [garbage]
        said = silver("--passages", passages, "--out", tmp_path / "out")
        asked = len(server.asked)
        silver("--passages", passages, "--out", tmp_path / "out")
        assert len(server.asked) == asked  # it would give the same answer
    assert "left out, malformed: 1" in said
    assert "4 claims (1 supported, 1 contradicted, 2 not_found) of 2 questions" in said
    assert [each["question"] for each in lines(tmp_path / "out")] == [
        "What dose do adults get?",
        *["How often is it given?"] * 3,
    ]


def test_a_teacher_that_is_away_ends_it_and_what_was_written_stays(
    passages: Path, tmp_path: Path, settings: Settings
) -> None:
    rows = [{"question": f"Which dose, {n}?", "passage": DOSE} for n in range(9)]
    passages.write_text("".join(json.dumps(each) + "\n" for each in rows))
    with teaching(settings, status(401)) as server:
        server.script = [sound]
        with pytest.raises(CommandError, match=r"status 401.*3 times.*key in \[teacher\]"):
            silver("--passages", passages, "--out", tmp_path / "out")
    assert len(lines(tmp_path / "out")) == 3


@pytest.mark.parametrize(
    ("budget", "shown", "name"),
    [
        (("--budget-questions", 1), 2, "questions"),
        (("--budget-questions", 2), 3, ""),
        (("--budget-tokens", 120), 1, "tokens"),
        (("--budget-tokens", 121), 2, "tokens"),
        (("--budget-tokens", 999), 3, ""),
    ],
)
def test_a_budget_counts_what_was_asked_before(
    passages: Path,
    tmp_path: Path,
    settings: Settings,
    budget: tuple[Any, ...],
    shown: int,
    name: str,
) -> None:
    with teaching(settings) as server:
        for _ in range(2):
            said = silver("--passages", passages, "--out", tmp_path / "out", *budget)
            assert len(server.asked) == shown
            assert (f"Ended by --budget-{name}" in said) if name else ("Ended" not in said)


def test_passages_that_can_not_be_shown_are_counted(
    passages: Path, tmp_path: Path, settings: Settings
) -> None:
    settings.IDENTIFIERS = "block"
    rows = [
        {"question": "Which dose?", "passage": "word " * 1500},
        {"question": "Which dose for Mr John Smith, born 3 May 1951?", "passage": DOSE},
    ]
    passages.write_text("".join(json.dumps(each) + "\n" for each in rows))
    with teaching(settings) as server:
        said = silver("--passages", passages, "--out", tmp_path / "out")
    assert not server.asked
    assert "left out, too long: 1" in said
    assert "left out, identifying: 1" in said
    assert "Smith" not in (tmp_path / "out" / "asked.log").read_text()


def test_the_generator_is_never_asked_in_the_teachers_place(
    passages: Path, tmp_path: Path, settings: Settings
) -> None:
    with endpoint(sound) as server:
        set_model(settings, "generate", server.url, model="writer")
        set_model(settings, "judge", server.url, model="judge")
        with pytest.raises(CommandError, match=r"No teacher.*in \[teacher\]"):
            silver("--passages", passages, "--out", tmp_path / "out")
        set_model(settings, "teacher", f"{server.url}/", model="writer")
        with pytest.raises(CommandError, match="must not learn from it"):
            silver("--passages", passages, "--out", tmp_path / "out")
    assert not server.asked
    assert not (tmp_path / "out").exists()


def test_passages_of_a_set_are_those_that_the_site_finds(
    db: None, tmp_path: Path, settings: Settings
) -> None:
    publish_guideline(picture=False)
    question_set = stored_set(ITEMS)
    with teaching(settings, claims(ELSEWHERE)):
        silver(question_set.pk, "--out", tmp_path / "out", "--budget-questions", 1)
    found = lines(tmp_path / "out")
    assert {each["question"] for each in found} == {QUESTION}
    assert any("500 mg" in " ".join(each["passage"].split()) for each in found)
