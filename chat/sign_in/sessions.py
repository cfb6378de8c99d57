"""End a session after a time in all, and after a time without a request.

The end is stored in the session's database row, so that an old cookie is worth nothing.
"""

from __future__ import annotations

import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends import db
from django.http import HttpRequest
from django.utils import timezone

SINCE = "signed_in_at"  # seconds since the epoch
STEP = datetime.timedelta(seconds=30)  # a session's end is moved at most this often


class SessionStore(db.SessionStore):
    """Django's session store; sessions end when idle for SESSION_IDLE, or at SESSION_COOKIE_AGE."""

    def load(self) -> dict[str, Any]:
        """Return the session's values, empty if it has ended. Reading postpones the idle end."""
        row = self._get_session_from_db()  # type: ignore[attr-defined]  # not in the stubs
        if row is None:
            return {}
        data: dict[str, Any] = self.decode(row.session_data)
        ends = _end_of(data)
        if ends is not None and abs(ends - row.expire_date) > STEP:
            # Only the end is written, so that what another request just stored stays.
            self.model.objects.filter(pk=row.pk).update(expire_date=ends)
            if ends <= timezone.now():  # the setting was shortened
                return {}
        return data

    def get_expiry_date(self, **kwargs: Any) -> datetime.datetime:
        """Return the end that the row is saved with."""
        return _end_of(self._session) or super().get_expiry_date(**kwargs)  # type: ignore[attr-defined]


def sessions_end(user: User) -> int:
    """Delete the sessions of an account; return their number. Reads all sessions.

    Also those that have ended by this machine's clock: by another's they may be open.
    """
    rows = SessionStore.get_model_class().objects.all()
    theirs = [
        row.pk for row in rows.iterator() if row.get_decoded().get(SESSION_KEY) == str(user.pk)
    ]
    rows.filter(pk__in=theirs).delete()
    return len(theirs)


def connect() -> None:
    user_logged_in.connect(_begin, dispatch_uid="sessions.begin")


def _begin(sender: object, *, request: HttpRequest | None, **extra: Any) -> None:
    if hasattr(request, "session"):
        request.session[SINCE] = timezone.now().timestamp()  # type: ignore[union-attr]


def _end_of(data: dict[str, Any]) -> datetime.datetime | None:
    """Return the end of a session, or None if nobody is signed in."""
    if SINCE not in data:
        return None
    since = datetime.datetime.fromtimestamp(data[SINCE], tz=datetime.UTC)
    in_all = since + datetime.timedelta(seconds=settings.SESSION_COOKIE_AGE)
    if not settings.SESSION_IDLE:
        return in_all
    return min(in_all, timezone.now() + settings.SESSION_IDLE)
