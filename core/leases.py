"""Lease rows of work: which attempt may write to a row, and until when by the database's clock.

A claim counts an attempt and draws a token, committed before the work begins. Each write names the
token (fencing), so that an attempt whose row was freed or given to another writes nothing. How many
attempts there are, and what follows the last, is the caller's rule.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, Self, TypeVar

from django.db import models
from django.db.models import F, QuerySet
from django.db.models.functions import Greatest, Now


class Leased(models.Model):
    """A row that one attempt at a time works on; without a token it is nobody's."""

    attempts = models.PositiveIntegerField(default=0)
    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)

    class Meta:
        abstract = True


Row = TypeVar("Row", bound=Leased)

# Changes that end a lease, without and with the attempt given back
FREE: dict[str, Any] = {"lease_token": None, "lease_until": None}
UNCOUNTED: dict[str, Any] = {**FREE, "attempts": F("attempts") - 1}


def ends_in(seconds: float) -> Any:
    """Return the time in so many seconds, by the database's clock."""
    return Now() + timedelta(seconds=seconds)


@dataclass
class Lease(Generic[Row]):
    """The right of one attempt to write to a row, which is as it was found, its attempt counted."""

    row: Row
    token: uuid.UUID

    @classmethod
    def claim(
        cls,
        due: QuerySet[Row],
        changes: Callable[[Row], dict[str, Any]],
        token: uuid.UUID | None = None,
    ) -> Self | None:
        """Count an attempt at the first due row that nobody holds locked, and lease it.

        Call it in a transaction. `changes` says what else of the row changes: the end of the lease
        at least. None if no row is due.
        """
        row = due.select_for_update(skip_locked=True, of=("self",)).first()
        if row is None:
            return None
        row.attempts += 1
        lease = cls(row, token or uuid.uuid4())
        begun = {"attempts": row.attempts, "lease_token": lease.token, **changes(row)}
        type(row)._default_manager.filter(pk=row.pk).update(**begun)
        return lease

    def held(self) -> QuerySet[Row]:
        """Return the row, or none if the lease was lost."""
        rows = type(self.row)._default_manager
        return rows.filter(pk=self.row.pk, lease_token=self.token)

    def extend(self, seconds: float) -> bool:
        """Hold the lease for so long from now, or longer if it was; return False if it was lost."""
        return self.held().update(lease_until=Greatest("lease_until", ends_in(seconds))) == 1

    def end(self, **changes: Any) -> bool:
        """Change the row and release the lease; return False, with no change, if it was lost."""
        return self.held().update(**{**FREE, **changes}) == 1
