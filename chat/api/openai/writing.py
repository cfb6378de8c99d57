"""Write a stored answer as a chat completion: a text with numbered notes, whole or in chunks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from chat.models import ClaimKind, TurnStatus
from chat.streams import Frame, as_json
from corpus.positions import headed

USAGE = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}  # never counted
BESIDE = {
    ClaimKind.ROW: "Another row of this table: ",
    ClaimKind.CAUTION: "Note: ",
    ClaimKind.OTHERWISE: "Another guideline: ",
}


@dataclass
class _Text:
    """The text of an answer, paragraph by paragraph, with its numbered notes."""

    paragraphs: list[str] = field(default_factory=list)
    annotations: list[dict[str, Any]] = field(default_factory=list)
    citations: list[dict[str, Any]] = field(default_factory=list)
    notes: dict[str, int] = field(default_factory=dict)  # number by the note's text

    @property
    def content(self) -> str:
        return "".join(self.paragraphs)

    def add(self, words: str) -> None:
        self.paragraphs.append(f"\n\n{words}" if self.paragraphs else words)

    def add_claim(self, claim: Mapping[str, Any]) -> None:
        """Add a claim after its headings, with the number of each place that it cites."""
        self.add(f"{BESIDE.get(claim['kind'], '')}{headed(claim['under'], claim['text'])}")
        for cited in claim["citations"]:
            number = self.notes.setdefault(cited["reference"], len(self.notes) + 1)
            self.citations.append({"note": number, "claim": claim["number"], **cited})
            mark = f"[{number}]"
            if self.paragraphs[-1].endswith(mark):
                continue  # several spans of one place
            self.paragraphs[-1] += f" {mark}"
            end = len(self.content)
            where = {"start_index": end - len(mark), "end_index": end}
            whole = where | {"title": cited["reference"], "url": cited["link"]}
            self.annotations.append({"type": "url_citation", "url_citation": whole})
        if claim["left_out"]:
            self.paragraphs[-1] += f" ({claim['left_out']})"


def _text(payload: Mapping[str, Any]) -> _Text:
    """Write an answer or a refusal as a text for people, with all of its warnings."""
    text = _Text()
    stops = [warning["text"] for warning in payload["warnings"] if warning["level"] == "stop"]
    for warning in stops:
        text.add(f"Do not use: {warning}")
    if payload["status"] == TurnStatus.ANSWERED:
        if payload["option"]:
            text.add(f"Option {payload['option']}.")
        for claim in payload["claims"]:
            text.add_claim(claim)
    else:
        text.add(f"No answer. {payload['message']}")
        near = dict.fromkeys(passage["reference"] for passage in payload["nearest"])
        if near:
            text.add("Nearest passages, which are no answer: " + "; ".join(near))
        if owner := payload["owner"]:
            text.add("Ask: " + ", ".join(filter(None, (owner["name"], owner["contact"]))))
    for warning in payload["warnings"]:
        if warning["level"] != "stop":
            text.add(f"Please note: {warning['text']}")
    if payload["hidden"]:
        text.add(f"Left out, since not open to you: {payload['hidden']}")
    if text.notes:
        text.add("\n".join(f"[{number}] {words}" for words, number in text.notes.items()))
    return text


@dataclass(frozen=True)
class Answer:
    """An answer of our own API, with the time and model of OpenAI's envelope."""

    payload: Mapping[str, Any]
    created_s: int  # since 1970
    model: str

    def medrag(self, text: _Text) -> dict[str, Any]:
        kept = ("status", "reason", "owner", "warnings", "turn")
        return {name: self.payload[name] for name in kept} | {"citations": text.citations}

    def head(self, kind: str) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{self.payload['turn']}",
            "object": kind,
            "created": self.created_s,
            "model": self.model,
        }


def completion(answer: Answer) -> dict[str, Any]:
    text = _text(answer.payload)
    message = {
        "role": "assistant",
        "content": text.content,
        "refusal": None,
        "annotations": text.annotations,
    }
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    head = answer.head("chat.completion")
    return head | {"choices": [choice], "usage": USAGE, "medrag": answer.medrag(text)}


def chunks(answer: Answer, *, with_usage: bool) -> Iterator[Frame]:
    text, head = _text(answer.payload), answer.head("chat.completion.chunk")

    def chunk(delta: Mapping[str, Any], *, end: str | None = None, **more: Any) -> Frame:
        choice = {"index": 0, "delta": delta, "finish_reason": end, "logprobs": None}
        return Frame("chunk", head | {"choices": [choice], **more})

    yield chunk({"role": "assistant", "content": ""})
    for paragraph in text.paragraphs:
        yield chunk({"content": paragraph})
    yield chunk({"annotations": text.annotations}, end="stop", medrag=answer.medrag(text))
    if with_usage:
        yield Frame("chunk", head | {"choices": [], "usage": USAGE})
    yield Frame("done")


def as_data(number: int, frame: Frame) -> str:
    """Write a frame as an event without a name, as OpenAI does; a step becomes a comment."""
    match frame.name:
        case "chunk" | "error":
            return f"data: {as_json(frame.data)}\n\n"
        case "done":
            return "data: [DONE]\n\n"
        case step:
            return f": {step}\n\n"
