"""One question to the first of several endpoints that answers it.

They are asked in order of preference, within one deadline over all. One that takes no call (a key,
an address or a model that is wrong or gone) is put aside for `PUT_ASIDE_S` of
`core.llm.breaker`; one that failed three times in a row is skipped for a while; one whose answer
can't be read is passed over. None may use up the time of the next: while others follow, it has
half of what is left.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.llm.breaker import Breaker, breaker_of
from core.llm.client import (
    Endpoint,
    LanguageModelUnavailable,
    NoCall,
    ask_reply,
    is_away,
    value_of,
)
from core.llm.replies import Reply
from core.llm.request_variants import Question
from core.llm.time_limit import within

PUT_ASIDE = (401, 403, 404, 410)
SEED = 1  # of calls whose answer ought to be the same again; any number would do
MIN_CALL_S = 0.2  # with less no call is begun
GRACE_S = 0.25  # at most: for a call to end by itself before it is left behind


@dataclass(frozen=True)
class Answer:
    """A value that fits its schema, and what it took."""

    value: Any
    content: str = field(repr=False)  # as it came
    model: str  # as it is configured
    calls: int  # endpoints that were asked
    prompt_tokens: int  # of all answers, those too that could not be read; as the servers say
    completion_tokens: int
    notes: tuple[str, ...] = ()  # on each endpoint that was passed over; no text of a question


class NoneAnswered(LanguageModelUnavailable):
    """No endpoint gave an answer that can be used; what they took all the same, as in `Answer`."""

    calls = prompt_tokens = completion_tokens = 0
    contents: tuple[str, ...] = ()  # answers that could not be used, as they came
    notes: tuple[str, ...] = ()


def ask_first(
    endpoints: Sequence[Endpoint], question: Question, *, use: str, timeout_s: float
) -> Answer:
    """The answer of the first endpoint that gives one which fits the question's schema.

    `use` names what it is for: each use counts its failures apart. Takes no longer than
    `timeout_s`, whatever an endpoint does. Raises NoneAnswered, which says of each endpoint why;
    nothing is asked where there is none.
    """
    return _Round(question, use, time.monotonic() + timeout_s).answer(endpoints)


@dataclass
class _Round:
    """The endpoints of one question, asked in turn."""

    question: Question
    use: str
    ends: float  # by the monotonic clock
    replies: list[Reply] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    calls: int = 0

    def answer(self, endpoints: Sequence[Endpoint]) -> Answer:
        errors = []
        breakers = [self._breaker(place, endpoint) for place, endpoint in enumerate(endpoints)]
        for place, endpoint in enumerate(endpoints):
            others = breakers[place + 1 :]
            try:
                value = self._asked(endpoint, breakers[place], others)
            except LanguageModelUnavailable as error:
                errors.append(error)
                self.notes.append(f"endpoint {place + 1} ({endpoint.model}): {error.what}")
            else:
                return self._answer(value, endpoint)
        raise self._none_answered(errors)

    def _breaker(self, place: int, endpoint: Endpoint) -> Breaker:
        # By its place, too: the same address may be named again with another key.
        return breaker_of(f"{self.use} {place + 1}", endpoint.url, endpoint.model)

    def _asked(self, endpoint: Endpoint, breaker: Breaker, others: Sequence[Breaker]) -> Any:
        left_s = self.ends - time.monotonic()
        if left_s < MIN_CALL_S:
            raise LanguageModelUnavailable("was not asked: no time was left")
        if refusal := breaker.refusal():
            raise LanguageModelUnavailable(refusal)
        if any(not other.is_open for other in others):
            left_s /= 2
        try:
            with breaker.watched(is_away):
                return self._value(endpoint, left_s)
        except LanguageModelUnavailable as error:
            if error.status in PUT_ASIDE or isinstance(error, NoCall):
                breaker.put_aside()
            raise

    def _value(self, endpoint: Endpoint, limit_s: float) -> Any:
        self.calls += 1
        # Looking up a name has no time-out of its own, and connecting has one for each address.
        timeout_s = round(limit_s - min(GRACE_S, limit_s / 10), 2)
        endpoint = replace(endpoint, timeout_s=timeout_s)
        try:
            reply = within(limit_s, lambda: ask_reply(endpoint, self.question))
        except TimeoutError as error:
            late = f"took more than {timeout_s:g} seconds"
            raise LanguageModelUnavailable(late, check=endpoint.check()) from error
        self.replies.append(reply)
        return value_of(reply, self._schema, endpoint)

    @property
    def _schema(self) -> Mapping[str, Any]:
        return self.question.schema or {}

    def _answer(self, value: Any, endpoint: Endpoint) -> Answer:
        return Answer(
            value=value,
            content=self.replies[-1].content,
            model=endpoint.model,
            calls=self.calls,
            prompt_tokens=self._prompt_tokens,
            completion_tokens=self._completion_tokens,
            notes=tuple(self.notes),
        )

    def _none_answered(self, errors: Sequence[LanguageModelUnavailable]) -> NoneAnswered:
        """One error for all endpoints; its hint is of the first, which is the preferred one."""
        if not errors:
            return NoneAnswered("is not configured", retryable=False)
        error = NoneAnswered(
            f"gave no answer ({'; '.join(self.notes)})",
            check=next((error.check for error in errors if error.check), ""),
            status=errors[0].status,
            retryable=any(error.retryable for error in errors),
            answered=all(error.answered for error in errors),
        )
        error.calls = self.calls
        error.contents = tuple(reply.content for reply in self.replies)
        error.notes = tuple(self.notes)
        error.prompt_tokens = self._prompt_tokens
        error.completion_tokens = self._completion_tokens
        return error

    @property
    def _prompt_tokens(self) -> int:
        return sum(reply.prompt_tokens for reply in self.replies)

    @property
    def _completion_tokens(self) -> int:
        return sum(reply.completion_tokens for reply in self.replies)
