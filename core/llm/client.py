"""One question to a language model behind an OpenAI-compatible endpoint, and its answer.

The model is neither trusted nor relied on. Once connected, a call ends at its deadline whatever it
waits for (`core.llm.calls`); it is tried again in one place only, follows no redirect, and reads
no more than it asked for. What is wrong with an endpoint is one error, which never holds text of a
question, a document or an answer.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from core.errors import MedragError
from core.llm.calls import (
    RETRIED,
    Deadline,
    TooLong,
    client_within,
    retry_after_s,
    whole_body,
)
from core.llm.replies import Reply, Unreadable, reply_of, value_in
from core.llm.request_variants import (
    Form,
    Question,
    first_form,
    next_form,
    parameters,
    remember,
)

RETRIES = 2  # of a connection that fails, and of states that may pass
FIRST_WAIT_S = 0.5  # doubled for each further attempt; Retry-After goes before
LONGEST_WAIT_S = 3600.0  # of a Retry-After
MAX_ANSWER_BYTES = 256 * 1024

# What to look at, by status: the end of the setting's name.
_SETTING_OF = {400: "_MODEL", 401: "_KEY", 403: "_KEY", 404: "_URL and {0}_MODEL", 422: "_MODEL"}


@dataclass(frozen=True)
class Endpoint:
    """Where a language model answers. `settings` begins its settings' names, for hints."""

    url: str
    model: str
    key: str = field(default="", repr=False)
    timeout_s: float = 30.0  # of a whole call, attempts and waits included
    settings: str = ""  # such as `MEDRAG_REWRITE_LLM`

    def check(self, status: int | None = None) -> str:
        """What a person should look at after an answer of this status, or after none."""
        if not self.settings:
            return "Check the address, the model's name and the key in the settings"
        end = _SETTING_OF.get(status or 0, "_URL")
        return f"Check {self.settings}{end.format(self.settings)}"


class LanguageModelUnavailable(MedragError):
    """The language model gave no answer that can be used.

    `what` goes on after "The language model". `wait_s` is None where another attempt of the same
    call is of no use. `answered` says that the model was reached and its answer is at fault: it is
    cut off, too long or of another form.
    """

    code = "language_model"

    def __init__(
        self,
        what: str,
        *,
        check: str = "",
        status: int | None = None,
        retryable: bool = True,
        wait_s: float | None = None,
        answered: bool = False,
    ) -> None:
        self.what, self.check, self.status, self.wait_s = what, check, status, wait_s
        self.answered = answered
        super().__init__(
            f"The language model {what}. Nothing was lost.",
            hint=f"{check}." if check else "",
            retryable=retryable,
        )


class NoCall(LanguageModelUnavailable):
    """The call can't even be made: no client takes such an address or key."""


def warm_up() -> None:
    """Import what the first call would wait for, a second or two of its time."""
    import jsonschema  # type: ignore[import-untyped]  # noqa: F401  late, as below
    import openai  # noqa: F401  late, as below


def is_away(error: MedragError) -> bool:
    """Whether the model was not reached, for a `Breaker`: another call may well fail like this."""
    return error.retryable and not getattr(error, "answered", False)


def silence_of(endpoint: Endpoint) -> str:
    """Ask for a word; a sentence where no model answers, else empty. Any answer at all is one."""
    try:
        ask_text(endpoint, prompt="Answer with one word: yes.", max_tokens=16, retries=1)
    except LanguageModelUnavailable as error:
        return "" if error.answered else error.sentence
    return ""


def ask_text(
    endpoint: Endpoint, *, prompt: str, max_tokens: int = 512, retries: int = RETRIES
) -> str:
    """The model's answer as it came, by greedy decoding. Raises LanguageModelUnavailable."""
    question = Question(prompt, max_tokens=max_tokens)
    with _call(endpoint, retries) as call:
        return call.answer(question, Form(seed=False)).content


def ask_json(
    endpoint: Endpoint,
    *,
    prompt: str,
    schema: Mapping[str, Any],
    name: str,
    max_tokens: int = 512,
    retries: int = RETRIES,
) -> Any:
    """The model's answer as a value that fits `schema` (JSON Schema).

    Structured output is asked for under `name`; where the server refuses that, the schema is
    written behind the prompt. Either way the answer is checked against it here. Raises
    LanguageModelUnavailable.
    """
    reply = ask_reply(endpoint, Question(prompt, schema, name, max_tokens), retries=retries)
    return value_of(reply, schema, endpoint)


def ask_reply(endpoint: Endpoint, question: Question, *, retries: int = RETRIES) -> Reply:
    """The answer as it came, in the fullest form of request that the server takes.

    It may be cut off, or of another form than asked for: `value_of` finds that out. Raises
    LanguageModelUnavailable.
    """
    form: Form | None = first_form(question, url=endpoint.url, model=endpoint.model)
    is_first = True
    with _call(endpoint, retries) as call:
        while form is not None:
            try:
                reply = call.answer(question, form)
            except LanguageModelUnavailable as error:
                form, is_first = next_form(form, error.status), False
                if form is None:
                    raise
                continue
            if not is_first:
                remember(form, question, url=endpoint.url, model=endpoint.model)
            return reply
    raise AssertionError("unreachable")


def value_of(reply: Reply, schema: Mapping[str, Any], endpoint: Endpoint) -> Any:
    """The value of a reply, which fits `schema`. Raises LanguageModelUnavailable."""
    try:
        return reply.value(schema)
    except Unreadable as error:
        check = endpoint.check(400)
        raise LanguageModelUnavailable(str(error), check=check, answered=True) from error


def parsed(content: str, schema: Mapping[str, Any]) -> Any:
    """The value that an answer holds: alone, in a fence, or behind other words.

    Nothing is mended: what is cut off or does not fit `schema` raises LanguageModelUnavailable.
    """
    try:
        return value_in(content, schema)
    except Unreadable as error:
        raise LanguageModelUnavailable(str(error), answered=True) from error


@dataclass(frozen=True)
class _Call:
    """The attempts at one answer, which share a client and a deadline."""

    endpoint: Endpoint
    client: Any
    deadline: Deadline
    retries: int

    def answer(self, question: Question, form: Form) -> Reply:
        asked = parameters(question, form)
        for attempt in itertools.count():
            try:
                return self._attempt(asked)
            except LanguageModelUnavailable as error:
                wait_s = self._wait_s(error, attempt)
                if wait_s is None:
                    raise
                time.sleep(wait_s)
        raise AssertionError("unreachable")

    def _wait_s(self, error: LanguageModelUnavailable, attempt: int) -> float | None:
        """None where no further attempt is due or the deadline leaves no time for one."""
        if error.wait_s is None or attempt >= self.retries:
            return None
        wait_s = error.wait_s or FIRST_WAIT_S * 2**attempt * random.uniform(0.5, 1)  # noqa: S311
        return wait_s if wait_s < self.deadline.left_s else None

    def _attempt(self, asked: Mapping[str, Any]) -> Reply:
        import openai  # late: it takes half a second, and only sites with a model need it

        try:
            return reply_of(self._body(asked))
        except openai.OpenAIError as error:
            raise self._silent(error) from error
        except Unreadable as error:
            raise self._failed(str(error), answered=True) from error
        except LanguageModelUnavailable as error:
            raise self._failed(error.what, answered=error.answered) from error

    def _body(self, asked: Mapping[str, Any]) -> bytes:
        """The whole answer, within its size and its time."""
        import httpx  # late, with the client that brings it

        request = self.client.chat.completions.with_streaming_response.create(
            model=self.endpoint.model,
            timeout=max(0.001, self.deadline.left_s),
            extra_headers={"Accept-Encoding": "gzip"},
            **asked,
        )
        try:
            body = whole_body(request, most_bytes=MAX_ANSWER_BYTES)
        except TooLong as error:
            much = "answered with more than it was asked for"
            raise LanguageModelUnavailable(much, answered=True) from error
        except httpx.HTTPError as error:
            broken = f"broke off its answer ({type(error).__name__})"
            raise LanguageModelUnavailable(broken, answered=True) from error
        if not self.deadline.left_s:  # a cut connection may look like an answer's end
            raise LanguageModelUnavailable(self._late)
        return body

    @property
    def _late(self) -> str:
        return f"took more than {self.endpoint.timeout_s:g} seconds"

    def _silent(self, error: Exception) -> LanguageModelUnavailable:
        if not self.deadline.left_s:
            return self._failed(self._late)
        if isinstance(error.__cause__, LanguageModelUnavailable):  # of `_accept`, wrapped
            return error.__cause__
        what = f"did not answer ({type(error).__name__})"
        return LanguageModelUnavailable(what, check=self.endpoint.check(), wait_s=0.0)

    def _failed(self, what: str, *, answered: bool = False) -> LanguageModelUnavailable:
        if not self.deadline.left_s:
            what, answered = self._late, False
        return LanguageModelUnavailable(what, check=self.endpoint.check(), answered=answered)


@contextmanager
def _call(endpoint: Endpoint, retries: int) -> Iterator[_Call]:
    def accept(response: Any) -> None:
        _accept(response, endpoint)

    try:
        with (
            Deadline(endpoint.timeout_s) as deadline,
            client_within(deadline, url=endpoint.url, key=endpoint.key, accept=accept) as client,
        ):
            yield _Call(endpoint, client, deadline, retries)
    except LanguageModelUnavailable:
        raise
    except Exception as error:  # noqa: BLE001  of whatever kind a client raises them
        what = f"could not be called ({type(error).__name__})"
        # Without the cause, which may quote the key.
        raise NoCall(what, check=endpoint.check(), retryable=False) from None


def _accept(response: Any, endpoint: Endpoint) -> None:
    """Refuse what is no success before its body is read: that may be of any size."""
    status = int(response.status_code)
    if status == 200:
        _accept_packing(response.headers.get("content-encoding", ""), endpoint)
        return
    again = status in RETRIED
    raise LanguageModelUnavailable(
        f"answered with status {status}",
        check=endpoint.check(status),
        status=status,
        retryable=again,
        # 0: our own wait
        wait_s=(retry_after_s(response.headers, most_s=LONGEST_WAIT_S) or 0.0) if again else None,
    )


def _accept_packing(packing: str, endpoint: Endpoint) -> None:
    """Refuse what could unpack to any size before its length is looked at: one gzip can't."""
    if packing.strip().lower() not in ("", "identity", "gzip", "deflate"):
        packed = "answered in a packing that was not asked for"
        raise LanguageModelUnavailable(packed, check=endpoint.check(), answered=True)
