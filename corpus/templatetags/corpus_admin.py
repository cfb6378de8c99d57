import re
from collections.abc import Set

from django import template

from corpus.review.pages import Place

register = template.Library()

_NUMBER = re.compile(r"(\d+(?:[.,·]\d+)*)")


@register.filter
def percent(share: float) -> str:
    """Return `{{ 0.714|percent }}`: 71 %, rounded down, so that only what is perfect is
    called so.
    """
    return f"{int(share * 100)} %"


@register.filter
def painted(place: Place, keys: Set[str]) -> bool:
    return not keys.isdisjoint(place.keys)


@register.filter
def by_number(text: str) -> list[tuple[str, bool]]:
    """Return `{% for part, is_number in text|by_number %}`: the text, cut where a number stands."""
    parts = _NUMBER.split(text)
    return [(part, index % 2 == 1) for index, part in enumerate(parts) if part]
