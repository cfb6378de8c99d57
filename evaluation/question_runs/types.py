"""A question with its answer, as the measures take it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from evaluation.measures.types import AnswerClaim


@dataclass(frozen=True)
class Retrieved:
    """A passage that the generator was given, as the index held it then."""

    key: str
    place: str  # `Title, page 3`
    cosine: float | None  # to the question, by the search that found it
    text: str = field(repr=False)


@dataclass(frozen=True)
class MeasuredItem:
    """What the set gives of a question, and what this site answered.

    `claims` is empty for a refusal. `passages` are the keys of the passages that the generator was
    given, in order, and `retrieved` those that are still in the index. `seconds` is the time
    of the answer and `tokens` the number that language models read and wrote.
    """

    question: str
    kind: str  # of `evaluation.question_sets.types.ItemKind`
    is_refused: bool
    gold_answer: str = ""
    gold_claims: tuple[str, ...] = ()
    gold_label: str = ""
    patterns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reason: str = ""
    claims: tuple[AnswerClaim, ...] = ()
    beside: tuple[str, ...] = ()  # limits, other guidelines and warnings, shown with the answer
    excerpts: tuple[str, ...] = ()  # shown with a refusal
    option: str = ""
    relevant: tuple[str, ...] = ()  # documents, as named by the set
    page: int | None = None  # the page with the answer
    in_force: frozenset[str] = frozenset()  # the documents of `relevant` that are searched here
    found: tuple[str, ...] = ()  # the document of each passage found, best first, named likewise
    cited: tuple[tuple[str, int], ...] = ()  # document and page of each statement's first quote
    passages: tuple[str, ...] = ()
    retrieved: tuple[Retrieved, ...] = ()
    reference_contexts: tuple[str, ...] = ()  # the passages of the named documents on `page`
    authorities: tuple[str, ...] = ()  # of the cited documents, values of `corpus.models.Authority`
    confidence: float = 0.0
    seconds: float = 0.0
    tokens: int = 0

    @property
    def answer(self) -> str:
        """The statements, one per line; empty for a refusal."""
        return "\n".join(claim.text for claim in self.claims)

    @property
    def contexts(self) -> tuple[str, ...]:
        """The texts of the passages, best first."""
        return tuple(passage.text for passage in self.retrieved)

    def kept(self) -> dict[str, Any]:
        """Return the fields stored with a result: not the question's own."""
        names = ("is_refused", "reason", "claims", "beside", "excerpts", "option", "passages",
                 "retrieved", "reference_contexts", "confidence", "seconds", "tokens")  # fmt: skip
        values = asdict(self)
        return {name: values[name] for name in names}
