"""Teacher, checker and rules compared on labelled pairs, with figures computed by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from bench.checker.verifiers import Rules, megabytes
from chat.verification.entailment.checker import FOLDER
from chat.verification.types import Evidence, Label, Pair
from evaluation.models import Run
from tests.chat.verification.judging import replying
from tests.llm.judges import always, judging
from tests.llm.server import endpoint, replies, says, status
from tests.models import set_model

QUOTE = "Give 5 mg daily."
LINES: list[dict[str, Any]] = [
    {"question": "q", "passage": QUOTE, "claim": QUOTE, "label": "supported"},
    {"question": "q", "passage": QUOTE, "claim": "Give 50 mg daily.", "label": "contradicted"},
    {"question": "q", "passage": QUOTE, "claim": "It helps the heart.", "label": "not_found"},
    {"question": "q", "passage": QUOTE, "claim": "Each day 5 mg is given.", "label": "supported"},
]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "silver.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in LINES))
    return path


def test_they_stand_beside_each_other_with_what_they_cost(
    db: None, pairs: Path, tmp_path: Path, settings: Settings
) -> None:
    out = tmp_path / "out"
    with endpoint(replies(judging(always("supported")))) as server:
        server.script = [says("yes")]  # the call that checks whether it answers
        set_model(settings, "teacher", server.url, model="teacher-1")
        names = [word for name in ("teacher", "rules") for word in ("--verifier", name)]
        call_command("evaluate", "checker", "--pairs", pairs, *names, "--out", out)
    found = json.loads((out / "metrics.json").read_text())["verifiers"]
    assert list(found) == ["teacher", "rules"]

    teacher, rules = found["teacher"], found["rules"]
    assert teacher["confusion"] == [[2, 0, 0], [1, 0, 0], [1, 0, 0]]
    assert teacher["accuracy"]["mean"] == pytest.approx(2 / 4)
    # F1 of supported: 2 * 2 / (2 * 2 + 2 wrongly called); of the others 0.
    assert teacher["macro F1"]["mean"] == pytest.approx((4 / 6 + 0 + 0) / 3)
    assert (teacher["megabytes"], teacher["tokens"]) == (None, 100 + 20)  # one call

    # A verbatim claim, one with another number, and two in other words.
    assert rules["confusion"] == [[1, 0, 1], [0, 1, 0], [0, 0, 1]]
    assert rules["accuracy"]["mean"] == pytest.approx(3 / 4)
    assert rules["macro F1"]["mean"] == pytest.approx((2 / 3 + 1 + 2 / 3) / 3)
    assert (rules["megabytes"], rules["tokens"]) == (0, 0)

    size = sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) / 1e6
    assert megabytes("checker") == pytest.approx(size)
    report = (out / "report.md").read_text().splitlines()
    (head,) = [row for row in report if row.startswith("| verifier |")]
    assert head.endswith("| pairs/s | MB | ms a pair | tokens |")
    cells = {row.split(" | ")[0].strip("| "): row.strip(" |").split(" | ") for row in report if row.startswith("| ")}  # noqa: E501  # fmt: skip
    assert cells["teacher"][-3] == "-"
    assert cells["teacher"][-1] == "120"
    assert cells["rules"][-3] == "0.0"
    for name, each in found.items():
        assert cells[name][-2] == f"{1000 / each['pairs_per_s']:.1f}"
    kept = {run.name: run.latency_ms["pair"]["mean"] for run in Run.objects.all()}
    assert kept == {n: pytest.approx(1000 / each["pairs_per_s"]) for n, each in found.items()}


def test_a_teacher_that_judges_only_some_pairs_is_no_judgement(
    db: None, pairs: Path, tmp_path: Path, settings: Settings
) -> None:
    with endpoint(replying()) as server:  # with no reply for these claims
        server.script = [says("yes"), says("garbage")]
        set_model(settings, "teacher", server.url, model="teacher-1")
        call_command("evaluate", "checker", "--pairs", pairs, "--verifier", "teacher", "--out", tmp_path / "out")  # noqa: E501  # fmt: skip
    found = json.loads((tmp_path / "out" / "metrics.json").read_text())["verifiers"]["teacher"]
    assert found["failed"]["pairs"] == 4
    assert found["accuracy"]["n"] == 0


def test_without_a_teacher_nothing_is_measured(
    db: None, pairs: Path, tmp_path: Path, settings: Settings
) -> None:
    command = ("evaluate", "checker", "--pairs", pairs, "--verifier", "teacher", "--out", tmp_path / "out")  # noqa: E501  # fmt: skip
    with pytest.raises(CommandError, match=r"in \[teacher\] of MEDRAG_MODELS"):
        call_command(*command)
    with endpoint(status(401)) as server:
        set_model(settings, "teacher", server.url, model="teacher-1")
        with pytest.raises(CommandError, match=r"status 401.*key in \[teacher\].*Nothing was"):
            call_command(*command)
        set_model(settings, "generate", server.url, model="teacher-1")
        with pytest.raises(CommandError, match="must not learn from it"):
            call_command(*command)
    assert len(server.asked) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("claim", "label", "opposite"),
    [
        (QUOTE, Label.SUPPORTED, 0.0),
        ("Give 50 mg daily.", Label.CONTRADICTED, 1.0),
        ("Five milligrams are given each day.", Label.NOT_FOUND, 0.0),
    ],
)
def test_rules_say_what_the_exact_checks_say(claim: str, label: Label, opposite: float) -> None:
    (said,) = Rules().judge([Pair(claim, Evidence((QUOTE,)))], timeout_s=1)
    assert (said.label, said.contradiction) == (label, opposite)
    assert said.score == float(label is Label.SUPPORTED)
