"""Describe webhooks in the API's description, as `x-webhooks`: OpenAPI 3.0 has no place for them.

Redoc reads that key.
"""

from __future__ import annotations

from typing import Any

from webhooks.models import Event

_SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_GUIDELINE: dict[str, Any] = {
    "id": 7,
    "sha256": _SHA256,
    "title": "Pneumonia in adults",
    "version": "2.1",
    "collection": "chest",
    "state": "PUBLISHED",
    "superseded_by": None,
}
_GAP = {
    "id": "0b9f2f3e-6f5a-4d0e-8a50-2b0a4d1f6c11",
    "state": "abstained",
    "reason": "NO_EVIDENCE",
}
_DRIFT = {"id": 3, "measure": "scores", "began_on": "2026-11-01"}
_STOP = {
    "id": 5,
    "collection": "chest",
    "sha256": None,
    "by": "Dr Jo Green",
    "contact": "Dr Blue, 4417",
}
_OTHER = {
    Event.GAP: _GAP,
    Event.DRIFTED: _DRIFT,
    Event.STOPPED: _STOP,
    Event.RESUMED: _STOP,
}
_CHANGED: dict[Event, dict[str, Any]] = {
    Event.SUPERSEDED: {"state": "SUPERSEDED", "superseded_by": _SHA256[::-1]},
    Event.WITHDRAWN: {"state": "WITHDRAWN"},
    Event.RETRACTED: {"number": "doi:10.1000/182"},
}
_HEADERS = {
    "webhook-id": "Id of the message, the same in each attempt.",
    "webhook-timestamp": "Time of the attempt, in seconds since 1970.",
    "webhook-signature": "`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64.",
}


def add_webhooks(result: dict[str, Any], **extra: Any) -> dict[str, Any]:
    """Describe each event as the request that an endpoint receives: a hook of drf-spectacular."""
    result["x-webhooks"] = {str(event): {"post": _operation(event)} for event in Event}
    return result


def example(event: Event) -> dict[str, Any]:
    """Return an example message, in the form in which messages are sent."""
    data = _OTHER.get(event) or _GUIDELINE | _CHANGED.get(event, {})
    return {"type": str(event), "timestamp": "2026-11-02T09:30:00.000000+00:00", "data": data}


def _operation(event: Event) -> dict[str, Any]:
    message = example(event)
    return {
        "operationId": event.name.lower(),
        "summary": str(event.label),
        "parameters": [
            {
                "in": "header",
                "name": name,
                "required": True,
                "description": description,
                "schema": {"type": "string"},
            }
            for name, description in _HEADERS.items()
        ],
        "requestBody": {
            "content": {"application/json": {"schema": _schema(message), "example": message}}
        },
        "responses": {
            "2XX": {
                "description": (
                    "The message was accepted. Any other status counts as a failed attempt."
                )
            }
        },
    }


def _schema(value: Any) -> dict[str, Any]:
    """Return the schema of an example, in which all keys are required."""
    if isinstance(value, dict):
        properties = {key: _schema(part) for key, part in value.items()}
        return {"type": "object", "properties": properties, "required": list(value)}
    if value is None:
        return {"type": "string", "nullable": True}
    return {"type": "integer" if isinstance(value, int) else "string"}
