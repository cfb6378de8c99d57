"""Measure a run's items by claims, concepts and RAGAS."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from chat.verification.claim_texts import sentence_claims
from core.errors import MedragError
from corpus.models import Authority
from evaluation.measures.claims import CLAIM_MEASURES
from evaluation.measures.configured import judging_endpoint, site_judges
from evaluation.measures.measure import MEASURES, Judges, measure_item
from evaluation.measures.ragas_judge import RAGAS, RAGAS_MEASURES
from evaluation.measures.types import FAILED, NOT_RUN, AnsweredItem
from evaluation.models import QuestionResult
from evaluation.question_runs.types import MeasuredItem
from evaluation.question_sets.types import ItemKind

# In the order of `chat.caveats.cautions`: a national guideline counts fully.
AUTHORITY = {Authority.NATIONAL: 1.0, Authority.TRUST: 0.75, Authority.LOCAL: 0.5}
JUDGE_AGAIN = "judge_again"  # in the detail of an item that waits for it
_ANSWERABLE = {ItemKind.UNANSWERABLE: False, ItemKind.UNLABELLED: None}


class UnknownMeasure(MedragError):
    """An unknown measure was requested."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no measure {name}. Known: {', '.join(MEASURES)}.")


@dataclass(frozen=True)
class Measured:
    """Values by measure, the reasons of missing ones, the judges, and what each value rests on."""

    scores: Mapping[str, float]
    not_run: Mapping[str, str]
    judged_by: tuple[dict[str, str], ...]
    parts: Mapping[str, Sequence[Mapping[str, str]]] = field(default_factory=dict)


class Measuring:
    """The measures of a run; its judges are loaded once, with the first item."""

    def __init__(self, wanted: Collection[str]) -> None:
        self._wanted = wanted

    @cached_property
    def _judges(self) -> Judges:
        return site_judges()

    @cached_property
    def longest_s(self) -> float:
        """The longest time, in seconds, that [judge] may take for an item; 0 if it is not asked.

        Raises as `measured`.
        """
        if not self._wanted or judging_endpoint() is None:
            return 0.0
        judges = (self._judges.entailment, self._judges.ragas)
        return sum(judge.longest_s for judge in judges if not isinstance(judge, str))

    def measured(self, item: MeasuredItem, only: Collection[str] | None = None) -> Measured:
        """Measure an item, by `only` these measures if given.

        A failing judge is no error. Raises ImproperlyConfigured for a judge that may not judge.
        """
        wanted = self._wanted if only is None else only
        if not wanted:
            return Measured({}, {}, ())
        scored = measure_item(answered_item(item), wanted, self._judges)
        values = {name: each.value for name, each in scored.items() if each.value is not None}
        judges = dict.fromkeys(each.judged_by for each in scored.values() if each.judged_by)
        return Measured(
            values,
            {name: each.reason for name, each in scored.items() if each.value is None},
            tuple(asdict(judge) for judge in judges),
            {name: list(map(asdict, each.parts)) for name, each in scored.items() if each.parts},
        )


def unjudged(not_run: Mapping[str, str], measures: Collection[str]) -> list[str]:
    """Return the measures whose judge failed or was missing."""
    return [name for name in measures if not_run.get(name, "").startswith((FAILED, NOT_RUN))]


def judged_measures(measures: Collection[str]) -> list[str]:
    """Return the measures that a judge gives."""
    return [name for name in measures if name in (*CLAIM_MEASURES, *RAGAS_MEASURES)]


def measured_again(
    result: QuestionResult, names: Collection[str], now: Measured, item: MeasuredItem
) -> dict[str, Any]:
    """Return scores and detail of a result, updated by a new measurement of the named measures."""

    def others_of(stored: Mapping[str, Any]) -> dict[str, Any]:
        return {name: each for name, each in stored.items() if name not in names}

    detail = {name: each for name, each in result.detail.items() if name != JUDGE_AGAIN}
    kept = others_of(result.scores)
    judges = [
        judge
        for judge in detail.get("judged_by") or ()
        if not kept.keys().isdisjoint(RAGAS_MEASURES if judge["name"] == RAGAS else CLAIM_MEASURES)
    ]
    return {
        "scores": {**kept, **now.scores},
        "detail": {
            **detail,
            "retrieved": item.kept()["retrieved"],
            "not_run": {**others_of(detail["not_run"]), **now.not_run},
            "parts": {**others_of(detail.get("parts") or {}), **now.parts},
            "judged_by": [*judges, *(judge for judge in now.judged_by if judge not in judges)],
        },
    }


def refuse_unknown(names: Iterable[str]) -> None:
    """Raise UnknownMeasure for a name that is no measure."""
    for name in names:
        if name not in MEASURES:
            raise UnknownMeasure(name)


def answered_item(item: MeasuredItem) -> AnsweredItem:
    """Convert an item to the type that the measures take."""
    return AnsweredItem(
        question=item.question,
        gold_answer=item.gold_answer,
        gold_claims=item.gold_claims or sentence_claims(item.gold_answer),
        answer_claims=item.claims,
        contexts=item.contexts,
        confidence=item.confidence,
        is_refused=item.is_refused,
        is_answerable=is_answerable(item.kind),
        authority=tuple(AUTHORITY[Authority(name)] for name in item.authorities if name),
    )


def is_answerable(kind: str) -> bool | None:
    """Tell whether a question can be answered; None if the set does not say."""
    return _ANSWERABLE.get(ItemKind(kind), True)
