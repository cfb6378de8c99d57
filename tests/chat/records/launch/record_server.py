"""The demonstration's record, with other patients, which can misbehave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from samples.record.server import CLIENT, Record, serving
from tests.chat.records.launch.patients import patients

__all__ = ["CLIENT", "RecordServer", "record_server"]


class RecordServer(Record):
    """A record with a person signed in; `wrong` replaces claims, `granted` what is granted."""

    def __init__(self) -> None:
        super().__init__(patients(), site="http://testserver")
        self.open = {"l-kidneys": "p-kidneys", "l-well": "p-well", "l-old": "p-old"}
        self.wrong: dict[str, Any] = {}
        self.granted: dict[str, Any] = {}  # replaces parts of the token's answer
        self.config: dict[str, Any] = {}  # replaces parts of smart-configuration
        self.proved: Callable[[dict[str, str], str], bool] = lambda form, header: True
        self.status: dict[str, int] = {}  # by a word in the address
        self.moved: dict[str, str] = {}  # where a path sends to, keeping the request (307)
        self.changed: Callable[[Any], Any] = lambda body: body  # each FHIR answer
        self.heard: list[str] = []

    def configuration(self) -> dict[str, Any]:
        return _without_none(super().configuration() | self.config)

    def claims(self, nonce: str | None) -> dict[str, Any]:
        return _without_none(super().claims(nonce) | self.wrong)

    def exchange(self, form: dict[str, str], header: str) -> dict[str, Any] | None:
        said = super().exchange(form, header)
        is_proved = said is not None and self.proved(form, header)
        return _without_none((said or {}) | self.granted) if is_proved else None

    def said(self, path: str, header: str) -> Any:
        said = super().said(path, header)
        return self.changed(said) if header.startswith("Bearer ") else said

    def answer_get(self, path: str, header: str) -> tuple[int, dict[str, str], str]:
        self.heard.append(path)
        if path in self.moved:
            return 307, {"Location": self.moved[path]}, ""
        status, headers, body = super().answer_get(path, header)
        wrong = [status for word, status in self.status.items() if word in path]
        return wrong[0] if wrong else status, headers, body

    def answer_post(
        self, path: str, form: dict[str, str], header: str
    ) -> tuple[int, dict[str, str], str]:
        self.heard.append(path)
        if path in self.moved:
            return 307, {"Location": self.moved[path]}, ""
        return super().answer_post(path, form, header)


def _without_none(said: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in said.items() if value is not None}


@contextmanager
def record_server() -> Iterator[RecordServer]:
    one = RecordServer()
    with serving(one):
        yield one
