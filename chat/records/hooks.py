"""Serve CDS Hooks 2.0 at `/cds-services`: discovery, three services and their feedback."""

from __future__ import annotations

import hashlib
import logging
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api.guarded import Guarded, user_of, valid
from chat.api.problems import Unavailable
from chat.audit import log as audit
from chat.models import Scope, SpentToken
from chat.records.cards import CONDITION, MEDICINE, REASONS, Card, card_of
from chat.records.resources import PREFETCH, ordered_medicines, patients_in, subject_of
from chat.records.terminology import name_of_code
from chat.records.trust import Untrusted, claims_of
from chat.sign_in.signed_tokens import LEEWAY_S
from chat.sign_in.tokens import Granted

MOST_ORDERS, MOST_CONDITIONS, MOST_FEEDBACK = 30, 10, 50
OUTCOMES = ("accepted", "overridden")


PATH, FEEDBACK = "/cds-services", "/feedback"
RATE = "600/min"  # of calls, by issuer
_ON_ORDERS = (
    "Shows where a local guideline in force is on each medicine, and what it forbids for the "
    "patient, in its own words. It gives no dose."
)
SERVICES = {  # by id, which is also that of the hook: title and description
    "patient-view": (
        "Local guidelines on conditions",
        "Shows where a local guideline in force is on the patient's conditions.",
    ),
    "order-select": ("Local guidelines on selected medicines", _ON_ORDERS),
    "order-sign": ("Local guidelines on ordered medicines", _ON_ORDERS),
}


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
            raise exceptions.AuthenticationFailed(error.sentence) from None
        ends = datetime.fromtimestamp(int(claims["exp"]) + LEEWAY_S, UTC)
        digest = _sha256(f"{claims['iss']}\n{claims['jti']}")
        if not SpentToken.objects.get_or_create(digest=digest, defaults={"ends": ends})[1]:
            raise exceptions.AuthenticationFailed(
                "The token is refused. It was used before (`jti`)."
            )
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


class PrefetchMissing(exceptions.APIException):
    status_code = 412
    default_detail = "The prefetch has no `patient`. Nothing was searched."


class _Call(serializers.Serializer[Any]):
    hook = serializers.CharField()
    hookInstance = serializers.UUIDField()
    context = serializers.DictField()  # type: ignore[assignment]  # the standard's name
    prefetch = serializers.DictField(default=dict)


class _Said(serializers.Serializer[Any]):
    """What became of a card. A comment is not read."""

    card = serializers.UUIDField()
    outcome = serializers.ChoiceField(OUTCOMES)
    outcomeTimestamp = serializers.DateTimeField()
    overrideReason = serializers.JSONField(default=None)


class _Feedback(serializers.Serializer[Any]):
    feedback = serializers.ListField(child=_Said(), min_length=1, max_length=MOST_FEEDBACK)


@extend_schema(exclude=True)
class _Hooked(Guarded):
    authentication_classes = [RecordToken]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if not settings.RECORD.hooks:
            raise exceptions.NotFound("CDS Hooks are off on this site.")
        super().initial(request, *args, **kwargs)
        if kwargs and kwargs["service"] not in SERVICES:
            raise exceptions.NotFound(f"The services are {', '.join(SERVICES)}.")


class ServicesView(_Hooked):
    def get(self, request: Request) -> Response:
        services = [
            {"id": name, "hook": name, "title": title, "description": said, "prefetch": PREFETCH}
            for name, (title, said) in SERVICES.items()
        ]
        return Response({"services": services})


class ServiceView(_Hooked):
    def post(self, request: Request, service: str) -> Response:
        call = valid(_Call(data=request.data))
        if call["hook"] != service:
            raise exceptions.ParseError(f"`hook` has to be {service} at this address.")
        prefetch = call["prefetch"]
        if not isinstance(prefetch.get("patient"), dict):
            raise PrefetchMissing
        sent = {**prefetch, "orders": call["context"].get("draftOrders")}
        if patients_in(sent) - {"", str(call["context"].get("patientId"))}:
            raise exceptions.ParseError(
                "It has facts of another patient than `context.patientId`. Nothing was searched."
            )
        subject = subject_of(prefetch, name_of_code, timezone.localdate())
        if service == "patient-view":
            names, task = subject.conditions[:MOST_CONDITIONS], CONDITION
        else:
            names, task = _ordered(call["context"], service), MEDICINE
        user = user_of(request)
        cards: dict[str, Card] = {}
        for name in names:
            card = card_of(name, task, subject, user, request.build_absolute_uri)
            if card:  # one guideline on two conditions is one card
                key = card["summary"] if task == CONDITION else name
                cards.setdefault(key, card)
        if cards:  # logged before they are sent
            shown = {card["uuid"]: card["indicator"] for card in cards.values()}
            payload = {"service": service, "cards": shown}
            with transaction.atomic():
                audit.record("cards", actor=user, subject="", payload=payload)
        return Response({"cards": list(cards.values())})


class FeedbackView(_Hooked):
    def post(self, request: Request, service: str) -> Response:
        with transaction.atomic():
            for each in valid(_Feedback(data=request.data))["feedback"]:
                code: Any = each["overrideReason"]
                for name in ("reason", "code"):
                    code = code.get(name) if isinstance(code, dict) else None
                is_told = isinstance(code, str)
                reason = {"reason": code if code in REASONS else "other"} if is_told else {}
                payload = {"service": service} | reason
                action, subject = f"card.{each['outcome']}", f"card:{each['card']}"
                audit.record(action, actor=user_of(request), subject=subject, payload=payload)
        return Response({})


def _ordered(context: dict[str, Any], service: str) -> tuple[str, ...]:
    drafts, selections = context.get("draftOrders"), context.get("selections")
    if not isinstance(drafts, dict) or drafts.get("resourceType") != "Bundle":
        raise exceptions.ParseError("`context.draftOrders` has to be a Bundle.")
    if service != "order-select":
        selections = None
    elif not isinstance(selections, list) or not all(isinstance(s, str) for s in selections):
        raise exceptions.ParseError("`context.selections` has to be a list of references.")
    names = ordered_medicines(drafts, name_of_code, selections)
    if len(names) > MOST_ORDERS:
        raise exceptions.ParseError(
            f"More than {MOST_ORDERS} medicines were sent. Nothing was searched."
        )
    return names
