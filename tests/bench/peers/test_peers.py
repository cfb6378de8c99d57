"""Peers over a dozen invented passages: the right results, ties decided by key."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from bench.peers import PEERS, Passage, Peer, PeerUnavailable, Vectors, require
from bench.peers.types import fused, ranked

TEXTS = {
    "p01": "Anaphylaxis | Treatment\nGive adrenaline into the thigh without delay.",
    "p02": "Anaphylaxis | Observation\nObserve for six hours after the last dose.",
    "p03": "Asthma | Acute attack\nOxygen and salbutamol by nebuliser.",
    "p04": "Asthma | Discharge\nCheck the inhaler technique before leaving.",
    "p05": "Stroke | Thrombolysis\nAlteplase within four and a half hours.",
    "p06": "Stroke | Imaging\nComputed tomography before any thrombolysis.",
    "p07": "Sepsis | First hour\nCultures, then antibiotics within one hour.",
    "p08": "Sepsis | Fluids\nBalanced crystalloid, thirty millilitres per kilogram.",
    "p09": "Gout | Flare\nColchicine or naproxen, not both in renal impairment.",
    "p10": "Gout | Prevention\nStart allopurinol low and raise it slowly.",
    "p11": "Burns | Cooling\nCool with running water for twenty minutes.",
    "p12": "Burns | Cooling\nCool with running water for twenty minutes.",
}
PASSAGES = [Passage(key, text) for key, text in TEXTS.items()]


def vectors() -> Vectors:
    """Return unit vectors: a direction for each topic, and a smaller one for each passage."""
    topics = sorted({text.split(" | ")[0] for text in TEXTS.values()})
    made = np.zeros((len(TEXTS), 24), dtype=np.float32)
    for row, text in enumerate(TEXTS.values()):
        made[row, topics.index(text.split(" | ")[0])] = 1.0
        made[row, 8 + list(TEXTS.values()).index(text)] = 0.5
    unit: Vectors = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


def vector_of(key: str) -> Vectors:
    return np.asarray(vectors()[list(TEXTS).index(key)])


def skip_without_its_packages(name: str) -> None:
    try:
        require([name])
    except PeerUnavailable as error:
        pytest.skip(error.sentence)


@pytest.fixture(params=list(PEERS))
def peer(request: pytest.FixtureRequest) -> Iterator[Peer]:
    skip_without_its_packages(request.param)
    made = PEERS[request.param]()
    made.index(PASSAGES, vectors())
    yield made


def test_the_passage_of_the_words_comes_first(peer: Peer) -> None:
    found = peer.search("Is alteplase given for stroke?", vector_of("p05"), 3)
    assert found[0][0] == "p05"
    assert len(found) <= 3


def test_scores_fall_and_ties_go_by_key(peer: Peer) -> None:
    found = peer.search("cool burns with running water", vector_of("p11"), 10)
    assert found == sorted(found, key=lambda entry: (-entry[1], entry[0]))
    assert [key for key, _ in found][:2] == ["p11", "p12"]


def test_haystack_sends_nothing_home() -> None:
    """Runs in a process of its own, since the package reads the variable only once."""
    skip_without_its_packages("haystack")
    script = (
        "import json, numpy as np\n"
        "from bench.peers import PEERS, Passage\n"
        "peer = PEERS['haystack']()\n"
        "peer.index([Passage('a', 'adrenaline')], np.ones((1, 4), dtype=np.float32) / 2)\n"
        "from haystack.telemetry import _telemetry\n"
        "print(json.dumps(_telemetry.telemetry is None))\n"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HAYSTACK")}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout.splitlines()[-1]) is True


def test_ranked_lets_the_key_decide_among_equals_at_the_cut() -> None:
    keys = ["d", "c", "b", "a"]
    assert ranked(keys, np.array([1.0, 1.0, 1.0, 2.0]), 2) == [("a", 2.0), ("b", 1.0)]
    assert ranked(keys, np.array([1.0, 1.0, 1.0, 2.0]), 9)[-1] == ("d", 1.0)


def test_fused_is_the_sum_of_reciprocal_ranks() -> None:
    found = fused([[("a", 9.0), ("b", 8.0)], [("b", 0.9), ("c", 0.8)]], 2)
    assert [key for key, _ in found] == ["b", "a"]
    assert [score for _, score in found] == pytest.approx([1 / 62 + 1 / 61, 1 / 61])
