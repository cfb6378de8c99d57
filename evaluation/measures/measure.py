"""Items measured one by one, and a run of them together.

`measure_item` asks judges, and is called for one item at a time; `measure_run` asks nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evaluation.measures.claims import CLAIM_MEASURES, claim_scores
from evaluation.measures.concepts import CONCEPT_MEASURES, NOT_READ, concept_scores
from evaluation.measures.entailment import EntailmentJudge
from evaluation.measures.ragas_judge import NO_JUDGE, RAGAS_MEASURES, RagasJudge
from evaluation.measures.selective import selective
from evaluation.measures.types import AnsweredItem, Outcome, Scored, not_run
from evaluation.metrics.statistics import interval
from retrieval.lexicon.concepts import Concepts

MEASURES: tuple[str, ...] = (*CLAIM_MEASURES, *CONCEPT_MEASURES, *RAGAS_MEASURES)
_NOT_MEASURED = not_run("it was not asked for")


@dataclass(frozen=True)
class Judges:
    """Who judges and what concepts are known, or why nobody does and none are."""

    entailment: EntailmentJudge | str = NO_JUDGE
    ragas: RagasJudge | str = NO_JUDGE
    concepts: Concepts | str = NOT_READ


def measure_item(item: AnsweredItem, wanted: Collection[str], judges: Judges) -> dict[str, Scored]:
    """Score one item by those of `MEASURES` that are wanted, in their order there.

    What a judge can't do is a reason, never an error: the run goes on. Raises ValueError for a
    name that is no measure. Not within a running event loop.
    """
    if unknown := set(wanted) - set(MEASURES):
        raise ValueError(f"no such measure: {', '.join(sorted(unknown))}")
    by_claims = [name for name in CLAIM_MEASURES if name in wanted]
    by_concepts = [name for name in CONCEPT_MEASURES if name in wanted]
    by_ragas = [name for name in RAGAS_MEASURES if name in wanted]
    scores: dict[str, Scored] = {}
    if isinstance(judges.entailment, str):
        scores |= dict.fromkeys(by_claims, not_run(judges.entailment))
    else:
        scores |= claim_scores(item, by_claims, judges.entailment)
    if isinstance(judges.concepts, str):
        scores |= dict.fromkeys(by_concepts, not_run(judges.concepts))
    else:
        scores |= concept_scores(item, by_concepts, judges.concepts)
    if isinstance(judges.ragas, str):
        scores |= dict.fromkeys(by_ragas, not_run(judges.ragas))
    else:
        scores |= judges.ragas.scores(item, by_ragas)
    return {name: scores[name] for name in MEASURES if name in scores}


def measure_run(
    items: Sequence[AnsweredItem],
    scored: Sequence[Mapping[str, Scored]],
    *,
    faithfulness: str = "claim_faithfulness",
) -> dict[str, Any]:
    """Return the figures of a run as JSON; `scored` has what `measure_item` said of each item.

    `measures`: for each, the mean over the `n` items with a value and its seeded bootstrap
    interval, all None for none; how often there is none, by outcome and reason; who judged.
    `seconds` and `tokens` likewise. `selective` is over all items, its loss by the measure that
    `faithfulness` names. Raises ValueError for lists of other lengths.
    """
    if len(items) != len(scored):
        raise ValueError("each item needs its scores")
    names = [name for name in MEASURES if any(name in of_item for of_item in scored)]
    faithful = [of_item.get(faithfulness, _NOT_MEASURED).value for of_item in scored]
    return {
        "items": len(items),
        "measures": {
            name: _summary([of_item.get(name, _NOT_MEASURED) for of_item in scored])
            for name in names
        },
        "seconds": _mean([item.seconds for item in items]),
        "tokens": _mean([item.tokens for item in items]),
        "selective": selective(items, faithful).as_json(),
    }


def _summary(scores: Sequence[Scored]) -> dict[str, Any]:
    judged_by = dict.fromkeys(each.judged_by for each in scores if each.judged_by is not None)
    return {
        **_mean([each.value for each in scores]),
        "without": {
            outcome.value: dict(Counter(each.reason for each in scores if each.outcome is outcome))
            for outcome in Outcome
            if outcome is not Outcome.SCORED
        },
        "judged_by": [asdict(judge) for judge in judged_by],
    }


def _mean(values: Sequence[float | None]) -> dict[str, float | int | None]:
    known = [value for value in values if value is not None]
    if not known:
        return {"mean": None, "low": None, "high": None, "n": 0}
    return dict(interval(known).as_json())
