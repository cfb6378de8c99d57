"""Parse, strictly, the TOML file that says which models a site uses for which role.

A table for each role; two roles may have several, in order of preference:

    [[generate]]
    url = "https://models.example.org/v1"
    model = "med-large"
    key = "/run/secrets/llm"
    price = "0.15/0.6"

    [judge]
    url = "https://judges.example.org/v1"
    model = "other-large"
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from core.endpoint_settings import EXAMPLE_ADDRESS, address_of, secret_of
from core.llm.client import Endpoint
from core.llm.usage import Price

_ENDPOINT = ("url", "model", "key")
KEYS: Mapping[str, tuple[str, ...]] = {
    "generate": (*_ENDPOINT, "price"),
    "judge": (*_ENDPOINT, "price", "may_generate"),
    "rewrite": _ENDPOINT,
    "context": _ENDPOINT,
    "rerank": _ENDPOINT,
    "verifier": ("model",),
    "checker": ("model",),
    "reader": ("model",),
    "teacher": (*_ENDPOINT, "price"),
}
_SEVERAL = ("generate", "judge")
# Without an address the model is a folder of this machine.
_LOCAL = ("rerank", "verifier", "checker", "reader")


class ModelsError(ValueError):
    """A fault of the file, with its table and key, for whoever wrote the file. Quotes no secret."""


@dataclass(frozen=True)
class Models:
    """The models of a site by role; one without address and model for a role that has none."""

    generate: tuple[Endpoint, ...] = ()  # write answers, in order of preference
    judge: tuple[Endpoint, ...] = ()  # judge claims and answers, likewise
    rewrite: Endpoint = field(default=Endpoint(role="rewrite"))  # rewrites questions
    context: Endpoint = field(default=Endpoint(role="context"))  # writes context lines for passages
    rerank: Endpoint = field(default=Endpoint(role="rerank"))  # orders passages
    verifier: Endpoint = field(default=Endpoint(role="verifier"))  # judges claims, from a folder
    checker: Endpoint = field(default=Endpoint(role="checker"))  # in place of the bundled one
    reader: Endpoint = field(default=Endpoint(role="reader"))  # in place of the bundled small one
    teacher: Endpoint = field(default=Endpoint(role="teacher"))  # writes and labels claims


def models_from(tables: Mapping[str, Any]) -> Models:
    """Return the models that a file's tables name. Raises ModelsError for a wrong entry."""
    if not tables:
        raise ModelsError("the file names no model. Add a table such as [generate].")
    return Models(**{role: _entries(role, written) for role, written in tables.items()})


def _entries(role: str, written: Any) -> Any:
    """Return a role's endpoints as a tuple, or its one endpoint if the role takes only one."""
    if role not in KEYS:
        raise ModelsError(f"[{role}] is not a table of this file. {_nearest(role, KEYS)}")
    tables = written if isinstance(written, list) else [written]
    if not tables or not all(isinstance(table, dict) for table in tables):
        raise ModelsError(f"{role} must be a table: write [{role}] and its keys below it.")
    if role in _SEVERAL:
        return tuple(_endpoint(role, table) for table in tables)
    if len(tables) > 1:
        raise ModelsError(f"[{role}] may be given only once: remove {len(tables) - 1}.")
    return _endpoint(role, tables[0])


def _endpoint(role: str, table: Mapping[str, Any]) -> Endpoint:
    values = {key: _value(role, key, raw) for key, raw in table.items()}
    for key in ("model",) if role in _LOCAL else ("url", "model"):
        if key not in values:
            raise ModelsError(f"[{role}] needs {key}, {_READERS[key][1]}.")
    if values.get("key") and "url" not in values:
        raise ModelsError(f"[{role}] key needs url: a model in a folder has no key.")
    return Endpoint(**values, role=role)


def _value(role: str, key: str, raw: Any) -> Any:
    if key not in KEYS[role]:
        raise ModelsError(f"[{role}] has no key {key}. {_nearest(key, KEYS[role])}")
    if key == "may_generate" and isinstance(raw, bool):
        return raw
    if key == "may_generate" or not isinstance(raw, str):
        kind = "true or false" if key == "may_generate" else "a string in quotes"
        raise ModelsError(f"[{role}] {key} must be {kind}.")
    read, wanted = _READERS[key]
    try:
        return read(raw)
    except ValueError as error:
        if key == "key":
            raise ModelsError(f"[{role}] key {error}") from error
        # A password may stand before an @, a key behind a ?, and anything in the wrong line.
        is_shown = key == "model" or (key == "url" and not {"@", "?"} & set(raw))
        given = f"it is {raw!r}" if is_shown else "the value is not shown here"
        raise ModelsError(f"[{role}] {key} must be {wanted}; {given}.") from error


def _name(raw: str) -> str:
    if not raw.strip() or not raw.isprintable():
        raise ValueError
    return raw


def price_of(raw: str) -> Price:
    """Parse the prices of a million prompt and of a million answer tokens. Raises ValueError."""
    prompt, answer = (float(part) for part in raw.split("/"))
    if not (0 <= prompt < math.inf and 0 <= answer < math.inf):
        raise ValueError
    return prompt, answer


_READERS: Mapping[str, tuple[Callable[[str], Any], str]] = {
    "url": (address_of, f"an address such as {EXAMPLE_ADDRESS}"),
    "model": (_name, "a name of printable characters"),
    "key": (lambda raw: secret_of(raw.strip()), "a secret, or a file with it"),
    "price": (price_of, "two prices such as 0.15/0.6"),
}


def _nearest(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"Did you mean {near[0]}?" if near else f"Known: {', '.join(known)}."
