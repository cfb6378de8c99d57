"""Choose complete statements, with their quotes, from stored passages."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from chat.evidence.quotable import quotable_units
from chat.types import Quote, Unit
from core.language.en.sentences import sentence_spans
from retrieval.types import Hit
from tests.chat.verification.mutations.chance import digest
from tests.chat.verification.mutations.types import Source

# Statements about the document itself, not about patients.
_ABOUT_ITSELF = re.compile(
    r"^(?:Issued by|Reference|Applies to|In force from|Review by|DEMONSTRATION|Version:|Field)\b"
    r"|\| (?:Northfield|NH-)|^[\d.]+ \| \w+ 20\d\d"
)
MIN_WORDS, MAX_CHARS = 4, 420
MEDQUAD_SENTENCES = 700
# MedQuAD's sentences that are cut, or depend on the one before.
_WHOLE = re.compile(r"[A-Z][^?]*[a-z\d)]\.$")
_LEANS = re.compile(
    r"^(?:This|These|It|They|He|She|However|But|Also|Other|Others|Such|Some of these|For example"
    r"|In addition|Therefore|Thus|See|Click|Visit|If you|You)\b"
)
_TELLING = re.compile(
    r"\d|\b(?:not|no|never|without|causes?|caused by|results? (?:in|from)|leads? to|prevents?"
    r"|reduces?|increases?|affects?|children|women|men|infants|adults|daily|treated with)\b"
)
_WEB = re.compile(r"http|clinical trials|Human Phenotype Ontology|NCI|\bNIH\b|websites?\b")


def sample_sources(documents: Sequence[tuple[Hit, ...]]) -> list[Source]:
    """Return every sentence, list item and row, in reading order."""
    return [source for hits in documents for source in _sources(hits)]


def medquad_sources(documents: Sequence[tuple[Hit, ...]]) -> list[Source]:
    """Return whole sentences of a fair length, each once, at most six of a file."""
    kept: dict[str, Source] = {}
    for hits in documents:
        found = [source for source in _sources(hits) if _stands_alone(source)]
        found.sort(key=_telling)
        for source in found[:6]:
            kept.setdefault(source.text, source)
    return list(kept.values())[:MEDQUAD_SENTENCES]


def _telling(source: Source) -> tuple[bool, bytes]:
    """Order by a hash, sentences with numbers, negations and causes first: more can go wrong."""
    return not _TELLING.search(source.text), digest("sentences", source.text)


def _stands_alone(source: Source) -> bool:
    text = source.text
    fair = 40 <= len(text) <= 260 and not source.has_more
    return fair and bool(_WHOLE.match(text)) and not _LEANS.match(text) and not _WEB.search(text)


def _sources(hits: Sequence[Hit]) -> Iterator[Source]:
    seen: set[str] = set()
    for unit in quotable_units(hits, ""):
        for source in _parts(unit):
            words = len(source.text.split())
            told = _ABOUT_ITSELF.search(source.quotes[0].text)
            fits = words >= MIN_WORDS and len(source.text) <= MAX_CHARS and not told
            if fits and source.text not in seen:
                seen.add(source.text)
                yield source


def _parts(unit: Unit) -> Iterator[Source]:
    """Yield a row or an item with what it depends on, or each sentence of a paragraph."""
    name = unit.hit.filename
    if len(unit.quotes) > 1:
        is_row = " | " in unit.quotes[0].text
        yield Source(name, unit.text, unit.quotes, is_row=is_row)
        return
    (quote,) = unit.quotes
    for start, end in sentence_spans(quote.text):
        part = _within(quote, start, end)
        yield Source(name, " ".join(part.text.split()), (part,))


def _within(quote: Quote, start: int, end: int) -> Quote:
    return replace(
        quote, start=quote.start + start, end=quote.start + end, text=quote.text[start:end]
    )
