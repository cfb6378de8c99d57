"""Turn a language model's reply into claims. Only its form is trusted, which has a schema.

A fault of a claim is kept as `unplaced`, so that the claim fails verification and is counted;
nothing is repaired or dropped. Only a claim that is exactly its quote gets the text that the
guideline puts around that quote: the lead-in, the labels of a row, its footnotes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from chat.evidence.texts import tokens
from chat.generation.foreign_markup import foreign
from chat.generation.placing import Placed, Shown, nearness, placed
from chat.types import DraftClaim, Option, Quote, Unplaced
from corpus.parsing.clean import clean_line

MAX_CITATIONS = 3  # of a claim
MAX_CLAIM_CHARS = 600
MAX_QUOTE_CHARS = 2000
MAX_KEY_CHARS = 64
NO_OPTION = "none"
CLAIM_TOO_LONG = "claim too long"


def answer_schema(
    *, max_claims: int, options: Sequence[Option] = (), keys: Collection[str] = ()
) -> dict[str, Any]:
    """Return the JSON Schema of a reply. Every property is required, as strict servers demand.

    With `keys` a citation names one of them: for the request only, since a reply with one wrong
    key is not wrong as a whole.
    """
    key = {"type": "string", "enum": list(keys)} if keys else {"type": "string"}
    citation = _object(passage=key, quote={"type": "string"})
    citations = {"type": "array", "maxItems": MAX_CITATIONS, "items": citation}
    claim = _object(text={"type": "string"}, citations=citations)
    letters = [option.letter for option in options]
    return _object(
        claims={"type": "array", "maxItems": max_claims, "items": claim},
        option={"type": "string", "enum": [NO_OPTION, *letters]},
    )


def claims_of(value: Mapping[str, Any], shown: Shown) -> tuple[DraftClaim, ...]:
    """Return the claims of a reply that fits the schema, in its order."""
    return tuple(_claim(claim["text"], claim["citations"], shown) for claim in value["claims"])


def option_of(value: Mapping[str, Any]) -> str:
    """Return the letter of the chosen option; empty for none."""
    return "" if value["option"] == NO_OPTION else str(value["option"])


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _claim(text: str, citations: Sequence[Mapping[str, str]], shown: Shown) -> DraftClaim:
    results = _all_placed(citations, shown)
    resolved = [result for result in results if isinstance(result, Placed)]
    unplaced = [result for result in results if isinstance(result, Unplaced)]
    return claim_citing(clean_line(text), resolved, unplaced)


def claim_citing(
    raw: str, citations: Sequence[Placed], lost: Sequence[Unplaced] = ()
) -> DraftClaim:
    """Return a claim with its citations, nearest first, and with whatever is wrong with it."""
    text, unplaced = _standing_alone(raw, citations), list(lost)
    # Each citation once, the nearest first, since the first is shown first.
    ordered = sorted(dict.fromkeys(citations), key=lambda each: -nearness(each.quotes, text))
    quotes = tuple(
        replace(quote, citation=number)
        for number, each in enumerate(ordered)
        for quote in each.quotes
    )
    if why := _fault(text, quotes):
        unplaced.append(Unplaced("", "", why))
    read_as = tuple(each.read_as for each in ordered)
    caption = ordered[0].caption if len(ordered) == 1 else ""
    return DraftClaim(
        text[:MAX_CLAIM_CHARS], quotes, tuple(unplaced), read_as=read_as, caption=caption
    )


def _standing_alone(text: str, citations: Sequence[Placed]) -> str:
    """Return a claim's text; for a claim that is a whole quote, that quote as it reads alone."""
    whole = tokens(text)
    return next(
        (
            each.read_as
            for each in citations
            if tokens(each.quotes[0].text) == whole and 0 < len(each.read_as) <= MAX_CLAIM_CHARS
        ),
        text,
    )


def _all_placed(citations: Sequence[Mapping[str, str]], shown: Shown) -> list[Placed | Unplaced]:
    """Resolve each citation; one with several possible places goes nearest to the others."""
    results = [_placed(citation, shown) for citation in citations]
    near = [
        quote for result in results if isinstance(result, Placed) for quote in result.quotes[:1]
    ]
    if len(near) < 2:
        return results
    return [
        _placed(citation, shown, near=[*near[:place], *near[place + 1 :]])
        for place, citation in enumerate(citations)
    ]


def _placed(
    citation: Mapping[str, str], shown: Shown, *, near: Sequence[Quote] = ()
) -> Placed | Unplaced:
    key = _known_key(clean_line(citation["passage"]), shown.hits)
    quote = clean_line(citation["quote"])
    if len(quote) > MAX_QUOTE_CHARS:
        return Unplaced(key, "", "quote too long")
    return placed(key, quote, shown, near=near)


def _known_key(cited: str, keys: Collection[str]) -> str:
    """Return the one key within what was said, such as `Passage 2EA1806417C3`, else all of that."""
    within = [key for key in keys if key in cited.casefold()]
    return within[0] if len(within) == 1 else cited[:MAX_KEY_CHARS]


def _fault(text: str, quotes: Sequence[Quote]) -> str:
    if not text:
        return "claim without text"
    if len(text) > MAX_CLAIM_CHARS:
        return CLAIM_TOO_LONG
    if foreign(text, [quote.text for quote in quotes]):
        return "address or markup that is not in the quotes"
    return ""
