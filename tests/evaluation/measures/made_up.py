"""Items with known measures, and a verifier with given labels."""

from collections.abc import Mapping, Sequence

from chat.errors import VerifierUnavailable
from chat.evidence.judgements import Judgement, Label, Pair
from core.llm.usage import Usage
from evaluation.measures.entailment import EntailmentJudge
from evaluation.measures.types import AnswerClaim, AnsweredItem

S, C, N = Label.SUPPORTED, Label.CONTRADICTED, Label.NOT_FOUND


class ToldVerifier:
    """A verifier with given labels for (statement, text); every other pair is not found."""

    name = "told"
    fingerprint = "told-1"
    usage = Usage()
    said: Sequence[str] = ()

    def __init__(self, known: Mapping[tuple[str, str], Label]) -> None:
        self.known = known
        self.rounds: list[list[Pair]] = []

    def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
        self.rounds.append(list(pairs))
        labels = [self.known.get((pair.claim, pair.evidence.text), N) for pair in pairs]
        return [Judgement(label, float(label is S), float(label is C)) for label in labels]


class BrokenVerifier(ToldVerifier):
    def __init__(self) -> None:
        super().__init__({})

    def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
        raise VerifierUnavailable("The checker failed (no time left).")


GOLD = tuple(f"gold {n}" for n in range(5))
CLAIMS = tuple(AnswerClaim(f"claim {n}") for n in range(5))
PASSAGES = tuple(f"passage {n}" for n in range(10))
WHOLE_ANSWER = "\n".join(claim.text for claim in CLAIMS)
WORKED = AnsweredItem(
    "What is given?",
    gold_answer="What is gold.",
    gold_claims=GOLD,
    answer_claims=CLAIMS,
    contexts=PASSAGES,
    confidence=0.7,
    is_answerable=True,
    authority=(1.0, 0.5),
)
KNOWN = {
    **{(gold, f"passage {n}"): S for gold, n in zip(GOLD, (0, 1, 2, 3, 6), strict=True)},
    **{(gold, WHOLE_ANSWER): S for gold in GOLD[:3]},
    ("claim 0", "passage 0"): S,
    ("claim 1", "passage 1"): S,
    ("claim 1", "passage 9"): C,  # another passage disagrees: one that supports it is enough
    ("claim 2", "passage 6"): S,
    ("claim 3", "passage 4"): C,
    ("claim 4", "passage 8"): C,
}


def judge_told(known: Mapping[tuple[str, str], Label] = KNOWN) -> EntailmentJudge:
    return EntailmentJudge(ToldVerifier(known))
