"""Derive the tools from the API's own description: texts, inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from django.urls import URLPattern, include, path
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import patched_settings
from mcp_types import Tool, ToolAnnotations

from chat.api.urls import urlpatterns

OPERATIONS = {"search_guidelines": "search", "ask_guidelines": "query", "open_source": "page"}


class Described(NamedTuple):
    """An operation of the API as a tool; its path has `{name}` for an argument."""

    told: Tool
    method: str
    path: str


@cache
def described_tools() -> Mapping[str, Described]:
    """Describe the tools by name. Takes a fifth of a second."""
    routes = {each.name: each for each in urlpatterns if isinstance(each, URLPattern)}
    return {tool: _described(tool, routes[name]) for tool, name in OPERATIONS.items()}


def _described(name: str, route: URLPattern) -> Described:
    patterns = [path("api/v1/", include([route]))]
    with patched_settings({"OAS_VERSION": "3.1.0"}):  # whose schemas are JSON Schema
        whole = SchemaGenerator(patterns=patterns).get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    [(address, methods)] = whole["paths"].items()
    [(method, operation)] = methods.items()
    sent, given = operation.get("requestBody"), operation["responses"]["200"]
    takes = _schema(sent, whole) if sent else _of_parameters(operation["parameters"])
    takes["properties"].pop("stream", None)
    gives = _schema(given, whole)
    if gives["type"] == "array":
        gives = {"type": "object", "properties": {"results": gives}, "required": ["results"]}
    told = Tool(
        name=name,
        title=operation["summary"],
        description=f"{operation['summary']}. {operation['description']}",
        input_schema=takes | {"additionalProperties": False},
        output_schema=gives,
        annotations=ToolAnnotations(
            read_only_hint=name != "ask_guidelines",  # which stores the question
            destructive_hint=False,
            open_world_hint=False,
        ),
    )
    return Described(told, method.upper(), address)


def _schema(content: Mapping[str, Any], whole: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of a body, with what it refers to in place of each reference."""

    def resolved(part: Any) -> Any:
        if isinstance(part, list):
            return [resolved(each) for each in part]
        if not isinstance(part, dict):
            return part
        rest = {name: resolved(each) for name, each in part.items() if name != "$ref"}
        name = part.get("$ref", "").rpartition("/")[2]
        return resolved(whole["components"]["schemas"][name]) | rest if name else rest

    schema: dict[str, Any] = resolved(content["content"]["application/json"]["schema"])
    return schema


def _of_parameters(parameters: list[dict[str, Any]]) -> dict[str, Any]:
    """Return path and query parameters as the properties of one object."""
    properties = {
        each["name"]: each["schema"] | {"description": each.get("description", "")}
        for each in parameters
    }
    required = [each["name"] for each in parameters if each.get("required")]
    return {"type": "object", "properties": properties, "required": required}
