"""Make the claims of the suite, by kind. The same sources give the same claims."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from chat.types import DraftClaim
from tests.chat.verification.mutations import (
    citations,
    conditions,
    drugs,
    faithful_clauses,
    faithful_figures,
    faithful_mixed,
    faithful_words,
    figures,
    pairs,
    polarity,
    populations,
    relations,
    schedules,
    units,
)
from tests.chat.verification.mutations.chance import digest, shuffled
from tests.chat.verification.mutations.types import Item, Rule, Source

HANDWRITTEN = Path(__file__).with_name("handwritten.json")
ALTERED_PER_KIND, FAITHFUL_PER_KIND = 90, 350
PART_ALTERED, PART_FAITHFUL = 20, 30  # of each kind, in `part`
STRICT_PER_KIND = 150  # enough to tell a share of 99 % from 100 %


@dataclass(frozen=True)
class Kind:
    """A rule that makes claims, and the share of them that must be stopped if they are altered."""

    name: str
    rule: Rule
    floor: float = 0.0  # a little below the measured share
    samples_only: bool = False  # MedQuAD's sentences would give nonsense

    @property
    def limit(self) -> int:
        """The largest number of altered claims of this kind."""
        return STRICT_PER_KIND if self.floor >= 0.94 else ALTERED_PER_KIND


ALTERED = (
    Kind("number changed", figures.changed, 0.94),
    Kind("factor ten", figures.factor_ten, 0.94),
    Kind("range cut", figures.range_cut, 0.85),
    Kind("unit changed", units.changed, 0.94),
    Kind("polarity flipped", polarity.flipped, 0.90),
    Kind("negation dropped", polarity.negation_dropped, 0.84),
    Kind("direction turned", polarity.direction_turned, 0.72),
    Kind("drug swapped", drugs.swapped, 0.85),
    Kind("route changed", schedules.route_changed, 0.90),
    Kind("frequency changed", schedules.frequency_changed, 0.85),
    Kind("duration changed", schedules.duration_changed, 0.93),
    Kind("population changed", populations.changed, 0.75),
    Kind("population dropped", populations.dropped, 0.50, samples_only=True),
    Kind("condition dropped", conditions.dropped, 0.68, samples_only=True),
    Kind("subject and object swapped", relations.swapped, 0.1),
    Kind("numbers swapped between items", figures.swapped, 0.80),
)
ROWS_EXCHANGED, TOGETHER = "value of the next row", "two statements together"
CITATIONS = {"citation moved": 0.95, "citation misplaced": 0.99, "quote altered": 0.99}
FAITHFUL = (
    Kind("unit converted", faithful_figures.converted),
    Kind("figures in another form", faithful_figures.forms),
    Kind("number words", faithful_figures.numbers_worded),
    Kind("abbreviation", faithful_words.abbreviated),
    Kind("spelling", faithful_words.spelled),
    Kind("name of a medicine", faithful_words.renamed),
    Kind("interval in other words", faithful_words.intervals),
    Kind("usual words", faithful_words.reworded),
    Kind("passive", faithful_clauses.passive, samples_only=True),
    Kind("clause order", faithful_clauses.reordered, samples_only=True),
    Kind("shortened", faithful_clauses.shortened),
    Kind("several of these", faithful_mixed.several),
)
FLOORS = (
    {kind.name: kind.floor for kind in ALTERED}
    | CITATIONS
    | {ROWS_EXCHANGED: 0.88, "altered by hand": 0.75}
)


def items(samples: Sequence[Source], medquad: Sequence[Source]) -> list[Item]:
    """Return all claims, kind by kind."""
    made = [item for kind in ALTERED for item in _reworded(kind, samples, medquad, altered=True)]
    made += _cited_wrongly(samples, medquad)
    made += _of_two(ROWS_EXCHANGED, pairs.exchanged(samples), altered=True)
    made += [item for kind in FAITHFUL for item in _reworded(kind, samples, medquad, altered=False)]
    made += _verbatim(samples, medquad)
    made += _of_two(TOGETHER, pairs.together(samples), altered=False)
    return [*made, *_by_hand(samples)]


def part(made: Sequence[Item]) -> list[Item]:
    """Return some claims of each kind, evenly spread, in their order."""
    kinds: dict[tuple[bool, str], list[Item]] = {}
    for item in made:
        kinds.setdefault((item.altered, item.kind), []).append(item)
    chosen: list[Item] = []
    for (altered, _), found in kinds.items():
        number = min(PART_ALTERED if altered else PART_FAITHFUL, len(found))
        chosen += [found[place * len(found) // number] for place in range(number)]
    return chosen


def _reworded(
    kind: Kind, samples: Sequence[Source], medquad: Sequence[Source], *, altered: bool
) -> list[Item]:
    """Return at most two claims of each sentence, of the samples first and then of MedQuAD."""
    limit = kind.limit if altered else FAITHFUL_PER_KIND
    made: list[Item] = []
    for sources, share in ((samples, limit * 3 // 4), (medquad, limit)):
        if kind.samples_only and sources is medquad:
            continue
        room = (limit if kind.samples_only else share) - len(made)
        found = [
            Item(kind.name, altered, source, DraftClaim(text, source.quotes))
            for source in sources
            for text in _chosen(kind, source)
        ]
        made += _some(found, room)
    return made


def _chosen(kind: Kind, source: Source) -> list[str]:
    texts = [text for text in kind.rule(source.text) if text != source.text]
    if kind.rule is populations.dropped:
        told = [populations.is_said_by(source.context, source.text, text) for text in texts]
        texts = [text for text, known in zip(texts, told, strict=True) if not known]
    return list(shuffled(texts, kind.name))[:2]


def _some(found: list[Item], room: int) -> list[Item]:
    found.sort(key=lambda item: digest(item.kind, item.claim.text, item.source.document))
    return found[: max(room, 0)]


def _cited_wrongly(samples: Sequence[Source], medquad: Sequence[Source]) -> Iterator[Item]:
    everything = [*samples, *medquad]
    ways: dict[str, Callable[[Source], Iterable[DraftClaim]]] = {
        "citation moved": lambda source: citations.moved(source, everything),
        "citation misplaced": citations.misplaced,
        "quote altered": citations.quote_altered,
    }
    for name, way in ways.items():
        chosen = _spread(samples, name, 60) + _spread(medquad, name, 30)
        for source in chosen:
            # without duplicates: a quote altered at the same length is made twice
            claims = list(dict.fromkeys(way(source)))
            order = sorted(range(len(claims)), key=lambda at: digest(name, source.text, str(at)))
            yield from (Item(name, True, source, claims[at]) for at in order[:2])


def _of_two(name: str, made: Iterable[tuple[Source, DraftClaim]], *, altered: bool) -> list[Item]:
    found = [Item(name, altered, source, claim) for source, claim in made]
    return _some(found, ALTERED_PER_KIND)


def _verbatim(samples: Sequence[Source], medquad: Sequence[Source]) -> Iterator[Item]:
    for source in _spread(samples, "verbatim", 150) + _spread(medquad, "verbatim", 50):
        yield Item("verbatim", False, source, DraftClaim(source.text, source.quotes))


def _spread(sources: Sequence[Source], name: str, number: int) -> list[Source]:
    return sorted(sources, key=lambda source: digest(name, source.text, source.document))[:number]


def _by_hand(samples: Sequence[Source]) -> Iterator[Item]:
    """Yield our own paraphrases and false statements of the sentences with given beginnings."""
    written = json.loads(HANDWRITTEN.read_text())
    for name, by_document in written.items():
        altered = name in FLOORS
        for document, statements in by_document.items():
            for beginning, text in statements:
                source = _beginning(samples, document, beginning)
                yield Item(name, altered, source, DraftClaim(text, source.quotes))


def _beginning(samples: Sequence[Source], document: str, words: str) -> Source:
    """Return the statement that begins so, after a heading, a caption or another sentence."""
    for source in samples:
        text = f": {source.text}"
        if source.document == document and (f": {words}" in text or f". {words}" in text):
            return source
    raise LookupError(f"No statement of {document} begins with {words!r}.")
