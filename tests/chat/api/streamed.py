"""Read server-sent events as a client does."""

import json
from typing import Any

from django.test import Client

from tests.chat.api.api_calls import QUERY, post


def streamed(client: Client, body: Any, *, path: str = QUERY, **headers: str) -> Any:
    """Ask a question and return the events of its stream, as (name, data)."""
    response = post(client, path, body, **({"accept": "text/event-stream"} | headers))
    assert response.status_code == 200, response.content
    assert response["Content-Type"] == "text/event-stream"
    assert (response["Cache-Control"], response["X-Accel-Buffering"]) == ("no-store", "no")
    return events_of(b"".join(response.streaming_content).decode())


def events_of(text: str) -> list[tuple[str, Any]]:
    """Return (name, data) of each event; check that ids count from 1, and skip comments."""
    events = []
    for part in text.split("\n\n"):
        if not part or part.startswith(":"):
            continue
        number, name, data = (line.partition(": ")[2] for line in part.split("\n"))
        events.append((name, json.loads(data)))
        assert int(number) == len(events)
    return events
