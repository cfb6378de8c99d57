"""The command `evaluate peers`, with its process and database."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from bench.peers import PEERS, PeerUnavailable, require
from bench.runs.databases import databases_kept
from evaluation.models import Run
from tests.evaluation import made_up

pytestmark = pytest.mark.slow


def peers(folder: Path, out: Path) -> str:
    said = io.StringIO()
    where = ("--dataset", str(folder), "--format", "beir", "--out", str(out))
    call_command("evaluate", "peers", *where, stdout=said)
    return said.getvalue()


def test_ours_and_each_peer_over_the_same_passages(no_others: None, tmp_path: Path) -> None:
    try:
        require(list(PEERS))
    except PeerUnavailable as error:
        pytest.skip(error.sentence)
    out = tmp_path / "out"
    said = peers(made_up.write_beir(tmp_path / "made"), out)
    names = ["medrag, default", "medrag, lexical", "medrag, rrf"]
    names += [make().name for make in PEERS.values()]
    rows = [line for line in said.splitlines() if line.startswith("| ")]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == ["system", *names]

    found = json.loads((out / "peers.json").read_text())
    results = [found["baseline"], *found["systems"]]
    assert [result["configuration"]["name"] for result in results] == names
    for result in results:
        assert result["nDCG@10"]["n"] == len(made_up.QUERIES)
        assert result["nDCG@10"]["mean"] > 0.5
        assert result["latency_ms"]["whole"]["p95"] >= result["latency_ms"]["whole"]["p50"] > 0
    assert all(result["index"]["passages"] == 12 for result in results)

    folders = sorted((out / "runs").iterdir())
    assert len(folders) == len(names)
    for folder in folders:
        run = made_up.read_run(folder / "run.trec")
        assert {d for entries in run.values() for d, _ in entries} <= {
            document for document, *_ in made_up.DOCUMENTS
        }
    assert (out / "peers.md").read_text() in said
    assert not Run.objects.exists()  # a peer's run says nothing about this site


def test_without_the_extra_nothing_is_indexed(
    no_others: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {kept.name for kept in databases_kept()}
    for peer in PEERS.values():
        monkeypatch.setattr(peer, "packages", ("haystack_of_tomorrow",))
    with pytest.raises(CommandError, match=r"haystack_of_tomorrow .*bench"):
        peers(made_up.write_beir(tmp_path / "made"), tmp_path / "out")
    assert {kept.name for kept in databases_kept()} == before
    assert not (tmp_path / "out").exists()
