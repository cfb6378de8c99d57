"""Reject a claim that repeats its evidence with a negation dropped or added. Pure.

Negations in free wording are left to the checker. A sentence that is nearly the page's own is too
similar for a small model to tell apart: `Give X to people with Y` and `Do not give X to people with
Y`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from chat.evidence.judgements import Evidence, Finding, Label
from chat.evidence.texts import placed_tokens, tokens
from core.language.en.negation import NEGATION
from core.language.en.sentences import line_sentence_spans

NAME = "polarity"
NEARLY_ALL = 0.85  # share of the claim's words that a sentence must have in order
LEAST = 4  # words of a claim: fewer match too many sentences
_AUXILIARY = frozenset(("do", "does"))  # words that come with a negation
_ANSWERS_NO = re.compile(r"^\W*no\s*[,.;:–-]", re.IGNORECASE)
BEFORE = 6  # words before the first shared one in which a negation still applies


def check(claim: str, evidence: Evidence) -> Finding | None:
    words = tokens(NEGATION.sub(" ", _ANSWERS_NO.sub("", claim)))
    words = [word for word in words if word not in _AUXILIARY]
    if len(words) < LEAST:
        return None
    finding = Finding(NAME, Label.CONTRADICTED, "a negation of the evidence is dropped or added")
    sentences = [evidence.text[start:end] for start, end in line_sentence_spans(evidence.text)]
    near = [stretch for sentence in sentences if (stretch := _shared(words, sentence))]
    denied = _count(claim)
    if near and all(_count(stretch) != denied for stretch in near):
        return finding
    known = set(tokens("\n".join(evidence.parts)))
    strange = [word for word in words if word not in known]
    is_near = len(strange) <= len(words) * (1 - NEARLY_ALL)
    return finding if is_near and denied and not any(map(_count, evidence.parts)) else None


def _count(text: str) -> int:
    """Count the negations of a text, without a `No` that only answers a question."""
    return len(NEGATION.findall(_ANSWERS_NO.sub("", text)))


def _shared(words: Sequence[str], sentence: str) -> str:
    """Return the stretch of a sentence that the claim repeats, with up to `BEFORE` words before it.

    Empty where the sentence has fewer than `NEARLY_ALL` of the claim's words in order.
    """
    placed = placed_tokens(sentence)
    matcher = SequenceMatcher(None, words, [word for word, _, _ in placed], autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if sum(block.size for block in blocks) < NEARLY_ALL * len(words):
        return ""
    first = max(0, blocks[0].b - BEFORE)
    last = blocks[-1].b + blocks[-1].size - 1
    return sentence[placed[first][1] : placed[last][2]]
