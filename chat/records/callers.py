"""Admit calls of the patient's record, by a signed token that counts once."""

from __future__ import annotations

import hashlib
import logging
from datetime import UTC, datetime

from django.conf import settings
from django.contrib.auth.models import User
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from chat.api.problems import Unavailable
from chat.models import Scope, SpentToken
from chat.records.trust import Untrusted, claims_of
from chat.sign_in.signed_tokens import LEEWAY_S
from chat.sign_in.tokens import Granted

PATH, FEEDBACK = "/cds-services", "/feedback"
RATE = "600/min"  # of calls, by issuer

logger = logging.getLogger(__name__)


class RecordToken(BaseAuthentication):
    """The bearer token of CDS Hooks; it acts as the account that the settings name."""

    def authenticate(self, request: Request) -> tuple[User, Granted] | None:
        scheme, _, token = get_authorization_header(request).decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            return None
        hooks = settings.RECORD.hooks
        called = hooks.audience + request.path.removeprefix(PATH)
        addresses = [called, called.removesuffix(FEEDBACK)]  # of feedback, also its service's
        try:
            claims = claims_of(token.strip(), hooks, audience=addresses)
        except Untrusted as error:
            logger.warning("A call of the patient's record was refused: %s", error.sentence)
            raise AuthenticationFailed(error.sentence) from None
        ends = datetime.fromtimestamp(int(claims["exp"]) + LEEWAY_S, UTC)
        digest = _sha256(f"{claims['iss']}\n{claims['jti']}")
        if not SpentToken.objects.get_or_create(digest=digest, defaults={"ends": ends})[1]:
            raise AuthenticationFailed("The token is refused. It was used before (`jti`).")
        account = User.objects.filter(username=hooks.account, is_active=True).first()
        if account is None:
            logger.error("The account that `hooks` of MEDRAG_RECORD names is not an active one.")
            raise Unavailable("The site's account for the record is away. Tell its administrator.")
        caller = f"record:{_sha256(claims['iss'])}"
        return account, Granted(caller, frozenset({Scope.READ, Scope.ASK}), RATE)

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
