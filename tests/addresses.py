"""Return every address of the site, from its routes."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product

from django.apps import apps
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


def of_rows(found: Sequence[str]) -> list[str]:
    """Leave out the admin's pages of rows that are not there: hundreds, which all say so."""

    @cache
    def keys(app: str, model: str) -> set[str]:
        return set(map(str, apps.get_model(app, model).objects.values_list("pk", flat=True)))

    def is_there(address: str) -> bool:
        of_row = re.fullmatch(r"/admin/(\w\w+)/(\w+)/(\d+|[\da-f-]{36})/(?:[a-z]+/)?", address)
        if of_row is None:
            return True
        *model, key = of_row.groups()
        return key in keys(*model)

    return [address for address in found if is_there(address)]
