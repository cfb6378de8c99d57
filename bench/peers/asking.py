"""Ask our search and its peers over the passages in this process's database."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.db import connection

from bench.datasets.pooling import pooled
from bench.datasets.types import Dataset
from bench.peers import PEERS, require
from bench.peers.turns import (
    SERVED_K,
    Asked,
    Entries,
    Found,
    System,
    asked,
    by_document,
)
from bench.peers.types import Passage, Peer, Vectors
from bench.runs.child_tasks import ChildResult, Failed, Outcome
from bench.runs.configurations import PASSAGES_PER_DOCUMENT, Configuration, deepened
from bench.runs.failures import why
from bench.runs.search import ask, document_names, index_sizes, notes_counted, percentiles
from core.progress import Progress
from corpus.encoders.query_cache import forget_queries
from corpus.encoders.registry import active_encoders, get_embedder
from retrieval.config import config_from
from retrieval.configured import site_config

Say = Callable[[str], None]
_INDEXED = """
SELECT c.key, c.context, c.text, c.document_id, v.embedding::text
FROM corpus_chunk c JOIN {vectors} v ON v.chunk_id = c.id ORDER BY c.key
"""


@dataclass(frozen=True)
class Indexed:
    """Every passage of the database as it is embedded, its vector, and its document's id."""

    passages: tuple[Passage, ...]
    vectors: Vectors
    owner: Mapping[str, str]  # document id by passage key


def peers_ask(
    dataset: Dataset,
    configurations: Sequence[Configuration],
    peers: Sequence[str],
    *,
    depth: int,
    say: Say,
) -> list[Outcome]:
    """Search by each configuration and each peer, in turn, over the same passages and vectors.

    Returns the outcomes of the configurations, then of the peers. A peer's durations include the
    encoding of the query, as ours do. A peer that fails, in indexing or search, does not stop the
    others. Raises PeerUnavailable before anything is searched.
    """
    require(peers)
    names = document_names(dataset)
    indexed = passages_indexed(names)
    built = [_built(PEERS[peer](), indexed, say) for peer in peers]
    systems = [_ours(each, names) for each in configurations]
    systems += [_theirs(each.peer, indexed.owner) for each in built if not each.failure]
    total = len(dataset.queries)
    say(f"{total} queries by {', '.join(system.name for system in systems)}")
    with Progress("  Asking", total, "queries") as progress:
        found = asked(
            systems,
            dataset.queries,
            depth=depth,
            forget=forget_queries,
            on_progress=progress.at,
        )
    results = iter(found)
    outcomes = [_outcome(next(results), index_sizes()) for _ in configurations]
    for each in built:
        size: dict[str, object] = {"passages": len(indexed.passages), "build_s": each.seconds}
        failed = Failed(each.peer.name, each.failure)
        outcomes.append(failed if each.failure else _outcome(next(results), size))
    return outcomes


def passages_indexed(names: Mapping[int, str]) -> Indexed:
    """Return all passages in the order of their keys. Runs one query."""
    with connection.cursor() as cursor:
        cursor.execute(_INDEXED.format(vectors=active_encoders()[0].table))
        rows = cursor.fetchall()
    return Indexed(
        passages=tuple(Passage(key, f"{context}\n{text}") for key, context, text, *_ in rows),
        vectors=np.asarray([json.loads(row[4]) for row in rows], dtype=np.float32),
        owner={row[0]: names[row[3]] for row in rows},
    )


@dataclass(frozen=True)
class _Built:
    """A peer after indexing, its duration, and why it failed, if so."""

    peer: Peer
    seconds: float
    failure: str = ""


def _built(peer: Peer, indexed: Indexed, say: Say) -> _Built:
    started = time.perf_counter()
    failure = ""
    try:
        peer.index(indexed.passages, indexed.vectors)
    except Exception as error:  # noqa: BLE001 - the report names it, the others go on
        failure = why(error)
    seconds = time.perf_counter() - started
    said = f"failed: {failure}" if failure else f"{len(indexed.passages)} passages indexed"
    say(f"{peer.name}: {said} ({seconds:.1f} s)")
    return _Built(peer, seconds, failure)


def _ours(configuration: Configuration, names: Mapping[int, str]) -> System:
    served = config_from(configuration.text, base=site_config())
    deep = deepened(served)
    served = replace(served, k=SERVED_K)

    def found(text: str, k: int) -> Found:
        evidence = ask(text, deep)
        return Found(pooled(evidence.hits, names, depth=k), evidence.trace.notes)

    def answered(text: str, k: int) -> Entries:
        return pooled(ask(text, served).hits, names, depth=k)

    about = configuration.text or "as set for this site"
    return System(f"medrag, {configuration.name}", about, found, answered)


def _theirs(peer: Peer, owner: Mapping[str, str]) -> System:
    embedder = get_embedder()

    def answered(text: str, k: int) -> Entries:
        return by_document(peer.search(text, embedder.encode_queries([text])[0], k), owner)

    def found(text: str, k: int) -> Found:
        return Found(answered(text, k * PASSAGES_PER_DOCUMENT))

    return System(peer.name, peer.about, found, answered)


def _outcome(result: Asked, index: dict[str, object]) -> Outcome:
    if result.failure is not None:
        return Failed(result.name, why(result.failure))
    return ChildResult(
        name=result.name,
        config=result.about,
        fingerprint="",
        run=result.run,
        latency_ms=percentiles({"whole": duration} for duration in result.durations_ms),
        index=index,
        notes=notes_counted(result.notes),
        otherwise=sum(map(bool, result.notes)),
    )
