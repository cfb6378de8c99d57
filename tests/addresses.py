"""Return every address of the site, from its routes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from django.urls import URLPattern, URLResolver, get_resolver


def routes(resolver: URLResolver, prefix: str = "") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route
        else:
            yield from routes(pattern, route)


def addresses(values: dict[str, list[str]]) -> list[str]:
    """Fill each route with each value of its parameters; 1 for a parameter without values."""
    found = set()
    for route in routes(get_resolver()):
        names = re.findall(r"<(?:\w+:)?(\w+)>", route)
        for chosen in product(*(values.get(name, ["1"]) for name in names)):
            filled = route
            for value in chosen:
                filled = re.sub(r"\(\?P<\w+>[^)]*\)|<(?:\w+:)?\w+>", value, filled, count=1)
            found.add("/" + re.sub(r"[\^$]|\\Z|\.\*|\(\?:|\)\?", "", filled))
    return sorted(found)
