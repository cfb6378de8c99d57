"""Answers in another form than asked for; their content is sound unless named false."""

import json
from collections.abc import Callable
from typing import Any

from tests.llm.contents import Said, as_content, claims, verbatim
from tests.llm.lies import DOSE
from tests.llm.prompts import Shown
from tests.llm.server import Answer, completion, replies, sends

FALSE = DOSE.replace("500 mg", "5000 mg")
SOUND = claims(verbatim(DOSE))
EMPTY = as_content([])


def body(value: Any) -> Answer:
    """Answer with a body that doesn't depend on the prompt."""
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return sends(lambda shown: raw)


def content(value: Any) -> Answer:
    return body(completion(value))


def finished(reason: str) -> Answer:
    """Answer soundly, with another `finish_reason` than `stop`."""

    def body_of(shown: Shown) -> bytes:
        answer = completion(SOUND(shown))
        answer["choices"][0]["finish_reason"] = reason
        return json.dumps(answer).encode()

    return sends(body_of)


def claim_of(**fields: Any) -> Answer:
    """Answer with one claim that is sound except for these fields."""
    return replies(lambda shown: as_content([verbatim(DOSE).as_json(shown) | fields]))


def filled(**fields: Any) -> Answer:
    """Answer in the form asked for, except for these fields."""
    return content(json.dumps({"claims": [], "option": "none"} | fields))


def citing(value: Any) -> Answer:
    return claim_of(citations=value)


# Replies of which one part is not to be heard, and the other may be.
TWO_WAYS: dict[str, Callable[[str, str], str]] = {
    "one, then the other": lambda no, yes: f"At first: {no}\nBut it says otherwise, so: {yes}",
    "the other way round": lambda no, yes: f"{yes}\n{no}",
    "two fences": lambda no, yes: f"```json\n{no}\n```\n```json\n{yes}\n```",
    "two elements": lambda no, yes: f"<answer>{no}</answer><final>{yes}</final>",
    "a list of both": lambda no, yes: f"[{no}, {yes}] {no}, {yes}",
    "behind many brackets": lambda no, yes: "[a] " * 30 + f"{yes} {no}",
    "thoughts alone": lambda no, yes: f"<think>{no}</think>",
    "thoughts without an end": lambda no, yes: f"<think>Perhaps {no}",
    "thoughts behind it": lambda no, yes: f"{no}\n<think>Wait, the evidence",
    "thoughts without a start": lambda no, yes: f"{no}</think>{yes}",
    "thoughts in thoughts": lambda no, yes: f"<think><think>a</think>{no}</think>{yes}",
    "reasoning": lambda no, yes: f"<Reasoning step='1'>{no}</Reasoning>{yes}",
    "reasoning alone": lambda no, yes: f"<reasoning>{no}</reasoning> So it is not.",
    "a scratchpad without an end": lambda no, yes: f"<scratchpad>\n```json\n{no}\n```",
    "an element of its own": lambda no, yes: f"<my-notes>{no}</my-notes>{yes}",
    "brackets for thoughts": lambda no, yes: f"[THINK]{no}[/THINK]{yes}",
    "signs for thoughts": lambda no, yes: f"◁think▷{no}",
    "marks for thoughts": lambda no, yes: f"<|begin_of_thought|>{no}",
    "a channel": lambda no, yes: f"<|channel|>analysis<|message|>{no}",
    "a comment": lambda no, yes: f"<!-- {no} -->{yes}",
    "a fence of thoughts": lambda no, yes: f"```thinking\n{no}\n```\n{yes}",
    "a second that breaks off": lambda no, yes: f"{no}\n{yes[:-4]}",
    "a second in another form": lambda no, yes: f'{no}\n{{"answer": {yes}}}',
    "a second as of Python": lambda no, yes: f"{no}\n{json.loads(yes)}",
    "keys twice": lambda no, yes: f"{yes[:-1]}, {no[1:]}",
    "cut off": lambda no, yes: no[:-1],
}

UNREADABLE: dict[str, Answer] = {
    "an empty body": body(b""),
    "a page": body(b"<html><body>CANARY: log in first</body></html>"),
    "truncated JSON": body(json.dumps(completion(EMPTY)).encode()[:-40]),
    "null": body(None),
    "a list": body([1, 2]),
    "an error with status 200": body({"error": {"message": "CANARY"}}),
    "no choices": body({"id": "1", "object": "chat.completion"}),
    "empty choices": body({"choices": []}),
    "choices of another type": body({"choices": "none"}),
    "a choice without a message": body({"choices": [{"index": 0}]}),
    "content that is null": content(None),
    "content that is a number": content(7),
    "content in parts": content([{"type": "text", "text": EMPTY}]),
    "a refusal": body(completion(None, refusal="I can't help with that. CANARY")),
    "a call of a tool": body(
        completion(None, tool_calls=[{"id": "1", "type": "function", "function": {"name": "sh"}}])
    ),
    "prose": content("The dose is 5000 mg, as everybody knows."),
    "a list of claims alone": content(json.dumps([{"text": FALSE}])),
    "no claims": content('{"option": "none"}'),
    "no option": content('{"claims": []}'),
    "an option that nobody offered": filled(option="A"),
    "an option that is null": filled(option=None),
    "claims that are a text": filled(claims=FALSE),
    "claims that are texts": filled(claims=[FALSE]),
    "a claim without a text": filled(claims=[{"citations": []}]),
    "a text that is a number": claim_of(text=500),
    "a text that is null": claim_of(text=None),
    "a text that is an object": claim_of(text={"text": DOSE}),
    "citations that are a text": citing("a"),
    "citations that are null": citing(None),
    "a citation that is a text": citing(["a"]),
    "a citation without a quote": citing([{"passage": "a"}]),
    "a key that is a number": citing([{"passage": 1, "quote": DOSE}]),
    "a key that is a list": citing([{"passage": ["a"], "quote": DOSE}]),
    "truncated content": replies(lambda shown: SOUND(shown)[:-20]),
    "an answer that is cut off": finished("length"),
    "an answer that is filtered": finished("content_filter"),
    "a body in UTF-16 of nothing": body("CANARY".encode("utf-16")),
    "bytes that are no text": body(b'{"choices": [{"message": {"content": "\xff\xfe\xfa"}}]}'),
    "deep nesting": body(b"[" * 200_000),
    "deep nesting in the content": content("[" * 50_000 + "]" * 50_000),
    "a number without end": content('{"option": "none", "claims": ' + "9" * 5_000 + "}"),
    "not a number": content('{"option": "none", "claims": [NaN]}'),
    "10,000 claims": replies(lambda shown: as_content([Said(FALSE, DOSE).as_json(shown)] * 10_000)),
}


def _encoded(encoding: str, charset: str = "") -> Answer:
    headers = {"Content-Type": f"application/json; charset={charset or encoding}"}
    return sends(lambda shown: _sound_body(shown).encode(encoding), headers=headers)


def _sound_body(shown: Shown) -> str:
    return json.dumps(completion(SOUND(shown)), ensure_ascii=False)


def _worded(text: str) -> Answer:
    """Answer with the sound claim, oddly written."""
    return replies(claims(Said(text, DOSE)))


def _both(both: Callable[[str, str], str]) -> Answer:
    """Answer with a false claim and the sound one."""
    return replies(lambda shown: both(as_content([Said(FALSE, DOSE).as_json(shown)]), SOUND(shown)))


# Either read correctly or refused.
ODD: dict[str, Answer] = {
    "a byte order mark": _encoded("utf-8-sig", "utf-8"),
    "UTF-16": _encoded("utf-16"),
    "UTF-32": _encoded("utf-32"),
    "Latin-1": _encoded("latin-1"),
    "UTF-16 that says it is UTF-8": _encoded("utf-16", "utf-8"),
    "a lone surrogate": _worded(DOSE.replace("500", "\ud800500")),
    "a NUL": _worded(DOSE.replace("500", "\0500")),
    "control characters": _worded(f"\x1b[31m{DOSE}\x07"),
    "another type": sends(
        lambda shown: _sound_body(shown).encode(), headers={"Content-Type": "text/html"}
    ),
    "a type that is nonsense": sends(
        lambda shown: _sound_body(shown).encode(), headers={"Content-Type": "\u00fc;;;="}
    ),
    "no type": sends(lambda shown: _sound_body(shown).encode(), headers={"Content-Type": ""}),
    "a fence": replies(lambda shown: f"```json\n{SOUND(shown)}\n```"),
    "thoughts before it": replies(lambda shown: f"<think>{FALSE}</think>{SOUND(shown)}"),
    "two choices": sends(
        lambda shown: json.dumps(
            completion(SOUND(shown)) | {"choices": completion(SOUND(shown))["choices"] * 2}
        ).encode()
    ),
    "keys twice": replies(
        lambda shown: (
            SOUND(shown)[:-1]
            + ', "claims": '
            + json.dumps([Said(FALSE, DOSE).as_json(shown)])
            + "}"
        )
    ),
    "texts twice": replies(
        lambda shown: SOUND(shown).replace('"text":', f'"text": {json.dumps(FALSE)}, "text":')
    ),
    "two answers": replies(
        lambda shown: SOUND(shown) + "\n" + as_content([Said(FALSE, DOSE).as_json(shown)])
    ),
    **{f"two ways: {name}": _both(both) for name, both in TWO_WAYS.items()},
    "fields that nobody asked for": claim_of(verified=True),
    "packed that is not": sends(
        lambda shown: _sound_body(shown).encode(), headers={"Content-Encoding": "gzip"}
    ),
}
