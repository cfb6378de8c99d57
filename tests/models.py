"""Set which models a test's site asks, as MEDRAG_MODELS would."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import LazySettings
from pytest_django import Settings

from core.llm.client import Endpoint
from core.llm.models_file import Models


def set_model(
    settings: LazySettings | Settings,
    role: str,
    *urls: str,
    model: str = "m",
    key: str = "",
    **more: Any,
) -> None:
    """Give a role its endpoints, in this order; without an address, a local model."""
    endpoints = tuple(Endpoint(url, model, key, role=role, **more) for url in urls)
    several = isinstance(getattr(settings.MODELS, role), tuple)
    one = endpoints[0] if endpoints else Endpoint(model=model, role=role)
    settings.MODELS = replace(settings.MODELS, **{role: endpoints if several else one})


def change_model(settings: LazySettings | Settings, role: str, **values: Any) -> None:
    """Change these values of each endpoint of a role."""
    old = getattr(settings.MODELS, role)
    changed = (
        tuple(replace(each, **values) for each in old)
        if isinstance(old, tuple)
        else replace(old, **values)
    )
    settings.MODELS = replace(settings.MODELS, **{role: changed})


def unset_models(settings: LazySettings | Settings, *roles: str) -> None:
    """Leave these roles without a model."""
    settings.MODELS = replace(settings.MODELS, **{role: getattr(Models(), role) for role in roles})


def models_file(folder: Path, **tables: Mapping[str, str | bool]) -> str:
    """Write a file for MEDRAG_MODELS with a table for each role, and return its path."""
    path = folder / "models.toml"
    lines = []
    for role, values in tables.items():
        lines += [f"[{role}]", *(f"{key} = {json.dumps(value)}" for key, value in values.items())]
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)
