"""One question to the first of several endpoints that answers it.

They are asked in order of preference, within one deadline over all. One that takes no call (a key,
an address or a model that is wrong or gone) is put aside for `PUT_ASIDE_S` of
`core.llm.breaker`; one that failed three times in a row is skipped for a while; one whose answer
can't be read is passed over. None may use up the time of the next: while others follow, it has
half of what is left.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.llm.breaker import breaker_of
from core.llm.client import Endpoint, LanguageModelUnavailable, ask_reply, is_away, value_of
from core.llm.replies import Reply
from core.llm.request_variants import Question
from core.llm.usage import Usage

PUT_ASIDE = (401, 403, 404, 410)
SEED = 1  # of calls whose answer ought to be the same again; any number would do
MIN_CALL_S = 0.2  # with less no call is begun


@dataclass(frozen=True)
class Answer:
    """A value that fits its schema, and what it took."""

    value: Any
    content: str = field(repr=False)  # as it came
    model: str  # as it is configured
    usage: Usage  # of all answers, those too that could not be read; each endpoint asked is a call
    notes: tuple[str, ...] = ()  # on each endpoint that was passed over; no text of a question


class NoneAnswered(LanguageModelUnavailable):
    """No endpoint gave an answer that can be used; what they took all the same, as in `Answer`."""

    usage = Usage()
    contents: tuple[str, ...] = ()  # answers that could not be used, as they came
    notes: tuple[str, ...] = ()


def ask_first(
    endpoints: Sequence[Endpoint], question: Question, *, use: str, timeout_s: float
) -> Answer:
    """Return the answer of the first endpoint that gives one which fits the question's schema.

    `use` names what it is for: each use counts its failures apart. Takes no longer than
    `timeout_s`, whatever an endpoint does. Raises NoneAnswered, which says of each endpoint why;
    nothing is asked where there is none.
    """
    ends = time.monotonic() + timeout_s
    # By its place, too: the same address may be named again with another key.
    breakers = [
        breaker_of(f"{use} {place}", endpoint.url, endpoint.model)
        for place, endpoint in enumerate(endpoints, start=1)
    ]
    usage, replies, notes, errors = Usage(), [], [], []
    for place, (endpoint, breaker) in enumerate(zip(endpoints, breakers, strict=True), start=1):
        left_s = ends - time.monotonic()
        is_last = all(other.is_open for other in breakers[place:])
        try:
            if left_s < MIN_CALL_S:
                raise LanguageModelUnavailable("was not asked: no time was left")
            if refusal := breaker.refusal():
                raise LanguageModelUnavailable(refusal)
            usage += Usage(calls=1)
            within = replace(endpoint, timeout_s=round(left_s if is_last else left_s / 2, 2))
            with breaker.watched(is_away):
                reply = ask_reply(within, question)
                replies.append(reply)
                usage += reply.usage.at(endpoint.price)
                value = value_of(reply, question.schema or {}, endpoint)
        except LanguageModelUnavailable as error:
            if error.status in PUT_ASIDE or not (error.status or error.retryable):
                breaker.put_aside()
            errors.append(error)
            notes.append(f"endpoint {place} ({endpoint.model}): {error.what}")
        else:
            return Answer(value, reply.content, endpoint.model, usage, tuple(notes))
    raise _none_answered(errors, replies, notes, usage)


def _none_answered(
    errors: Sequence[LanguageModelUnavailable],
    replies: Sequence[Reply],
    notes: Sequence[str],
    usage: Usage,
) -> NoneAnswered:
    """Return one error for all endpoints; its hint is of the first, which is the preferred one."""
    if not errors:
        return NoneAnswered("is not configured", retryable=False)
    failed = NoneAnswered(
        f"gave no answer ({'; '.join(notes)})",
        check=next((error.check for error in errors if error.check), ""),
        status=errors[0].status,
        retryable=any(error.retryable for error in errors),
        answered=all(error.answered for error in errors),
    )
    failed.usage, failed.notes = usage, tuple(notes)
    failed.contents = tuple(reply.content for reply in replies)
    return failed
