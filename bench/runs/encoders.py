"""The encoders of an evaluation: the site's own, or with their vectors stored as another type."""

from __future__ import annotations

import json
from dataclasses import fields, replace

from corpus.encoders.registry import configured_specs, facts_for
from corpus.encoders.specs import EncoderSpec


def configured(storage: str = "") -> tuple[EncoderSpec, ...]:
    """Return the site's encoders, all with this storage where one is given."""
    specs = configured_specs()
    return tuple(replace(spec, storage=storage) for spec in specs) if storage else specs


def names_of(specs: tuple[EncoderSpec, ...]) -> str:
    """Identify the encoders, one line each: whatever decides their vectors, storage and search."""
    return "\n".join(f"{facts_for(spec).fingerprint} {sorted(spec.as_json().items())}" for spec in specs)  # noqa: E501  # fmt: skip


def as_toml(specs: tuple[EncoderSpec, ...]) -> str:
    """Return the specs as TOML for MEDRAG_ENCODERS, without values that equal the default."""
    lines: list[str] = []
    for spec in specs:
        default = EncoderSpec(spec.name)
        lines += [f"[{spec.name}]", f"model = {json.dumps(spec.model, ensure_ascii=False)}"]
        for field in fields(spec):
            value = getattr(spec, field.name)
            if field.name not in ("name", "model") and value != getattr(default, field.name):
                lines.append(f"{field.name} = {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"
