"""Choose the part of a long passage that a reranker sees: the sentences nearest the question. Pure.

A model reads a bounded number of tokens. Instead of cutting a long passage at its end, its context
line is kept with the run of whole sentences that shares most with the question.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from core.language.en.sentences import line_sentence_spans
from corpus.indexing.search_text import normalise
from retrieval.rerank.types import Passage

CONTEXT_SHARE = 3  # the context line gets at most one part in this many
JOINT = 1  # the size of what stands between two sentences
_WORD = re.compile(r"[^\W_]+")
# Truncating words is a stemmer that needs no language (McNamee and Mayfield, Information
# Retrieval 7, 2004, who find 4 to 6 characters best).
_STEM_CHARS = 6

Measure = Callable[[Sequence[str]], Sequence[int]]  # the size of each text


def characters(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


def extract(passage: Passage, query: str, *, limit: int, measure: Measure) -> str:
    """Return context line and text, shortened to about `limit` as sized by `measure`.

    A single sentence over the limit is left for the model to truncate.
    """
    whole = f"{passage.context}\n{passage.text}".strip()
    if measure([whole])[0] <= limit:
        return whole
    context = shortened(passage.context, limit // CONTEXT_SHARE, measure)
    room = limit - (measure([context])[0] + JOINT if context else 0)
    return f"{context}\n{nearest_text(passage.text, query, room, measure)}".strip()


def shortened(context: str, limit: int, measure: Measure) -> str:
    """Keep the last words of a context line: the section says more than the document's title."""
    words = context.split()
    while words and measure([" ".join(words)])[0] > limit:
        words = words[len(words) // 8 + 1 :]
    return " ".join(words)


def nearest_text(text: str, query: str, limit: int, measure: Measure) -> str:
    """Return the run of whole sentences that holds most of the query; one alone may be longer."""
    spans = line_sentence_spans(text)
    pieces = [text[start:end] for start, end in spans]
    if not pieces:
        return text
    first, last = best_run([stems(p) for p in pieces], stems(query), measure(pieces), limit)
    return text[spans[first][0] : spans[last - 1][1]]


def best_run(
    sentences: Sequence[frozenset[str]],
    stems: frozenset[str],
    sizes: Sequence[int],
    limit: int,
) -> tuple[int, int]:
    """Return the first run of sentences within `limit` that holds most of `stems`, half-open.

    A stem weighs `ln(1 + n / df)`, where df of the n sentences hold it, so that words of every
    sentence, stop words among them, count little. Has at least one sentence.
    """
    weights = {
        stem: math.log(1 + len(sentences) / sum(stem in sentence for sentence in sentences))
        for stem in sorted(stems.intersection(*[frozenset().union(*sentences)]))
    }
    best, best_score = (0, 1), -1.0
    for first in range(len(sentences)):
        last = reach(sizes, first, limit)
        held = frozenset().union(*sentences[first:last])
        score = round(math.fsum(weights[stem] for stem in weights if stem in held), 9)
        if score > best_score:
            best, best_score = (first, last), score
    return best


def reach(sizes: Sequence[int], first: int, limit: int) -> int:
    """Return the end of the longest run from `first` on within `limit`; at least one sentence."""
    last, size = first + 1, sizes[first]
    while last < len(sizes) and size + sizes[last] + JOINT <= limit:
        size += sizes[last] + JOINT
        last += 1
    return last


def stems(text: str) -> frozenset[str]:
    """Return the normalised, lower-case words of a text, cut to a prefix that serves as a stem."""
    return frozenset(word[:_STEM_CHARS] for word in _WORD.findall(normalise(text).casefold()))
