"""The command `evaluate checker` from files to figures, with an NLI model and an endpoint."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django import Settings

from bench.checker.measure import BATCH, check_pairs
from bench.datasets.pairs import read_pairs, read_scifact_pairs
from chat.evidence.judgements import Label
from chat.verification.entailment.judge import LanguageModelJudge
from core.llm.client import Endpoint
from evaluation.datasets.types import DatasetError
from tests.chat.verification.judging import replying
from tests.chat.verification.verifiers import make_nli
from tests.llm.server import endpoint, says, status
from tests.models import set_model

QUOTE = "Give 5 mg daily."
ROWS = [
    {"claim": QUOTE, "evidence": QUOTE, "label": "supported"},
    {"claim": "Give 50 mg daily.", "evidence": QUOTE, "label": "contradicted"},
    {"claim": "Give gentamicin.", "evidence": QUOTE, "label": "not_found", "kind": "drug"},
    {"claim": "Give 5 mg.", "evidence": "Give it. " * 20 + QUOTE, "label": "supported"},
]


def written(folder: Path, rows: list[Any]) -> Path:
    path = folder / "pairs.jsonl"
    path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows) + "\n")
    return path


def checker(*arguments: object) -> str:
    out = io.StringIO()
    call_command("evaluate", "checker", *map(str, arguments), stdout=out)
    return out.getvalue()


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return written(tmp_path, ROWS)


def test_the_bundled_checker_is_measured_and_kept(db: None, pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    said = checker("--pairs", pairs, "--out", out)
    metrics = json.loads((out / "metrics.json").read_text())
    found = metrics["verifiers"]["checker"]
    assert list(metrics["verifiers"]) == ["checker"]
    assert found["accuracy"]["n"] == 4
    assert sum(map(sum, found["confusion"])) == 4
    assert found["ms_a_pair"] > 0
    assert (out / "report.md").read_text().strip() in said
    judged = [json.loads(line) for line in (out / "judgements.jsonl").read_text().splitlines()]
    labels = {"supported", "contradicted", "not_found"}
    assert all(each["said"]["checker"]["label"] in labels for each in judged)
    assert "gentamicin" not in (out / "judgements.jsonl").read_text()


def test_every_configured_verifier_is_measured(
    db: None, pairs: Path, tmp_path: Path, settings: Settings
) -> None:
    set_model(settings, "verifier", model=str(make_nli(tmp_path / "nli")))
    rows = [
        {"claim": "yes 5 mg", "evidence": "confirms 5 mg", "label": "supported"},
        {"claim": "no 5 mg", "evidence": "denies 5 mg", "label": "contradicted"},
        {"claim": "unknown 5 mg", "evidence": "is 5 mg", "label": "not_found"},
    ]
    with endpoint(replying()) as server:
        set_model(settings, "judge", server.url, model="judge-1")
        checker("--pairs", written(tmp_path, rows), "--out", tmp_path / "out")
    found = json.loads((tmp_path / "out" / "metrics.json").read_text())["verifiers"]
    assert list(found) == ["checker", "nli", "llm"]
    assert found["nli"]["confusion"] == found["llm"]["confusion"] == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]  # noqa: E501  # fmt: skip


def test_a_verifier_that_fails_is_counted_and_no_figure_is_made_up(
    db: None, pairs: Path, tmp_path: Path, settings: Settings
) -> None:
    with endpoint(status(401)) as server:
        server.script = [says("yes")]  # the call that checks whether it answers
        set_model(settings, "judge", server.url, model="judge-1")
        said = checker("--pairs", pairs, "--verifier", "llm", "--out", tmp_path / "out")
    found = json.loads((tmp_path / "out" / "metrics.json").read_text())["verifiers"]["llm"]
    assert found["failed"]["pairs"] == 4
    assert (found["ECE"], found["ms_a_pair"]) == (None, None)
    wrong = "0.000 (0.000 to 0.000, n 4)"
    assert f"| llm | - | {wrong} | - | - | - | - | - | 4 | - | - | 0 |" in said
    assert "| supported | 0 | 0 | 0 |" in said
    assert found["accuracy"]["n"] == 0
    assert found["accuracy, failures wrong"] == {"mean": 0.0, "low": 0.0, "high": 0.0, "n": 4}
    assert "llm, 4 of 4 pairs without a judgement: The judge" in said
    assert "status 401" in said
    judged = (tmp_path / "out" / "judgements.jsonl").read_text().splitlines()
    assert json.loads(judged[0])["said"] == {"llm": None}


def test_a_judge_that_does_not_answer_is_found_out_before_hours_of_judging(
    db: None, pairs: Path, tmp_path: Path, settings: Settings
) -> None:
    with endpoint(status(401)) as server:
        set_model(settings, "judge", server.url, model="judge-1")
        with pytest.raises(CommandError, match=r"status 401.*key in \[judge\].*Nothing was"):
            checker("--pairs", pairs, "--out", tmp_path / "out")
    assert len(server.asked) == 1
    assert not (tmp_path / "out").exists()


def test_a_file_is_read_in_order_and_known_by_its_content(tmp_path: Path) -> None:
    found = read_pairs(written(tmp_path, ["", *ROWS]))
    assert [pair.id for pair in found.pairs] == ["2", "3", "4", "5"]
    assert [pair.label.value for pair in found.pairs] == [row["label"] for row in ROWS]
    assert found.digest == read_pairs(written(tmp_path, ["", *ROWS])).digest
    assert found.digest != read_pairs(written(tmp_path, ["", *ROWS[:3]])).digest
    with pytest.raises(DatasetError, match="holds no pair"):
        read_pairs(written(tmp_path, [""]))


def test_a_call_that_fails_takes_only_its_own_pairs(tmp_path: Path) -> None:
    rows = [{"claim": f"yes {n}", "evidence": "e", "label": "supported"} for n in range(2 * BATCH)]
    with endpoint(replying()) as server:
        server.script.append(says("nonsense"))
        judge = LanguageModelJudge([Endpoint(server.url, "judge-1")])
        result = check_pairs(read_pairs(written(tmp_path, rows)), judge, timeout_s=10)
    labels = [judgement and judgement.label for judgement in result.judgements]
    assert labels == [None] * BATCH + [Label.SUPPORTED] * BATCH
    assert list(result.notes.values()) == [BATCH]
    assert sorted(result.failures) == list(range(BATCH))


def made_scifact(folder: Path) -> Path:
    folder.mkdir()
    abstract = ["Drug A lowers fever. ", "It was a trial.", "Drug B does nothing for pain."]
    corpus = [{"doc_id": n, "title": f"T{n}", "abstract": abstract} for n in (7, 8)]
    claims = [
        {
            "id": 1, "claim": "Drug A lowers fever.", "cited_doc_ids": [7, 8],
            "evidence": {"7": [{"sentences": [0], "label": "SUPPORT"},
                               {"sentences": [0, 1], "label": "SUPPORT"}]},
        },
        {
            "id": 2, "claim": "Drug B helps against pain.", "cited_doc_ids": [7],
            "evidence": {"7": [{"sentences": [2], "label": "CONTRADICT"}]},
        },
        {"id": 3, "claim": "Pain is a trial.", "cited_doc_ids": [8], "evidence": {}},
    ]  # fmt: skip
    for name, rows in (("corpus.jsonl", corpus), ("claims_train.jsonl", claims)):
        (folder / name).write_text("\n".join(json.dumps(row) for row in rows))
    return folder


def test_scifact_gives_pairs_with_their_marked_sentences(tmp_path: Path) -> None:
    found = read_scifact_pairs(made_scifact(tmp_path / "scifact"))
    rows = [(pair.id, pair.evidence, pair.label.value, pair.context) for pair in found.pairs]
    assert rows == [
        ("1/7/0", "Drug A lowers fever.", "supported", "T7"),
        ("1/7/1", "Drug A lowers fever. It was a trial.", "supported", "T7"),
        ("1/8/0", "Drug A lowers fever.", "not_found", "T8"),
        ("2/7/0", "Drug B does nothing for pain.", "contradicted", "T7"),
        ("3/8/0", "It was a trial.", "not_found", "T8"),
    ]
