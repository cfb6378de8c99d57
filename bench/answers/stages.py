"""Count at which stage of an answer the text that answers is lost.

The stages: it stands in one of the passages found, in one of the first three, in a statement that
may be quoted, in one that is read, among the first three, in the first; and the first is let
through by the gate.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Any

from django.utils import timezone

from bench.answers.material import holds, labels
from bench.answers.written import PLAIN
from chat.reader.choose import read, sifted
from chat.reader.weights import weights
from evaluation.measures.patterns import RIGHT, folded, matches
from evaluation.question_sets.patterned import Question
from retrieval.analysis import plain_words
from retrieval.configured import site_config
from retrieval.pipeline import retrieve
from retrieval.types import Query, Rights

STAGES = (
    "passages",
    "first three passages",
    "statement",
    "with what it stands under",
    "read",
    "first three",
    "first",
    "let in",
)
_FEW = 3


def stages_of(question: Question) -> dict[str, Any]:
    """Return a question's row: the stages that the text which answers it has come through.

    Of a question that nothing answers only whether its first statement is let in.
    """
    query = Query(question.text, on=timezone.localdate(), rights=Rights.ALL)
    hits = retrieve(query, site_config()).hits
    best = read(question.text, hits).statements
    least = log(weights().threshold / (1 - weights().threshold))
    is_open = bool(best) and best[0].odds >= least
    reached = {"let in": is_open}
    if question.is_answerable:
        found = [hit.rank for hit in hits if holds(question, hit.text)]
        units = sifted(question.text, hits, plain_words(question.text)).units
        right = [
            unit
            for unit, label in zip(units, labels(question, units), strict=True)
            if label == RIGHT
        ]
        judged = labels(question, [each.unit for each in best])
        places = [n for n, label in enumerate(judged) if label == RIGHT]
        whole = (folded("\n".join([u.context, u.text, *(q.text for q in u.quotes)])) for u in right)
        reached = {
            "passages": bool(found),
            "first three passages": any(rank <= _FEW for rank in found),
            "statement": bool(right),
            "with what it stands under": any(
                matches(question.needs, text) == len(question.needs) for text in whole
            ),
            "read": bool(places),
            "first three": any(place < _FEW for place in places),
            "first": 0 in places,
            "let in": is_open and 0 in places,
        }
    return {
        "id": question.id,
        "half": str(question.half),
        "kind": question.kind,
        "answerable": question.is_answerable,
        "odds": best[0].odds if best else None,
        "reached": [stage for stage in STAGES if reached.get(stage)],
    }


def stages_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the table of stages by wording and half, then by kind, in Markdown."""
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        wording = "in full" if row["id"].endswith(PLAIN) else "as asked"
        if not row["answerable"]:
            groups[f"{wording}, unanswerable"].append(row)
            continue
        groups[f"{wording}, {row['half']}"].append(row)
        if row["kind"]:
            groups[f"{wording}, kind {row['kind']}"].append(row)
    return [
        "| | questions | " + " | ".join(STAGES) + " |",
        "|---" * (len(STAGES) + 2) + "|",
        *(_line(name, group) for name, group in sorted(groups.items())),
    ]


def _line(name: str, rows: Iterable[Mapping[str, Any]]) -> str:
    listed = list(rows)
    counts = Counter(stage for row in listed for stage in row["reached"])
    return " | ".join([f"| {name}", str(len(listed)), *(str(counts[s]) for s in STAGES)]) + " |"
