"""Open the site from the patient's record (SMART App Launch 2.2), on the question page.

`/launch` sends the browser to the record, `/launch/back` reads who and whose facts, and the person
is signed in by a link that they made once, or signs in.
"""

from __future__ import annotations

import logging
import uuid
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from chat.audit import log as audit
from chat.records.launch import opened
from chat.records.launch.allowed import LaunchingRecord
from chat.records.launch.authorization import MAX_CHARS, way_back, way_to
from chat.records.launch.facts import facts_read
from chat.records.launch.people import account_link, linked_account, signs_in_itself
from chat.records.launch.refusals import AUDITED, LaunchRefused
from chat.records.terminology import name_of_code
from chat.web.http import SignedInRequest, changes, reads
from chat.web.views import page_context, question_sent

ENDED = gettext_lazy(
    "Nothing was asked: the facts of this patient have ended, since another patient was opened "
    "from the record, or time has passed. Open this site from there again, or ask without them."
)
_BACKEND = "django.contrib.auth.backends.ModelBackend"

logger = logging.getLogger(__name__)


@never_cache
@require_GET
def launch(request: HttpRequest, *, of_patient: bool = True) -> HttpResponse:
    """Begin a launch; the patient of an earlier one ends with it.

    If not `of_patient`, the record is asked only who the person is: to link an account in a window
    of its own.
    """
    _refuse_closed()
    record = settings.RECORD.launch.record(request.GET.get("iss", ""))
    wanted = request.GET.get("launch", "") if of_patient else ""
    try:
        if record is None:
            raise LaunchRefused("issuer")
        if of_patient and not 0 < len(wanted) <= MAX_CHARS:
            raise LaunchRefused("launch")
        opened.patient_end(request)
        return HttpResponseRedirect(way_to(request, record, launch=wanted))
    except LaunchRefused as refused:
        return _refused(request, refused)


@never_cache
@require_GET
def back(request: HttpRequest) -> HttpResponse:
    """Read what the record granted, and open the question page for whom it vouches."""
    _refuse_closed()
    try:
        granted = way_back(request)
        account = linked_account(granted.record.issuer, granted.person)
        if account and not account.is_active:
            raise LaunchRefused("deactivated", record=granted.record.name)
        read = facts_read(granted, name_of_code, timezone.localdate()) if granted.token else None
    except LaunchRefused as refused:
        return _refused(request, refused)
    is_known = account is not None and account == request.user
    if account and not is_known and not signs_in_itself(account):
        login(request, account, backend=_BACKEND)
        is_known = True
    if not is_known:
        logout(request)  # whoever sits there: only a sign-in after the launch counts
    opened.patient_end(request)
    is_framed = request.headers.get("Sec-Fetch-Dest") == "iframe"
    if not is_known and is_framed:
        there = f"{reverse('launch_sign_in')}?{urlencode({'iss': granted.record.issuer})}"
        shown = {"there": there, "is_launch": True}
        return render(request, "accounts/window_of_its_own.html", shown)
    if read is not None:
        opened.patient_keep(request, granted.record.issuer, *read)
    if account and is_known:
        return _opened(request, account, granted.record)
    opened.person_keep(request, granted.record.issuer, granted.person)
    return redirect_to_login(reverse("launch_link"))


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def link(request: SignedInRequest) -> HttpResponse:
    """Link the account that signed in after a launch, once the person says that it was them."""
    _refuse_closed()
    kept = opened.person_kept(request)
    if kept is None:
        return _refused(request, LaunchRefused("state"))
    record, person = kept
    account = request.user
    if linked_account(record.issuer, person) != account:
        if request.method != "POST":
            shown = {"record": record.name, "days": settings.RECORD.launch.link_days}
            return render(request, "chat/record/launch_link.html", shown)
        account_link(account, record=record, person=person)
    del request.session[opened.PERSON]
    return _opened(request, account, record)


def _opened(request: HttpRequest, account: User, record: LaunchingRecord) -> HttpResponse:
    """Log the launch of a patient, and go to its page; to the start where only who was asked."""
    there = opened.patient_open(request, account)
    if there:
        with transaction.atomic():
            subject = f"launch:{there.rstrip('/').rpartition('/')[2]}"
            audit.record("launch", actor=account, subject=subject, payload={"record": record.name})
    return redirect(there or "chat:home")


@reads
def launched(request: SignedInRequest, launch: uuid.UUID) -> HttpResponseBase:
    """Show the question page with the patient's facts, not asked by itself."""
    patient = opened.patient_of(request, launch)
    if patient is None:
        return render(request, "chat/record/launch_ended.html", status=410)
    return render(request, "chat/home.html", page_context(request, None, patient=patient))


@changes
def launched_ask(request: SignedInRequest, launch: uuid.UUID) -> HttpResponseBase:
    """Ask with the facts that are ticked; refuse, and ask nothing, if the launch has ended."""
    patient = opened.patient_of(request, launch)
    refusal = "" if patient else str(ENDED)
    return question_sent(request, None, patient=patient, refusal=refusal)


@require_GET
def keys(request: HttpRequest) -> JsonResponse:
    """Publish the public keys by which records know the site."""
    _refuse_closed()
    own = [record.key for record in settings.RECORD.launch.records if record.key]
    published = [
        key.Algorithm.to_jwk(key.key.public_key(), as_dict=True)
        | {"kid": key.key_id, "alg": key.algorithm_name, "key_ops": ["verify"]}
        for key in own
    ]
    return JsonResponse({"keys": published})


def _refuse_closed() -> None:
    if not settings.RECORD.launch:
        raise Http404


def _refused(request: HttpRequest, refused: LaunchRefused) -> HttpResponse:
    logger.warning("A launch from the patient's record was refused: %s", refused.reason)
    opened.patient_end(request)
    if refused.reason in AUDITED:
        with transaction.atomic():
            payload = {"reason": refused.reason, "record": refused.record}
            audit.record("launch.refused", actor=None, subject="", payload=payload)
    page = "chat/record/launch_refused.html"
    return render(request, page, {"said": refused.sentence}, status=refused.status)
