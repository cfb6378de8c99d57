"""Split evidence into windows that a model can read: whole sentences under their context. Pure.

A model reads a bounded number of tokens, and judges a short text better than a long one (Laban et
al., TACL 2022, who take the best sentence). A sentence is never cut, since half of it may say the
opposite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chat.evidence.judgements import Evidence
from core.language.en.sentences import line_sentence_spans
from retrieval.rerank.extracts import CONTEXT_SHARE, JOINT, Measure, reach, shortened


def windows(evidence: Evidence, *, limit: int, measure: Measure) -> list[str]:
    """Return runs of the quotes' sentences, each under the context and within `limit` by `measure`.

    One window if everything fits. Otherwise each begins with the last sentence of the window
    before, so that two neighbours are read together at least once. A sentence that does not fit is
    left out: nothing is supported by text that was not read. In order; empty for no text.
    """
    context = shortened(evidence.around, limit // CONTEXT_SHARE, measure)
    above = f"{context}\n" if context else ""
    room = limit - (measure([context])[0] + JOINT if context else 0)
    text = evidence.text.strip()
    if not text:
        return []
    if measure([text])[0] <= room:
        return [above + text]
    spans = line_sentence_spans(text)
    sizes = measure([text[start:end] for start, end in spans])
    shown = [
        above + text[spans[first][0] : spans[last - 1][1]] for first, last in _runs(sizes, room)
    ]
    return [window for window, size in zip(shown, measure(shown), strict=True) if size <= limit]


def _runs(sizes: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    first = 0
    while first < len(sizes):
        if sizes[first] > room:
            first += 1
            continue
        last = reach(sizes, first, room)
        yield first, last
        if last == len(sizes):
            return
        first = max(first + 1, last - 1)
