"""The command `evaluate` with its processes and databases, on a server with a corpus in use.

All in one file, which runs in one process, since the tests list and drop the server's databases.
"""

import io
import json
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connections
from django.test import override_settings
from django.utils import timezone

from bench.datasets import read_dataset
from bench.runs.configurations import Recipe, Window
from bench.runs.databases import _FILLING, database_drop, databases_kept, filling, name_for
from core.database_availability import refresh_connection
from corpus.models import Document, IndexStatistics, Lexeme
from retrieval.pipeline import retrieve
from retrieval.types import Query, Rights
from tests import corpora
from tests.bench import made_up
from tests.bench.failing import DIES, ENDS_PARENT, RAISES, SECRET

pytestmark = pytest.mark.slow
IN_WINDOWS = Recipe("windows of 128 tokens, stride 64", Window(128, 64))


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


def index_for(folder: Path, recipe: Recipe | None = None) -> str:
    """Return the name of the database for a data set and recipe."""
    return name_for(read_dataset(folder, form="beir"), recipe or Recipe())


@pytest.fixture
def folder(tmp_path: Path, with_tables: Callable[[str], str]) -> Path:
    """Write the made-up data set, and make its databases, migrated but empty."""
    made = made_up.write_beir(tmp_path / "made")
    for recipe in (Recipe(), IN_WINDOWS):
        with_tables(index_for(made, recipe))
    return made


@pytest.mark.exhaustive
def test_a_run_from_files_to_files_and_again(
    folder: Path, with_tables: Callable[[str], str], tmp_path: Path
) -> None:
    corpora.publish("# Gentamicin\nGive gentamicin once daily here.")
    before = index_of_the_users()
    database_drop(index_for(folder))
    with_tables(index_for(folder))
    out = tmp_path / "out"
    said = retrieval(folder, out)
    assert "indexing 12 documents" in said
    assert "| nDCG@10 |" in said

    run, qrels = made_up.read_run(out / "run.trec"), made_up.QRELS
    judged = [f"{q} 0 {d} {gain}" for q, gains in qrels.items() for d, gain in gains.items()]
    assert (out / "qrels.trec").read_text().splitlines() == judged
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

    # The users' index and statistics are unchanged.
    assert index_of_the_users() == before
    query = Query("antidote for paracetamol", on=timezone.localdate(), rights=Rights.ALL)
    assert {hit.title for hit in retrieve(query).hits} <= {"Gentamicin"}

    # A second call uses the same database and finds the same.
    (kept,) = [k for k in databases_kept() if k.name == index_for(folder)]
    assert kept.note["name"] == "made/test"
    again = retrieval(folder, tmp_path / "again")
    assert "12 documents are indexed already" in again
    assert (tmp_path / "again" / "run.trec").read_bytes() == (out / "run.trec").read_bytes()
    assert kept.name in evaluate("databases")

    # On a shared server, `drop all` leaves databases that are may belong to another site.
    assert kept.is_ours
    with other_key():
        assert f"{kept.name} is kept" in evaluate("drop", "all")
        assert "may belong to another site" in evaluate("databases")
    assert f"{kept.name} was dropped" in evaluate("drop", kept.name)
    assert kept.name not in evaluate("databases")


def other_key() -> AbstractContextManager[None]:
    return override_settings(SECRET_KEY="of another site")  # type: ignore[return-value]


def _relevant(query: str) -> set[str]:
    return {document for document, gain in made_up.QRELS[query].items() if gain}


def test_other_documents_get_another_database(
    folder: Path, with_tables: Callable[[str], str], tmp_path: Path
) -> None:
    bigger = made_up.write_bigger_beir(tmp_path / "bigger")
    made = with_tables(index_for(bigger))
    before = {kept.name: kept.note for kept in databases_kept()}
    retrieval(bigger, tmp_path / "out2", "--limit", "1")
    after = {kept.name: kept.note for kept in databases_kept()}
    assert {name for name in after if after[name] != before[name]} == {made}
    assert index_for(folder) in before.keys() - {made}
    report = (tmp_path / "out2" / "report.md").read_text()
    assert "only a part: 1 queries" in report

    # One that can't be dropped does not keep the next from being dropped.
    with pytest.raises(CommandError, match="evaluation_00000000 can't be dropped"):
        evaluate("drop", "evaluation_00000000", made)
    assert made not in {kept.name for kept in databases_kept()}


def ablation(folder: Path, out: Path, *only: str, rebuild: bool = False) -> str:
    where = ["--dataset", str(folder), "--format", "beir", "--out", str(out)]
    where += ["--rebuild"] if rebuild else []
    return evaluate("ablation", *where, *(word for text in only for word in ("--only", text)))


@pytest.mark.exhaustive
def test_an_ablation(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    said = ablation(folder, out, "exact BM25", "of 128 tokens")
    assert "index 1 of 2, as set: 2 rows" in said
    assert "index 2 of 2, windows of 128 tokens, stride 64: 1 rows" in said
    assert "| lexical alone (exact BM25) |" in said
    assert "| windows of 128 tokens, stride 64 | windows of 128 tokens, stride 64 |" in said
    table = json.loads((out / "ablation.json").read_text())
    assert [row["configuration"]["name"] for row in table["switches"]] == [
        "lexical alone (exact BM25)",
        "windows of 128 tokens, stride 64",
    ]
    for row in table["switches"]:
        assert 0 < row["difference"]["p_holm"] <= 1
    assert (table["failed"], table["interrupted_before"]) == ({}, [])
    assert len(list((out / "runs").glob("*/run.trec"))) == 3

    # A smaller ablation would leave some of these folders among its own.
    before = sorted(path.relative_to(out) for path in out.rglob("*"))
    with pytest.raises(CommandError, match=r"is not empty\. .* Name another folder"):
        ablation(folder, out, "exact BM25")
    assert sorted(path.relative_to(out) for path in out.rglob("*")) == before


@contextmanager
def in_use(name: str) -> Iterator[None]:
    """Hold a connection to a database, which is made if it does not exist."""
    owner = connections["owner"]
    is_there = any(kept.name == name for kept in databases_kept())
    if not is_there:
        with owner.cursor() as cursor:
            cursor.execute(f'CREATE DATABASE "{name}"')
    other = owner.copy()
    other.settings_dict["NAME"] = name
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT 1")
        yield
    finally:
        other.close()
        if not is_there:
            database_drop(name)


def test_nothing_is_measured_where_the_sites_own_index_is_in_use(
    folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with (
        in_use(index_for(folder)),
        pytest.raises(CommandError, match=r"can't be dropped.*another evaluation is using it"),
    ):
        ablation(folder, out, "of 128 tokens", rebuild=True)
    assert not out.exists()


@pytest.mark.parametrize("what", ["retrieval", "ablation"])
@pytest.mark.parametrize("name", ["ablation.json", "runs", "scores.json", "judgements.jsonl"])
def test_results_of_many_runs_are_not_mixed(
    own_database: str, tmp_path: Path, what: str, name: str
) -> None:
    folder, out = made_up.write_beir(tmp_path / "made"), tmp_path / "out"
    (out / name).mkdir(parents=True)
    with pytest.raises(CommandError, match=r"is not empty\. .* Name another folder"):
        evaluate(what, "--dataset", str(folder), "--format", "beir", "--out", str(out))
    assert [path.name for path in out.iterdir()] == [name]


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, str]], None]:
    """Return a function that makes the child fail, given the failures by configuration text."""

    def fail(how: dict[str, str]) -> None:
        monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "tests.bench.failing_settings")
        monkeypatch.setenv("MEDRAG_TEST_FAILS", json.dumps(how))

    return fail


def test_a_row_that_fails_leaves_the_others(
    folder: Path, tmp_path: Path, failing: Callable[[dict[str, str]], None]
) -> None:
    failing({"fusion=rrf rrf_k=60": RAISES})
    out, raised = tmp_path / "out", "fusion: RRF, k = 60"
    with pytest.raises(CommandError, match="1 of 5 rows failed") as error:
        ablation(folder, out, "fusion")
    assert raised in str(error.value)
    table = json.loads((out / "ablation.json").read_text())
    assert table["failed"][raised].startswith("ValueError at tests/bench/failing.py, line ")
    assert [row["configuration"]["name"] for row in table["switches"]] == [
        "fusion: convex, alpha = 0.8",
        "fusion: convex, alpha = 0.5",
        "fusion: sum of scores",
    ]
    assert SECRET not in (out / "ablation.md").read_text()


def test_a_process_that_dies_leaves_what_was_measured(
    folder: Path, tmp_path: Path, failing: Callable[[dict[str, str]], None]
) -> None:
    failing({"lexical=none": DIES})
    out = tmp_path / "out"
    with pytest.raises(CommandError, match="was ended by signal 9"):
        ablation(folder, out, "exact BM25", "dense alone")
    table = json.loads((out / "ablation.json").read_text())
    names = [row["configuration"]["name"] for row in table["switches"]]
    assert names == ["lexical alone (exact BM25)"]
    assert table["interrupted_before"] == ["dense alone"]


@pytest.mark.exhaustive
def test_what_was_measured_before_it_was_ended_is_kept(
    folder: Path, tmp_path: Path, failing: Callable[[dict[str, str]], None]
) -> None:
    failing({"lexical=none": ENDS_PARENT})
    out = tmp_path / "out"
    # A signal before the command sets its handler must not end the tests.
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with pytest.raises(SystemExit) as ended:
            ablation(folder, out, "exact BM25", "dense alone", "k1 = 0.9")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ended.value.code == 128 + signal.SIGTERM
    table = json.loads((out / "ablation.json").read_text())
    assert table["default"]["nDCG@10"]["n"] == 5
    names = [row["configuration"]["name"] for row in table["switches"]]
    assert names == ["lexical alone (exact BM25)"]
    assert table["interrupted_before"] == ["dense alone", "BM25 with k1 = 0.9, b = 0.4"]
    assert not list(Path(settings.DATA_DIR).glob("evaluation-*"))


def test_a_database_is_filled_alone_though_connections_are_closed_for_their_age(
    own_database: str,
) -> None:
    with filling():
        connections["owner"].ensure_connection()
        for connection in connections.all(initialized_only=True):
            connection.close_at = 0.0
        refresh_connection()  # as between two documents
        assert connections["owner"].connection is None
        assert not can_fill()
    assert can_fill()


def can_fill() -> bool:
    """Tell whether the lock on filling is free."""
    other = connections["owner"].copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [_FILLING])
            return bool(cursor.fetchone()[0])
    finally:
        other.close()


def test_the_step_of_the_child_refuses_any_other_database(
    own_database: str, tmp_path: Path
) -> None:
    task = {
        "source": {"folder": str(tmp_path), "form": "beir"},
        "configurations": [],
        "out": str(tmp_path),
    }
    (tmp_path / "task.json").write_text(json.dumps(task))
    with pytest.raises(CommandError, match="only in a database of the evaluation"):
        evaluate("work", str(tmp_path / "task.json"))
