"""Say why a launch is refused: what happened and what to do, without a word of what was sent."""

from __future__ import annotations

from http import HTTPStatus

from django.utils.translation import gettext_lazy

from core.errors import MedragError

SENTENCES = {
    "issuer": gettext_lazy("The record's address (`iss`) is not one that this site allows."),
    "launch": gettext_lazy("The launch names no patient's context (`launch`), or one too long."),
    "away": gettext_lazy(
        "The record's server does not answer, or not as it should. Open the site from the record "
        "again in a minute."
    ),
    "configuration": gettext_lazy(
        "The record's `smart-configuration` lacks what a launch needs: endpoints with https, its "
        "`issuer` with keys, and PKCE by S256."
    ),
    "state": gettext_lazy(
        "This is the way back of no launch that began in this browser within the last ten minutes, "
        "or of one that came back already. Open the site from the record again."
    ),
    "denied": gettext_lazy("The record did not permit the launch."),
    "code": gettext_lazy(
        "The record did not take its own code, or not the site's secret or key: a code is good "
        "once, and not for long. Open the site from the record again."
    ),
    "token": gettext_lazy(
        "The record's token on who you are can't be trusted: its signature, issuer, audience, time "
        "or nonce is not right."
    ),
    "clock": gettext_lazy(
        "The clocks of this site and of the record differ, so its token on who you are can't be "
        "trusted."
    ),
    "person": gettext_lazy(
        "The record says that you are a patient or a relative. This site is for staff."
    ),
    "patient": gettext_lazy("The record did not say which patient is open, or not as it should."),
    "other patient": gettext_lazy(
        "The record sent facts of another patient than the one who is open. None of them is kept."
    ),
    "deactivated": gettext_lazy("Your account here is deactivated."),
}
_STATUS = {"away": HTTPStatus.SERVICE_UNAVAILABLE} | dict.fromkeys(
    ("denied", "person", "deactivated"), HTTPStatus.FORBIDDEN
)
# Those that a trusted record's own server led to; anybody can cause the others.
AUDITED = frozenset(("token", "clock", "person", "patient", "other patient", "deactivated"))


class LaunchRefused(MedragError):
    """The launch must not go on, for one of the reasons above."""

    def __init__(self, reason: str, *, record: str = "") -> None:
        super().__init__(str(SENTENCES[reason]))
        self.reason, self.record = reason, record
        self.status = _STATUS.get(reason, HTTPStatus.BAD_REQUEST)
