"""A language model that judges statements by their evidence, several pairs per call.

Statements and evidence are sent as data between fresh random marks, under fresh random labels, so
that no text can imitate them. A reply counts only if it judges every pair exactly once by a known
word; any other is `VerifierUnavailable`, and no claim is shown.
"""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chat.errors import VerifierUnavailable
from chat.evidence.judgements import Evidence, Judgement, Label, Pair
from chat.evidence.prompt_text import fresh_mark
from core.llm.client import Endpoint
from core.llm.failover import SEED, NoneAnswered, ask_first
from core.llm.prompt_files import Prompt
from core.llm.request_variants import Question
from core.llm.usage import Usage
from retrieval.rerank.extracts import extract
from retrieval.rerank.types import Passage

PROMPT = Prompt(
    Path(__file__).resolve().parents[1] / "prompts" / "judge_claims_v1.txt", frozenset({"pairs"})
)
PAIRS_A_CALL = 12  # beyond some ten a model begins to skip or confuse pairs
CHARS_A_CALL = 24_000  # of statements and evidence: some 6,000 tokens
EVIDENCE_CHARS = 6000  # of longer evidence the sentences nearest the claim are shown
CLAIM_CHARS = 2000
LABEL_BYTES = 4
TOKENS_A_PAIR = 40  # of a reply: two keys, a label of eight digits, a word, punctuation
_WORDS = {label.value: label for label in Label}


@dataclass
class LanguageModelJudge:
    """The verifier `llm`: sends statements and evidence to the first endpoint that answers.

    Scores are 0 or 1, since a model's statement of its own certainty is worth little (Xiong et al.,
    ICLR 2024).
    """

    endpoints: Sequence[Endpoint]  # in order of preference
    usage: Usage = Usage()  # noqa: RUF009  frozen
    said: list[str] = field(default_factory=list)
    call_timeout_s: float = math.inf  # of one call, within the deadline of all
    name = "llm"

    @property
    def fingerprint(self) -> str:
        models = ",".join(endpoint.model for endpoint in self.endpoints)
        return f"llm-1:{PROMPT.identity}:{models}"

    def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
        """Judge the pairs in calls of at most `PAIRS_A_CALL`, one after another.

        `timeout_s` is for all calls together. A pair whose claim, or whose sentence of evidence, is
        too long to be shown whole is not sent, and is NOT_FOUND.
        """
        deadline = time.monotonic() + timeout_s
        unread = Judgement(Label.NOT_FOUND, 0.0, 0.0, "too long to be read whole")
        judgements = dict.fromkeys(pairs, unread)
        for batch in batches([pair for pair in judgements if _is_readable(pair)]):
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise _unavailable(f"was not done after {timeout_s:g} s")
            judgements |= dict(
                zip(batch, self._judged(batch, min(left_s, self.call_timeout_s)), strict=True)
            )
        return [judgements[pair] for pair in pairs]

    def _judged(self, pairs: Sequence[Pair], timeout_s: float) -> list[Judgement]:
        labels = fresh_labels(len(pairs))
        question = Question(
            prompt_for(pairs, labels),
            schema_for(labels),
            "judgements",
            64 + TOKENS_A_PAIR * len(labels),
            SEED,
        )
        try:
            answer = ask_first(self.endpoints, question, use="judge", timeout_s=timeout_s)
        except NoneAnswered as error:
            self.usage += error.usage
            self.said.extend(error.contents)
            raise _unavailable(error.what, error.hint, retryable=error.retryable) from error
        self.usage += answer.usage
        self.said.append(answer.content)
        return judgements_of(answer.value, labels)


def batches(pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
    """Yield the pairs in order, in batches within both limits of a call."""
    batch: list[Pair] = []
    chars = 0
    for pair in pairs:
        size = len(pair.claim) + min(
            EVIDENCE_CHARS, len(pair.evidence.text) + len(pair.evidence.around)
        )
        if batch and (len(batch) == PAIRS_A_CALL or chars + size > CHARS_A_CALL):
            yield batch
            batch, chars = [], 0
        batch.append(pair)
        chars += size
    if batch:
        yield batch


def fresh_labels(count: int) -> list[str]:
    """Return `count` different random labels."""
    labels: dict[str, None] = {}
    while len(labels) < count:
        labels[secrets.token_hex(LABEL_BYTES)] = None
    return list(labels)


def prompt_for(pairs: Sequence[Pair], labels: Sequence[str]) -> str:
    mark = fresh_mark()
    shown = [
        f"{label}\nstatement: {mark} {pair.claim} {mark}\n"
        f"evidence: {mark} {_evidence(pair.claim, pair.evidence)} {mark}"
        for label, pair in zip(labels, pairs, strict=True)
    ]
    return PROMPT.filled(mark=mark, pairs="\n\n".join(shown))


def schema_for(labels: Sequence[str]) -> dict[str, Any]:
    judgement = {
        "type": "object",
        "properties": {
            "pair": {"type": "string", "enum": list(labels)},
            "label": {"type": "string", "enum": list(_WORDS)},
        },
        "required": ["pair", "label"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"judgements": {"type": "array", "items": judgement}},
        "required": ["judgements"],
        "additionalProperties": False,
    }


def judgements_of(answer: Any, labels: Sequence[str]) -> list[Judgement]:
    """Return a reply's judgements in the order of `labels`.

    Raises VerifierUnavailable unless each label is judged exactly once.
    """
    entries = answer.get("judgements") if isinstance(answer, dict) else None
    words: dict[str, Label] = {}
    for each in entries if isinstance(entries, list) else []:
        pair, label = _named(each, labels)
        if pair in words:
            raise _unavailable("judged a pair twice", retryable=False)
        words[pair] = label
    if len(words) != len(labels):
        raise _unavailable("did not judge every pair", retryable=False)
    return [_judgement(words[label]) for label in labels]


def _named(entry: Any, labels: Sequence[str]) -> tuple[str, Label]:
    pair, word = (
        (entry.get("pair"), entry.get("label")) if isinstance(entry, dict) else (None, None)
    )
    if isinstance(pair, str) and isinstance(word, str) and pair in labels and word in _WORDS:
        return pair, _WORDS[word]
    raise _unavailable("named a pair or a label that it was not given", retryable=False)


def _judgement(label: Label) -> Judgement:
    detail = "" if label is Label.SUPPORTED else f"judged {label.value}"
    return Judgement(
        label, float(label is Label.SUPPORTED), float(label is Label.CONTRADICTED), detail
    )


def _is_readable(pair: Pair) -> bool:
    """Tell whether claim and evidence fit without cutting a sentence: half may say the opposite."""
    return (
        len(pair.claim) <= CLAIM_CHARS
        and len(_evidence(pair.claim, pair.evidence)) <= EVIDENCE_CHARS
    )


def _evidence(claim: str, evidence: Evidence) -> str:
    passage = Passage("", evidence.around, evidence.text)
    return extract(
        passage, claim, limit=EVIDENCE_CHARS, measure=lambda texts: list(map(len, texts))
    )


def _unavailable(what: str, hint: str = "", *, retryable: bool = True) -> VerifierUnavailable:
    error = VerifierUnavailable(
        f"The judge {what}. No claim was shown.",
        hint=hint or "Ask again; if it fails again, check [judge] of MEDRAG_MODELS.",
        retryable=retryable,
    )
    error.what = what
    return error
