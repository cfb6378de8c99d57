"""Admit calls of the patient's record, by a signed token that counts once."""

from __future__ import annotations

import hashlib
import logging
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from chat.api.problems import Unavailable
from chat.models import Scope, SpentToken
from chat.records.trust import Claims, Untrusted, claims_of
from chat.sign_in.tokens import Granted

PATH, FEEDBACK = "/cds-services", "/feedback"

logger = logging.getLogger(__name__)


class RecordToken(BaseAuthentication):
    """The bearer token of CDS Hooks; it acts as the account that the settings name."""

    def authenticate(self, request: Request) -> tuple[User, Granted] | None:
        scheme, _, token = get_authorization_header(request).decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            return None
        hooks = settings.RECORD.hooks
        try:
            claims = claims_of(token.strip(), hooks, audience=_addresses(request.path))
        except Untrusted as error:
            logger.warning("A call of the patient's record was refused: %s", error.sentence)
            raise AuthenticationFailed(error.sentence) from None
        digest = hashlib.sha256(f"{claims.issuer}\n{claims.nonce}".encode()).hexdigest()
        if not _is_first_use(digest, claims):
            raise AuthenticationFailed("The token is refused. It was used before (`jti`).")
        account = User.objects.filter(username=hooks.account, is_active=True).first()
        if account is None:
            logger.error("The account that `hooks` of MEDRAG_RECORD names is not an active one.")
            raise Unavailable("The site's account for the record is away. Tell its administrator.")
        caller = hashlib.sha256(claims.issuer.encode()).hexdigest()
        return account, Granted(f"record:{caller}", frozenset({Scope.READ, Scope.ASK}), hooks.rate)

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def _addresses(path: str) -> list[str]:
    """Return the addresses that a token may be for: the one called; of feedback, its service's."""
    called = settings.RECORD.hooks.audience + path.removeprefix(PATH)
    return list(dict.fromkeys((called, called.removesuffix(FEEDBACK))))


def _is_first_use(digest: str, claims: Claims) -> bool:
    """Note that a token was used; False if it was before, in whatever process."""
    spent: dict[str, Any] = {"ends": datetime.fromtimestamp(claims.ends, UTC)}
    return SpentToken.objects.get_or_create(digest=digest, defaults=spent)[1]
