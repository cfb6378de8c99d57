"""Read search filters from a command line or a mapping."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from retrieval.types import Filters

_OPTIONS = {
    "specialties": "--specialty",
    "populations": "--population",
    "issuers": "--issuer",
    "journals": "--journal",
    "languages": "--language",
    "source_types": "--source-type",
}


def add_filters(parser: ArgumentParser) -> None:
    """Add options for collections and each filter; those of words may be repeated."""
    parser.add_argument(
        "--collection",
        action="append",
        default=[],
        metavar="SLUG",
        help="search only this collection; repeatable",
    )
    for name, option in _OPTIONS.items():
        parser.add_argument(
            option,
            action="append",
            dest=name,
            metavar="X",
            help=f"only this {option[2:].replace('-', ' ')}; repeatable",
        )
    for name in ("year_from", "year_to"):
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, type=int, dest=name, help="year of publication, inclusive")


def filters_from(chosen: Mapping[str, Any]) -> Filters:
    """Build `Filters` from a mapping of its field names; ignore other keys."""
    values: dict[str, Any] = {}
    for field in fields(Filters):
        value = chosen.get(field.name)
        values[field.name] = value if field.name.startswith("year") else tuple(value or ())
    return Filters(**values)
