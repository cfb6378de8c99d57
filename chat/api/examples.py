"""Examples for the API's description, by their names in `examples.yaml`."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from typing import Any

import yaml
from drf_spectacular.utils import OpenApiExample


def _example(name: str, *, status: int = 200, **fields: Any) -> OpenApiExample:
    if "sent" in fields:
        return OpenApiExample(name, value=fields["sent"], request_only=True)
    media_type, value = "application/json", fields.get("given")
    if "problem" in fields:
        media_type = "application/problem+json"
        value = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status}
        value |= {"detail": fields.pop("problem"), **fields}
    if "error" in fields:  # as OpenAI has it
        value = fields
    return OpenApiExample(
        name, value=value, media_type=media_type, response_only=True, status_codes=[str(status)]
    )


def read(path: Path) -> dict[str, list[OpenApiExample]]:
    """Return the examples of a file by their names."""
    by_name = yaml.safe_load(path.read_text("utf-8"))
    del by_name[".values"]
    return {name: [_example(**fields) for fields in each] for name, each in by_name.items()}


_BY_NAME = read(Path(__file__).with_suffix(".yaml"))


def of(*names: str) -> list[OpenApiExample]:
    return [example for name in names for example in _BY_NAME[name]]
