"""Report a run of answers, in Markdown. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bench.answers.asked import Asked
from bench.answers.measures import MEASURES
from bench.answers.questions import QuestionSet
from evaluation.measures.patterns import Outcome
from evaluation.metrics.statistics import Interval
from evaluation.question_sets.patterned import Half, Question

SEMANTICS = (
    "full: the statements shown match every decisive pattern; partly: some, and none would "
    "mislead; wrong: neither. Helped: full, or refused with the answer among the excerpts. First "
    "statement right and misleading are shares of what was answered, beside the point of the "
    "statements shown. Intervals: 95 %, percentile bootstrap over questions, seeded."
)
_SHOWN = 300  # characters of a statement that the list shows


def report_lines(
    found: QuestionSet, asked: Mapping[str, Asked], intervals: Mapping[str, Interval]
) -> list[str]:
    """Return measures by half, and each failed question of the looked-at half.

    No question or answer of the counted half is shown.
    """
    return [
        f"{found.name}: {len(found.documents)} documents, {len(found.questions)} questions, "
        f"digest {found.digest[:16]}",
        "",
        *_measures_table(intervals),
        "",
        SEMANTICS,
        "",
        *_looked_at(found, asked),
    ]


def _measures_table(intervals: Mapping[str, Interval]) -> Iterator[str]:
    halves = list(Half)
    yield f"| measure | {' | '.join(halves)} |"
    yield "|---|" + "---|" * len(halves)
    for name in MEASURES:
        cells = [_cell(intervals.get(f"{name}, {half}")) for half in halves]
        yield f"| {name} | {' | '.join(cells)} |"


def _cell(found: Interval | None) -> str:
    if not found or not found.n:
        return "-"
    return f"{found.mean:.1%} ({found.low:.1%} to {found.high:.1%}, n = {found.n})"


def _looked_at(found: QuestionSet, asked: Mapping[str, Asked]) -> Iterator[str]:
    for question in found.questions:
        each = asked[question.id]
        wanted = Outcome.FULL if question.is_answerable else Outcome.REFUSED
        is_right = each.verdict.outcome is wanted
        if question.half is Half.LOOKED_AT and not is_right:
            yield from _question_lines(question, each)


def _question_lines(question: Question, each: Asked) -> Iterator[str]:
    yield f"## {question.id}: {each.verdict.outcome}"
    yield f"- asked: {question.text}"
    yield f"- kind {question.kind or '-'}; rank of the right passage {each.rank or '-'}"
    yield f"- refused: {each.reason}" if each.reason else f"- confidence {each.confidence:.2f}"
    if each.verdict.dangerous:
        yield "- DANGEROUS"
    for number, text in enumerate(each.statements or each.excerpts, start=1):
        yield f"- {number}. {text[:_SHOWN]}"
