"""Parse the file that lists a site's encoders, strictly. Pure.

One TOML table for each encoder, named after it; the first is the primary one:

    [minilm]
    model = "bundled"

    [medcpt]
    model = "/models/medcpt-article"
    query_model = "/models/medcpt-query"
    pooling = "cls"
    storage = "halfvec"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

BUNDLED = "bundled"
# What pgvector's HNSW index takes at most.
MOST_DIMENSIONS = {"vector": 2000, "halfvec": 4000}
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,30}")
_CHOICES = {
    "kind": ("local", "openai"),
    "storage": ("vector", "halfvec"),
    "pooling": ("", "mean", "cls"),
    "backend": ("auto", "torch", "openvino"),
}
_RANGES = {
    "dimensions": (1, 4000),
    "max_tokens": (16, 100_000),
    "m": (2, 100),
    "ef_construction": (4, 1000),
    "partitions": (1, 64),
}
_PATHS = ("model", "query_model", "key_file")


class SpecError(ValueError):
    """Which table and key is wrong, and how, for the author of the file."""


@dataclass(frozen=True)
class EncoderSpec:
    """One configured encoder. Empty or 0 means: as the model's files say."""

    name: str
    kind: str = "local"  # or openai: an endpoint that speaks its protocol
    model: str = BUNDLED  # or a folder; of an endpoint the model's name
    query_model: str = ""  # folder of a second model for questions, as MedCPT has
    url: str = ""
    key_file: str = ""
    dimensions: int = 0
    storage: str = "halfvec"  # 16-bit floats: half the size; or vector, 32-bit
    pooling: str = ""
    query_prefix: str = ""  # such as e5's `query: `
    passage_prefix: str = ""
    max_tokens: int = 0
    backend: str = "auto"
    m: int = 16  # links of a node of the HNSW graph, pgvector's default
    # Its list of candidates while it is built. With pgvector's default, 64, a search has to look at
    # a third more of the graph for the same recall.
    ef_construction: int = 200
    # Hash partitions of its table, each with a graph of its own: searched together in one
    # statement, built one beside the other, and each within the memory that a build has.
    partitions: int = 1

    @property
    def folder(self) -> Path:
        """The model's folder; not for `bundled` and endpoints."""
        return Path(self.model)

    def as_json(self) -> dict[str, Any]:
        """Return the input of `spec_from`; holds no secret."""
        return asdict(self)


def spec_from(stored: Mapping[str, Any]) -> EncoderSpec:
    """Return a spec from its JSON, ignoring keys unknown to this version."""
    known = {field.name for field in fields(EncoderSpec)}
    return EncoderSpec(**{key: value for key, value in stored.items() if key in known})


def specs_from(text: str, *, folder: Path) -> tuple[EncoderSpec, ...]:
    """Return the encoders of a TOML file, in its order.

    Relative paths start at `folder`, that of the file. Raises `SpecError` for anything unknown, of
    the wrong type or out of range.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"it is not TOML: {error}") from error
    if not tables:
        raise SpecError("it names no encoder; a table such as [minilm] is one")
    return tuple(_spec(name, table, folder) for name, table in tables.items())


def _spec(name: str, table: Any, folder: Path) -> EncoderSpec:
    if not _NAME.fullmatch(name):
        wanted = "small letters, digits, - and _, after a letter, 31 at most"
        raise SpecError(f"[{name}]: the name of an encoder is of {wanted}")
    if not isinstance(table, dict):
        raise SpecError(f"{name}: every setting belongs into the table of an encoder")
    defaults = EncoderSpec(name)
    values = {key: _value(name, key, raw, defaults) for key, raw in table.items()}
    for key in _PATHS if values.get("kind", defaults.kind) == "local" else ("key_file",):
        if values.get(key, "") not in ("", BUNDLED):
            values[key] = str((folder / Path(values[key]).expanduser()).resolve())
    spec = replace(defaults, **values)
    _refuse_contradictions(spec, set(table))
    return spec


def _value(name: str, key: str, raw: Any, defaults: EncoderSpec) -> Any:
    known = [field.name for field in fields(EncoderSpec) if field.name != "name"]
    if key not in known:
        raise SpecError(f"[{name}]: {key} is not one of {', '.join(known)}")
    if type(raw) is not type(getattr(defaults, key)):
        kind = "a whole number" if isinstance(getattr(defaults, key), int) else "a text in quotes"
        raise SpecError(f"[{name}]: {key} must be {kind}; it is {raw!r}")
    if key in _CHOICES and raw not in _CHOICES[key]:
        allowed = " or ".join(choice for choice in _CHOICES[key] if choice)
        raise SpecError(f"[{name}]: {key} must be {allowed}; it is {raw!r}")
    if key in _RANGES and not _RANGES[key][0] <= raw <= _RANGES[key][1]:
        low, high = _RANGES[key]
        raise SpecError(f"[{name}]: {key} must be from {low} to {high}; it is {raw}")
    return raw


def _refuse_contradictions(spec: EncoderSpec, given: set[str]) -> None:
    local_only = {"query_model", "pooling", "backend"} & given
    openai_only = {"url", "key_file"} & given
    if spec.kind == "local" and openai_only:
        raise SpecError(f'[{spec.name}]: {min(openai_only)} needs kind = "openai"')
    if spec.kind == "openai":
        if local_only:
            raise SpecError(f'[{spec.name}]: {min(local_only)} needs kind = "local"')
        for key in ("model", "url", "dimensions"):
            if key not in given:
                raise SpecError(f'[{spec.name}]: kind = "openai" needs {key}')
        if not re.match(r"https?://[^/\s]", spec.url):
            raise SpecError(f"[{spec.name}]: url must be an address such as https://host/v1")
    if spec.ef_construction < 2 * spec.m:  # pgvector refuses it
        raise SpecError(f"[{spec.name}]: ef_construction must be twice m or more")
    refuse_dimensions(spec, spec.dimensions)


def refuse_dimensions(spec: EncoderSpec, made: int) -> None:
    """Raise `SpecError` where a model of `made` dimensions can't be indexed as configured."""
    if spec.dimensions and made and made != spec.dimensions:
        raise SpecError(f"[{spec.name}]: the model makes {made} dimensions, not {spec.dimensions}")
    most = MOST_DIMENSIONS[spec.storage]
    if made > most:
        hint = '; storage = "halfvec" takes 4000' if made <= MOST_DIMENSIONS["halfvec"] else ""
        raise SpecError(f"[{spec.name}]: {spec.storage} takes {most} dimensions, not {made}{hint}")
