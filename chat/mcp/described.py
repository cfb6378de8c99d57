"""Derive the tools from the API's own description: texts, inputs and outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import patched_settings

OPERATIONS = {
    "search_guidelines": "search",
    "ask_guidelines": "query",
    "open_source": "document_page",
}
_REFERENCE, _DEFINITION = "#/components/schemas/", "#/$defs/"
JSON = "application/json"


@dataclass(frozen=True)
class Described:
    """An operation of the API as a tool."""

    name: str
    title: str
    description: str
    method: str
    path: str  # with `{name}` for an argument
    takes: Mapping[str, Any]  # JSON schemas without references to others
    gives: Mapping[str, Any]
    is_list: bool  # the API returns a list, which is put into `results`


def described_tools() -> tuple[Described, ...]:
    """Describe the tools. Takes about half a second, to build the API's whole description."""
    # OpenAPI 3.1, whose schemas are JSON Schema.
    with patched_settings({"OAS_VERSION": "3.1.0"}):
        whole = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    parts = whole["components"]["schemas"]
    named = {
        operation["operationId"]: (method, path, operation)
        for path, methods in whole["paths"].items()
        for method, operation in methods.items()
    }
    return tuple(_described(tool, *named[name], parts) for tool, name in OPERATIONS.items())


def _described(
    name: str, method: str, path: str, operation: Mapping[str, Any], parts: Mapping[str, Any]
) -> Described:
    body = operation.get("requestBody")
    takes = body["content"][JSON]["schema"] if body else _of_parameters(operation["parameters"])
    gives = operation["responses"]["200"]["content"][JSON]["schema"]
    is_list = gives.get("type") == "array"
    if is_list:
        gives = {"type": "object", "properties": {"results": gives}, "required": ["results"]}
    return Described(
        name=name,
        title=operation["summary"],
        description=operation["description"],
        method=method.upper(),
        path=path,
        takes=_without_streams(_self_contained(takes, parts)),
        gives=_self_contained(gives, parts),
        is_list=is_list,
    )


def _of_parameters(parameters: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Return path and query parameters as the properties of one object."""
    properties = {
        each["name"]: each["schema"] | {"description": each.get("description", "")}
        for each in parameters
    }
    required = [each["name"] for each in parameters if each.get("required")]
    return {"type": "object", "properties": properties, "required": required}


def _without_streams(takes: dict[str, Any]) -> dict[str, Any]:
    properties = {name: schema for name, schema in takes["properties"].items() if name != "stream"}
    return takes | {"properties": properties, "additionalProperties": False}


def _self_contained(schema: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with all that it refers to; its root is an object, never a reference."""
    root = parts[schema["$ref"].removeprefix(_REFERENCE)] if "$ref" in schema else schema
    needed: dict[str, Any] = {}
    waiting = _references(root)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed[name] = parts[name]
            waiting |= _references(parts[name])
    written = json.dumps({**root, "$defs": needed}).replace(_REFERENCE, _DEFINITION)
    contained: dict[str, Any] = json.loads(written)
    return contained


def _references(schema: Mapping[str, Any]) -> set[str]:
    return set(re.findall(rf'"{re.escape(_REFERENCE)}([^"]+)"', json.dumps(schema)))
