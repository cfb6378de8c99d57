"""Ask several endpoints one question, and take the first usable answer.

Endpoints are asked in order of preference, within one deadline for all. One that rejects every call
(its key, address or model is wrong or gone) is put aside for `PUT_ASIDE_S` of `core.llm.breaker`;
one that failed three times in a row is skipped for a while; one whose answer can't be read is
passed over. While others may follow, an endpoint gets half of the time left.
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
SEED = 1  # for calls whose answer should be reproducible; any number would do
MIN_CALL_S = 0.2  # with less time no call is made


@dataclass(frozen=True)
class Answer:
    """A value that fits its schema, and the usage and failures on the way to it."""

    value: Any
    content: str = field(repr=False)  # as it came
    model: str  # as it is configured
    usage: Usage  # of all answers, unusable ones too; each endpoint asked is one call
    notes: tuple[str, ...] = ()  # on each endpoint that failed; no text of a question


class NoneAnswered(LanguageModelUnavailable):
    """No endpoint gave a usable answer; usage and notes as in `Answer`."""

    usage = Usage()
    contents: tuple[str, ...] = ()  # answers that could not be used, as they came
    notes: tuple[str, ...] = ()


def ask_first(
    endpoints: Sequence[Endpoint], question: Question, *, use: str, timeout_s: float
) -> Answer:
    """Return the answer of the first endpoint whose answer fits what the question accepts.

    Failures are counted separately for each `use`. Takes at most `timeout_s`. Raises NoneAnswered,
    which says why each endpoint failed, and also if `endpoints` is empty.
    """
    ends = time.monotonic() + timeout_s
    # By place in the order, too: the same address may be named again with another key.
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
                value = value_of(reply, question.accepted, endpoint)
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
    """Build one error for all endpoints, with the hint of the first that has one."""
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
