"""The command `evaluate silver`: what it sends, keeps, continues and refuses."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django import Settings

from bench.silver.teaching import FAILURES, FILE
from corpus.models import Collection, Lifecycle
from evaluation.models import QuestionSet
from tests.corpora import publish
from tests.llm.server import Endpoint, endpoint, replies, says, status
from tests.llm.teacher import teaching
from tests.models import set_model, unset_models

TEXT = """# Cellulitis
Give flucloxacillin 500 mg by mouth four times daily for seven days.

Review the leg after two days and mark the edge of the redness with a pen.

Do not give antibiotics for eczema without signs of infection.
"""
STATEMENTS = 3


@pytest.fixture
def teacher(db: None, settings: Settings) -> Iterator[Endpoint]:
    with endpoint(replies(teaching)) as server:
        set_model(settings, "teacher", server.url, model="teacher-1")
        yield server


@pytest.fixture
def cellulitis(db: None) -> None:
    publish(TEXT)


def silver(*arguments: object) -> str:
    out = io.StringIO()
    call_command("evaluate", "silver", *map(str, arguments), stdout=out)
    return out.getvalue()


def rows_in(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / FILE).read_text().splitlines()]


@pytest.mark.usefixtures("cellulitis")
def test_statements_in_force_become_labelled_claims(teacher: Endpoint, tmp_path: Path) -> None:
    publish(TEXT.replace("Cellulitis", "Old"), title="Old", lifecycle=Lifecycle.WITHDRAWN)
    said = silver("documents", "--limit", 9, "--out", tmp_path)
    rows = rows_in(tmp_path)
    assert len(rows) == STATEMENTS
    assert {row["title"] for row in rows} == {"Cellulitis"}
    (dose,) = (row for row in rows if "500 mg" in row["statement"])
    assert dose["statement"].rstrip(".") in dose["true"]
    false = {each["text"]: each["label"] for each in dose["false"]}
    assert {label for text, label in false.items() if "5005 mg" in text} == {"contradicted"}
    assert "not_found" in false.values()
    assert [each["style"] for each in dose["questions"]] == ["asked"]
    assert f"{len(rows)} rows" in said
    assert len(teacher.asked) == 2 * STATEMENTS


@pytest.mark.usefixtures("cellulitis")
def test_a_file_is_continued_and_nothing_is_asked_twice(teacher: Endpoint, tmp_path: Path) -> None:
    silver("documents", "--limit", 1, "--out", tmp_path)
    first = rows_in(tmp_path)
    with (tmp_path / FILE).open("a") as stream:
        stream.write('{"id": "cut off by a kill')
    silver("documents", "--limit", 1, "--out", tmp_path)
    assert rows_in(tmp_path)[:1] == first
    silver("documents", "--limit", 9, "--out", tmp_path)
    assert len({row["id"] for row in rows_in(tmp_path)}) == len(rows_in(tmp_path)) == STATEMENTS
    assert len(teacher.asked) == 2 * STATEMENTS
    silver("documents", "--limit", 9, "--out", tmp_path / "anew")
    assert rows_in(tmp_path / "anew") == rows_in(tmp_path)


@pytest.mark.usefixtures("cellulitis", "teacher")
def test_another_teacher_does_not_continue_a_file(settings: Settings, tmp_path: Path) -> None:
    silver("documents", "--limit", 1, "--out", tmp_path)
    before = (tmp_path / FILE).read_bytes()
    set_model(settings, "teacher", settings.MODELS.teacher.url, model="teacher-2")
    with pytest.raises(CommandError, match="another teacher"):
        silver("documents", "--limit", 1, "--out", tmp_path)
    assert (tmp_path / FILE).read_bytes() == before


@pytest.mark.usefixtures("cellulitis")
def test_claims_that_two_runs_label_otherwise_are_left_out(
    teacher: Endpoint, tmp_path: Path
) -> None:
    said = silver("documents", "--limit", 9, "--twice", "--out", tmp_path / "agrees")
    assert "two runs agree on 100.0%" in said
    calls = 0

    def wavering(shown: Any) -> str:
        nonlocal calls
        calls += "judgements" in (answer := teaching(shown))
        return answer.replace("supported", "not_found") if calls % 2 else answer

    teacher.default = replies(wavering)
    said = silver("documents", "--limit", 9, "--twice", "--out", tmp_path / "wavers")
    rows = rows_in(tmp_path / "wavers")
    assert not any(row["true"] for row in rows)
    assert any(len(set(labels)) == 2 for row in rows for labels in row["labels"])
    assert "two runs agree on 100.0%" not in said


@pytest.mark.usefixtures("cellulitis")
def test_a_teacher_that_is_away_ends_it_and_an_unusable_answer_is_kept(
    teacher: Endpoint, tmp_path: Path
) -> None:
    teacher.script = [says("no JSON")]
    silver("documents", "--limit", 1, "--out", tmp_path)
    assert [row["labels"] for row in rows_in(tmp_path)] == [[]]
    teacher.default = status(401)
    publish(TEXT.replace("leg", "arm").replace("eczema", "hives").replace("500", "250"), title="B")
    with pytest.raises(CommandError, match=f"{FAILURES} times in a row"):
        silver("documents", "--limit", 9, "--out", tmp_path)
    assert len(rows_in(tmp_path)) == 1


def test_a_closed_collection_is_only_for_who_may_search_it(
    teacher: Endpoint, alice: User, tmp_path: Path
) -> None:
    publish(TEXT, collection="closed")
    closed = Collection.objects.get(slug="closed")
    group = alice.groups.create(name="closed to others")
    closed.searchers.add(group)
    silver("documents", "--limit", 9, "--out", tmp_path / "nobody")
    assert not teacher.asked
    silver("documents", "--limit", 9, "--asker", "alice", "--out", tmp_path / "alice")
    assert len(rows_in(tmp_path / "alice")) == STATEMENTS


@pytest.mark.usefixtures("cellulitis")
def test_gold_answers_are_split_and_questions_are_sent_only_when_told(
    teacher: Endpoint, tmp_path: Path
) -> None:
    made = QuestionSet.objects.create(name="mine")
    gold = "Give flucloxacillin 500 mg four times daily. Give it with gentamicin."
    made.questions.create(
        key="1", kind="answerable", question="What for cellulitis in 86f?", gold_answer=gold
    )
    about = "Mr John Smith, NHS 943 476 5919, has cellulitis of the leg?"
    made.questions.create(key="2", kind="answerable", question=about, gold_answer=gold)
    silver("mine", "--limit", 9, "--out", tmp_path / "without")
    (row,) = rows_in(tmp_path / "without")
    assert row["true"] == ["Give flucloxacillin 500 mg four times daily."]
    assert [each["text"] for each in row["false"]] == ["Give it with gentamicin."]
    assert row["questions"] == []
    assert not any("86f" in prompt for prompt in teacher.prompts)
    silver("mine", "--limit", 9, "--with-questions", "--out", tmp_path / "with")
    assert any("86f" in prompt for prompt in teacher.prompts)
    assert not any("943" in prompt for prompt in teacher.prompts)


def test_without_a_teacher_or_a_limit_nothing_is_sent(
    teacher: Endpoint, settings: Settings, tmp_path: Path
) -> None:
    with pytest.raises(CommandError, match="--limit"):
        silver("documents", "--out", tmp_path)
    set_model(settings, "generate", "http://127.0.0.1:9/v1", model="teacher-1")
    with pytest.raises(CommandError, match="no model labels its own"):
        silver("answers", "--limit", 1, "--out", tmp_path)
    unset_models(settings, "teacher")
    with pytest.raises(CommandError, match="teacher"):
        silver("documents", "--limit", 1, "--out", tmp_path)
    assert not teacher.asked
