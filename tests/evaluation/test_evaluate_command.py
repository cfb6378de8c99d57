"""The whole command, with the processes and databases that it makes, beside a corpus in use."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import override_settings
from django.utils import timezone

from corpus.models import Document, IndexStatistics, Lexeme
from evaluation.databases import database_drop, databases_kept
from evaluation.models import ItemScore, Kind, Run, TestSet
from evaluation.trec import read_qrels, read_run
from retrieval.pipeline import retrieve
from retrieval.types import Query, Rights
from tests import corpora
from tests.evaluation import made_up

pytestmark = pytest.mark.slow


@pytest.fixture
def no_others(own_database: str) -> Iterator[None]:
    """What a test makes beside its own database is dropped after it."""
    before = {kept.name for kept in databases_kept()}
    yield
    for kept in databases_kept():
        if kept.name not in before:
            database_drop(kept.name)


def evaluate(*arguments: str) -> str:
    out = io.StringIO()
    call_command("evaluate", *arguments, stdout=out)
    return out.getvalue()


def retrieval(folder: Path, out: Path, *more: str) -> str:
    where = ("--dataset", str(folder), "--format", "beir", "--out", str(out))
    return evaluate("retrieval", *where, *more)


def index_of_the_users() -> tuple[object, ...]:
    totals = IndexStatistics.objects.values_list("chunks", "total_length").get()
    return totals, Document.objects.count(), sorted(Lexeme.objects.values_list())


def test_a_run_from_files_to_files_and_again(no_others: None, tmp_path: Path) -> None:
    corpora.publish("# Gentamicin\nGive gentamicin once daily here.")
    before = index_of_the_users()
    folder, out = made_up.write_beir(tmp_path / "made"), tmp_path / "out"
    said = retrieval(folder, out)
    assert "indexing 12 documents" in said
    assert "| nDCG@10 |" in said

    run, qrels = read_run(out / "run.trec"), read_qrels(out / "qrels.trec")
    assert qrels == made_up.QRELS
    assert set(run) == set(made_up.QUERIES)
    assert all({d for d, _ in found} <= {d[0] for d in made_up.DOCUMENTS} for found in run.values())
    assert [run[q][0][0] for q in ("q1", "q2", "q4")] == ["d01", "d03", "d10"]
    for found in run.values():
        assert (np.diff(np.array([score for _, score in found], dtype=np.float32)) < 0).all()

    metrics = json.loads((out / "metrics.json").read_text())
    assert set(metrics["nDCG@10"]) == {"mean", "low", "high", "n"}
    assert metrics["nDCG@10"]["n"] == 5
    assert metrics["success@1"]["mean"] == np.mean([run[q][0][0] in _relevant(q) for q in qrels])
    assert metrics["latency_ms"]["whole"]["p95"] > 0
    assert metrics["index"]["documents"] == 12
    assert metrics["index"]["bytes_in_all"] > 0
    assert len(metrics["dataset"]["digest"]) == 64

    stored = Run.objects.get()
    assert stored.kind == Kind.RETRIEVAL
    assert stored.metrics["nDCG@10"] == metrics["nDCG@10"]
    assert stored.fingerprints["retrieval"] == metrics["configuration"]["fingerprint"]
    assert ItemScore.objects.filter(run=stored).count() == 5

    # The users' search and its statistics know nothing of it.
    assert index_of_the_users() == before
    query = Query("antidote for paracetamol", on=timezone.localdate(), rights=Rights.ALL)
    assert {hit.title for hit in retrieve(query).hits} <= {"Gentamicin"}

    # A second call uses the same database and finds the same.
    (kept,) = [k for k in databases_kept() if k.note.get("name") == "made/test"]
    again = retrieval(folder, tmp_path / "again")
    assert "12 documents are indexed already" in again
    assert (tmp_path / "again" / "run.trec").read_bytes() == (out / "run.trec").read_bytes()
    assert TestSet.objects.count() == 1
    assert kept.name in evaluate("databases")

    # Two folders are compared query by query.
    lexical = tmp_path / "lexical"
    retrieval(folder, lexical, "--config", "lexical")
    assert "| nDCG@10 | " in evaluate("compare", str(out), str(lexical))

    # On a server that others share, `drop all` leaves what is not known to be of this site.
    assert kept.is_ours
    with other_key():
        assert f"{kept.name} is left" in evaluate("drop", "all")
        assert "not known to be this site's" in evaluate("databases")
    assert f"{kept.name} is dropped" in evaluate("drop", kept.name)
    assert kept.name not in evaluate("databases")


def other_key() -> AbstractContextManager[None]:
    return override_settings(SECRET_KEY="of another site")  # type: ignore[return-value]


def _relevant(query: str) -> set[str]:
    return {document for document, gain in made_up.QRELS[query].items() if gain}


def test_other_documents_get_another_database(no_others: None, tmp_path: Path) -> None:
    before = {kept.name for kept in databases_kept()}
    retrieval(made_up.write_beir(tmp_path / "one"), tmp_path / "out1", "--limit", "1")
    retrieval(made_up.write_bigger_beir(tmp_path / "two"), tmp_path / "out2", "--limit", "1")
    assert len({kept.name for kept in databases_kept()} - before) == 2
    report = (tmp_path / "out1" / "report.md").read_text()
    assert "only a part: 1 queries" in report


def test_an_ablation(no_others: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import evaluation.ablation as ablation

    monkeypatch.setattr(ablation, "_SEARCHES", ablation._SEARCHES[:1])
    wanted = ablation._recipes(220, 50)[-1:]
    monkeypatch.setattr(ablation, "_recipes", lambda tokens, overlap: wanted)
    folder = made_up.write_beir(tmp_path / "made")
    out = tmp_path / "out"
    where = ("--dataset", str(folder), "--format", "beir", "--out", str(out))
    said = evaluate("ablation", *where)
    assert "| lexical alone (exact BM25) |" in said
    assert "| without context line | without context line |" in said
    table = json.loads((out / "ablation.json").read_text())
    assert [row["configuration"]["name"] for row in table["switches"]] == [
        "lexical alone (exact BM25)",
        "without context line",
    ]
    assert all(0 < row["difference"]["p_holm"] <= 1 for row in table["switches"])
    assert len(list((out / "runs").glob("*/run.trec"))) == 3
    assert Run.objects.filter(kind=Kind.ABLATION).count() == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("retrieval",), "--dataset DIR, --format and --out DIR are needed"),
        (("compare", "one"), "Name two folders"),
        (("compare", "/nowhere", "/nowhere"), "holds no metrics.json"),
        (("drop",), "Name databases"),
        (("drop", "medrag"), "not a database of the evaluation"),
        (("drop", "evaluation_00000000"), "can't be dropped"),
        (("work",), "is started by"),
    ],
)
def test_what_is_wrong_is_said(own_database: str, arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        evaluate(*arguments)


def written(folder: Path, *, metrics: object, scores: str = '{"MRR": {"q1": 0.5}}') -> str:
    folder.mkdir()
    (folder / "metrics.json").write_text(json.dumps(metrics))
    (folder / "scores.json").write_text(scores)
    return str(folder)


def test_runs_of_different_data_sets_are_not_compared(own_database: str, tmp_path: Path) -> None:
    first = written(tmp_path / "a", metrics={"dataset": {"digest": "a"}})
    second = written(tmp_path / "b", metrics={"dataset": {"digest": "b"}})
    with pytest.raises(CommandError, match="of different data sets"):
        evaluate("compare", first, second)
    same = written(tmp_path / "c", metrics={"dataset": {"digest": "a"}})
    assert "| MRR | +0.0000 " in evaluate("compare", first, same)
    none = written(tmp_path / "d", metrics=[])
    with pytest.raises(CommandError, match=r"holds no metrics.json"):
        evaluate("compare", first, none)
    broken = written(tmp_path / "e", metrics={"dataset": {"digest": "a"}}, scores="{")
    with pytest.raises(CommandError, match=r"holds no scores.json"):
        evaluate("compare", first, broken)


def test_a_configuration_that_is_none_is_refused_before_anything_is_done(
    own_database: str, tmp_path: Path
) -> None:
    folder = made_up.write_beir(tmp_path / "made")
    with pytest.raises(CommandError, match="fusion must be one of"):
        retrieval(folder, tmp_path / "out", "--config", "fusion=wrong")
    assert not (tmp_path / "out").exists()


def test_the_step_of_the_child_refuses_any_other_database(
    own_database: str, tmp_path: Path
) -> None:
    errand = {
        "source": {"folder": str(tmp_path), "form": "beir"},
        "configurations": [],
        "out": str(tmp_path),
    }
    (tmp_path / "errand.json").write_text(json.dumps(errand))
    with pytest.raises(CommandError, match="only in a database of the evaluation"):
        evaluate("work", str(tmp_path / "errand.json"))
