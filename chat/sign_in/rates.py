"""Count the calls of a token in the database, so that its rate is one rate in all processes.

A sliding window of counters, each for a sixtieth of the window. A call is counted for the window
and up to a sixtieth of it longer, so no window ever has more calls than the rate allows, and a
token takes one short row, however high its rate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from django.db import connection

SLOTS = 60  # of a window; one more counter covers the slot that is left in part

# The row's lock orders calls at the same moment: each sees what the one before it has stored. The
# clock is read under the lock, and is the database's. If it goes back, or the window becomes
# longer, nothing is forgotten and nothing is counted for more than a window from then.
_COUNT = """
INSERT INTO chat_tokencalls AS kept (token_id, slot, calls, is_admitted)
VALUES (%(token)s, floor(extract(epoch FROM clock_timestamp()) * %(slots)s / %(window_s)s),
        array_fill(0, ARRAY[%(slots)s]) || 1, true)
ON CONFLICT (token_id) DO UPDATE SET (slot, calls, is_admitted) = (
    SELECT now_slot, moved[:%(slots)s] || moved[%(slots)s + 1] + (used < %(limit)s)::int,
           used < %(limit)s
    FROM (SELECT floor(extract(epoch FROM clock_timestamp()) * %(slots)s / %(window_s)s)::bigint
                 AS now_slot) AS clock,
         LATERAL (SELECT least(greatest(now_slot - kept.slot, 0), %(slots)s + 1)::int AS steps)
                 AS passed,
         LATERAL (SELECT (kept.calls || array_fill(0, ARRAY[steps]))[steps + 1:] AS moved)
                 AS shifted,
         LATERAL (SELECT sum(n) AS used FROM unnest(moved) AS n) AS counted
)
RETURNING is_admitted, calls, slot, extract(epoch FROM clock_timestamp())::float
"""


@dataclass(frozen=True)
class Use:
    """What a token has left of its rate, `limit` calls in `window_s`, after a call."""

    is_admitted: bool
    limit: int
    window_s: int
    left: int
    wait_s: int  # until more calls are free


def call_count(digest: str, *, limit: int, window_s: int) -> Use:
    """Count a call of a token unless its window is full. One query.

    A refused call is not counted, so it doesn't prolong the refusal. Call it outside a transaction:
    another call of the token waits for its end.
    """
    values: dict[str, str | int] = {
        "token": digest,
        "limit": limit,
        "window_s": window_s,
        "slots": SLOTS,
    }
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, values)
        is_admitted, calls, slot, now = cursor.fetchone()
    oldest = next((place for place, count in enumerate(calls) if count), 0)
    free_at = (slot + 1 + oldest) * window_s / SLOTS
    left, wait_s = max(limit - sum(calls), 0), max(math.ceil(free_at - now), 1)
    return Use(is_admitted, limit, window_s, left, wait_s)
