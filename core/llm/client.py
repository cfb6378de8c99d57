"""Ask a language model behind an OpenAI-compatible endpoint one question.

The model is not trusted: a call ends at its deadline and reads a limited number of bytes
(`core.llm.transport`). Whatever fails is one error, LanguageModelUnavailable, which never contains
text of a question, a document or an answer.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.errors import MedragError
from core.llm.openai_client import calling
from core.llm.replies import Reply, reply_of
from core.llm.request_variants import LADDER, Form, Question, next_form, parameters
from core.llm.transport import BoundedTransport, CallFailed
from core.llm.usage import Price

RETRIES = 2  # after a failed connection, or a status that may pass
FIRST_WAIT_S = 0.5  # doubled for each further attempt; Retry-After overrides
MAX_ANSWER_BYTES = 256 * 1024

# (address, model, whether a seed was asked for) -> the form accepted after a refusal.
_taken: dict[tuple[str, str, bool], Form] = {}

# The key of the file to check, by status.
_KEY_OF = {400: "model", 401: "key", 403: "key", 404: "url and model", 422: "model"}


@dataclass(frozen=True)
class Endpoint:
    """A language model's address, name and key; without an address, `model` is a local folder."""

    url: str = ""
    model: str = ""
    key: str = field(default="", repr=False)
    timeout_s: float = 30.0  # of a whole call, attempts and waits included
    role: str = ""  # its table in the file of MEDRAG_MODELS
    price: Price = (0.0, 0.0)
    may_generate: bool = False  # whether a judge may also write answers

    def check(self, status: int | None = None) -> str:
        """Return the advice on what to check after this status, or after no answer."""
        if not self.role:
            return "Check the address, the model's name and the key in the settings"
        return f"Check {self.place(_KEY_OF.get(status or 0, 'url'))}"

    def place(self, key: str) -> str:
        """Name, for messages, where one of the endpoint's keys is set."""
        return f"{key} in [{self.role}] of MEDRAG_MODELS"


class LanguageModelUnavailable(MedragError):
    """The language model gave no usable answer.

    `what` is the predicate of a sentence about the language model. `answered`: the model was
    reached, and its answer is cut off, too long or of another form.
    """

    code = "language_model"

    def __init__(
        self,
        what: str,
        *,
        check: str = "",
        status: int | None = None,
        retryable: bool = True,
        answered: bool = False,
    ) -> None:
        self.what, self.check, self.status, self.answered = what, check, status, answered
        super().__init__(
            f"The language model {what}. Nothing was lost.",
            hint=f"{check}." if check else "",
            retryable=retryable,
        )


def warm_up() -> None:
    """Import the libraries of a call, for which the first call would wait a second or two."""
    import jsonschema  # type: ignore[import-untyped]  # noqa: F401  late, as in `core.llm.replies`
    import openai  # noqa: F401  late, as in `core.llm.openai_client`


def is_away(error: MedragError) -> bool:
    """Tell a `Breaker` whether the model was not reached: the next call may fail likewise."""
    return error.retryable and not getattr(error, "answered", False)


def silence_of(endpoint: Endpoint) -> str:
    """Ask the model for one word, and return an error sentence if nothing answers, else "".

    Any answer counts, even an unusable one.
    """
    try:
        ask_text(endpoint, prompt="Answer with one word: yes.", max_tokens=16, retries=1)
    except LanguageModelUnavailable as error:
        return "" if error.answered else error.sentence
    return ""


def ask_text(
    endpoint: Endpoint, *, prompt: str, max_tokens: int = 512, retries: int = RETRIES
) -> str:
    """Return the model's answer as text without reasoning, by greedy decoding.

    Raises LanguageModelUnavailable, for an answer that is cut off too.
    """
    ends = time.monotonic() + endpoint.timeout_s
    question = Question(prompt, max_tokens=max_tokens)
    reply = _asked(endpoint, question, Form(seed=False), ends, retries)
    try:
        return reply.text()
    except CallFailed as error:
        raise _unusable(error, endpoint) from error


def ask_json(
    endpoint: Endpoint,
    *,
    prompt: str,
    schema: Mapping[str, Any],
    name: str,
    max_tokens: int = 512,
    retries: int = RETRIES,
) -> Any:
    """Return the model's answer as a value that fits `schema` (JSON Schema).

    Structured output is requested under `name`; if the server refuses that, the schema is appended
    to the prompt. The answer is validated here in either case. Raises LanguageModelUnavailable.
    """
    reply = ask_reply(endpoint, Question(prompt, schema, name, max_tokens), retries=retries)
    return value_of(reply, schema, endpoint)


def ask_reply(endpoint: Endpoint, question: Question, *, retries: int = RETRIES) -> Reply:
    """Return the unvalidated reply, using the fullest form of request that the server accepts.

    The reply may be cut off or not fit the schema: `value_of` checks that. Raises
    LanguageModelUnavailable.
    """
    ends = time.monotonic() + endpoint.timeout_s
    has_seed = question.seed is not None
    place = (endpoint.url, endpoint.model, has_seed)
    first = form = _taken.get(place, LADDER[0] if has_seed else LADDER[1])
    while True:
        try:
            reply = _asked(endpoint, question, form, ends, retries)
        except LanguageModelUnavailable as error:
            lesser = next_form(form, error.status)
            if lesser is None:
                raise
            form = lesser
        else:
            if form != first:
                _taken[place] = form
            return reply


def value_of(reply: Reply, schema: Mapping[str, Any], endpoint: Endpoint | None = None) -> Any:
    """Return a reply's value that fits `schema`. Raises LanguageModelUnavailable if none does."""
    try:
        return reply.value(schema)
    except CallFailed as error:
        raise _unusable(error, endpoint) from error


def _unusable(error: CallFailed, endpoint: Endpoint | None) -> LanguageModelUnavailable:
    check = endpoint.check(400) if endpoint else ""
    return LanguageModelUnavailable(error.what, check=check, answered=True)


def _asked(endpoint: Endpoint, question: Question, form: Form, ends: float, retries: int) -> Reply:
    transport = BoundedTransport(
        most_bytes=MAX_ANSWER_BYTES, retries=retries, first_wait_s=FIRST_WAIT_S
    )
    timeout_s = ends - time.monotonic()
    try:
        with calling(
            endpoint.url, endpoint.key, timeout_s=timeout_s, transport=transport
        ) as client:
            return reply_of(
                client.chat.completions.create(model=endpoint.model, **parameters(question, form))
            )
    except TimeoutError:
        what = f"took more than {endpoint.timeout_s:g} seconds"
        raise LanguageModelUnavailable(what, check=endpoint.check()) from None
    except CallFailed as error:
        raise LanguageModelUnavailable(
            error.what,
            check=endpoint.check(error.status),
            status=error.status,
            retryable=error.retryable or error.answered,
            answered=error.answered,
        ) from None
