"""Examples for the API's description, by their names in `examples.yaml`."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from typing import Any

import yaml
from drf_spectacular.utils import OpenApiExample


def _example(name: str, *, status: int = 200, **told: Any) -> OpenApiExample:
    if "sent" in told:
        return OpenApiExample(name, value=told["sent"], request_only=True)
    media_type, value = "application/json", told.get("given")
    if "problem" in told:
        media_type = "application/problem+json"
        value = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status}
        value |= {"detail": told.pop("problem"), **told}
    if "error" in told:  # as OpenAI has it
        value = told
    return OpenApiExample(
        name, value=value, media_type=media_type, response_only=True, status_codes=[str(status)]
    )


_BY_NAME: dict[str, list[OpenApiExample]] = {
    name: [_example(**one) for one in told]
    for name, told in yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8")).items()
    if name != ".values"
}


def of(*names: str) -> list[OpenApiExample]:
    return [example for name in names for example in _BY_NAME[name]]
