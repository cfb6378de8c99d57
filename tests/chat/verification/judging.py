"""A judging language model, played by a server on loopback."""

import json
import re
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.llm.server import Answer, says

LABEL = re.compile(r"^([0-9a-f]{8})\nstatement: (<[0-9a-f]{16}>) (.*?) \2\nevidence: \2 (.*?) \2$", re.M | re.S)  # noqa: E501  # fmt: skip
SAID = {"yes": "supported", "no": "contradicted", "unknown": "not_found"}


def replying(change: Callable[[list[dict[str, Any]]], Any] = lambda judged: judged) -> Answer:
    """Judge each statement by its first word, in reverse order; `change` may falsify the answer."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        prompt = handler.request_body["messages"][0]["content"]  # type: ignore[attr-defined]
        judged = [
            {"pair": label, "label": SAID[claim.split()[0]]}
            for label, _, claim, _ in LABEL.findall(prompt)
        ]
        says(json.dumps({"judgements": change(judged[::-1])}))(handler)

    return answer
