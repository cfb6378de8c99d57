"""Other search engines over the same texts and vectors, to compare the system with in one run.

A new one is a module with a class of the protocol `Peer`, and an entry in PEERS. Their packages are
those of the extra `bench`, imported only when a peer indexes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec

from bench.peers.bm25s_alone import Bm25s
from bench.peers.haystack_memory import Haystack
from bench.peers.rank_bm25_faiss import RankBm25Faiss
from bench.peers.types import Found, Passage, Peer, PeerUnavailable, Vectors, missing

PEERS: Mapping[str, Callable[[], Peer]] = {
    "rank-bm25": RankBm25Faiss,
    "bm25s": Bm25s,
    "haystack": Haystack,
}

__all__ = ["PEERS", "Found", "Passage", "Peer", "PeerUnavailable", "Vectors", "require"]


def require(peers: Sequence[str]) -> None:
    """Raise PeerUnavailable for the first package that is missing; imports none of them."""
    for name in peers:
        for package in PEERS[name]().packages:
            if find_spec(package) is None:
                raise missing(package)
