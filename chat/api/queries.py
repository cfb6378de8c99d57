"""Ask and search over the API; an answer may be sent as server-sent events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.answers import turn_payload
from chat.api.guarded import BODY, Guarded, problems, user_of, valid, words_hmac
from chat.api.problems import IdentifiersSeen, problem_details
from chat.api.repeats import QUESTION_KEY, UNPROCESSABLE, AskedAs, asked_once
from chat.api.serializers import HitResponse, QueryRequest, QueryResponse, SearchRequest
from chat.ask import turn_ask
from chat.audit import log as audit
from chat.config import answer_config
from chat.models import Channel, Turn, TurnStatus
from chat.pipeline.events import Tell, ignore_event
from chat.question.clean import narrowing_check
from chat.question.guard import question_guarded
from chat.streams import MEDIA_TYPE, EventStream, Frame, QuestionStream
from chat.types import AskedQuestion
from core.replica import read_from_replica
from corpus.stops import Stops, stops_held
from retrieval.config import with_surroundings
from retrieval.configured import site_config
from retrieval.hits.payload import hits_payload
from retrieval.hits.unchanged import are_unchanged
from retrieval.pipeline import retrieve
from retrieval.types import Evidence, Filters, Query

EVENTS = ("retrieval", "gate", "verdict", "claim", "answer", "abstention", "error")


class EventResponse(serializers.Serializer[Any]):
    """One event of a stream. Lines that begin with a colon are comments."""

    id = serializers.CharField(help_text="Number of the event in the stream, from 1.")
    event = serializers.ChoiceField(
        choices=[(name, name) for name in EVENTS],
        help_text="`retrieval`, `gate` and `verdict` report progress. After the turn is "
        "stored, there is a `claim` for each claim of the answer, and last an "
        "`answer` or `abstention` with the whole response as without a stream. An "
        "`error` with a problem may come instead.",
    )
    data = serializers.CharField(help_text="JSON on one line.")  # type: ignore[assignment]  # a field


ANSWERS = {(200, "application/json"): QueryResponse, (200, MEDIA_TYPE): EventResponse}


class EventRenderer(JSONRenderer):
    """Lets a client accept server-sent events; an immediate refusal is sent as JSON."""

    media_type = MEDIA_TYPE


def wants_stream(fields: Mapping[str, Any], request: Request) -> bool:
    """Tell whether to send events: if the body asks for a stream or only events are accepted."""
    return bool(fields["stream"]) or isinstance(request.accepted_renderer, EventRenderer)


def problem_of(error: Exception) -> Any:
    """Return the problem that a call without a stream would get."""
    return problem_details(error, {}).data


def answer_frames(payload: Mapping[str, Any]) -> list[Frame]:
    """Return a frame for each claim of a stored turn, then one for the whole turn."""
    last = "answer" if payload["status"] == TurnStatus.ANSWERED else "abstention"
    claims = [Frame("claim", claim) for claim in payload["claims"]]
    return [*claims, Frame(last, payload)]


IDENTIFIERS_HEADER = "Identifiers-Seen"  # kinds, never the text


class QueryView(Guarded):
    renderer_classes = [JSONRenderer, EventRenderer]

    @extend_schema(
        operation_id="query",
        summary="Ask a question",
        description="Answers with claims, each with a citation of its page, or refuses with a "
        "reason. A refusal is a result with status 200.",
        parameters=[QUESTION_KEY],
        request=QueryRequest,
        responses={**ANSWERS, **problems(*BODY, *UNPROCESSABLE)},
        examples=examples.of("QUERY", "WRONG_FIELD", "PROBLEMS"),
    )
    def post(self, request: Request) -> HttpResponseBase:
        user = user_of(request)
        fields = valid(QueryRequest(data=request.data, context={"reader": user}))
        return answered(fields, request)


class SearchView(Guarded):
    @extend_schema(
        operation_id="search",
        summary="Search the guidelines in force",
        description="The best passages first. They are evidence to read, not an answer. Words that "
        "seem to identify a patient are replaced before the search, or refused with 400, as the "
        f"site is configured; the header `{IDENTIFIERS_HEADER}` lists the kinds that were found.",
        request=SearchRequest,
        responses={200: HitResponse(many=True), **problems(*BODY)},
        examples=examples.of("SEARCH", "WRONG_FIELD", "PROBLEMS"),
    )
    def post(self, request: Request) -> Response:
        user = user_of(request)
        fields = valid(SearchRequest(data=request.data, context={"reader": user}))
        evidence, hits, kinds = passages_found(fields.pop("query"), reader=user, **fields)
        search_log(user, evidence, k=fields["k"], kinds=kinds)
        headers = {IDENTIFIERS_HEADER: ", ".join(kinds)} if kinds else None
        return Response(hits, headers=headers)


def passages_found(
    words: str,
    *,
    reader: User | None,
    k: int,
    collections: Sequence[str],
    filters: Filters,
    surroundings: bool,
) -> tuple[Evidence, list[dict[str, Any]], tuple[str, ...]]:
    """Search; return the evidence, its passages as JSON, and the kinds of identifiers in `words`.

    Reads a replica, if there is one. Raises `IdentifiersSeen` and `QuestionError` before anything
    is searched, stored or sent.
    """
    policy = answer_config().identifiers
    guarded = question_guarded(words, policy)
    if guarded.is_blocked:
        raise IdentifiersSeen(guarded.kinds)
    narrowing_check(filters, collections, policy)
    query = Query(
        text=guarded.text,
        on=timezone.localdate(),
        collections=tuple(collections),
        reader=reader.pk if reader else None,
        filters=filters,
    )
    config = replace(site_config(), k=k)
    config = with_surroundings(config) if surroundings else config
    everything = read_from_replica(lambda: retrieve(query, config), still_holds=are_unchanged)
    stops = stops_held()
    evidence = _without_hidden(everything, stops)
    found = hits_payload(evidence.hits, evidence.surroundings if surroundings else ())
    for hit, shown in zip(evidence.hits, found, strict=True):
        stop = stops.on(hit.document_id, hit.collection)
        shown["stopped"] = stop.sentence if stop else None
    return evidence, found, guarded.kinds


def _without_hidden(evidence: Evidence, stops: Stops) -> Evidence:
    """Leave out what a stop of answering hides from searches, too."""
    shown = tuple(h for h in evidence.hits if not stops.hide(h.document_id, h.collection))
    return replace(evidence, hits=shown)


def answered(fields: Mapping[str, Any], request: Request) -> HttpResponseBase:
    """Ask the question of a `QueryRequest` and send the stored turn, whole or as a stream."""
    if not wants_stream(fields, request):
        return Response(answer_to(fields, request))

    def work(tell: Tell) -> list[Frame]:
        return answer_frames(answer_to(fields, request, tell=tell))

    stream = QuestionStream(work, user=user_of(request), problem=problem_of)
    return EventStream(stream.begun())


def answer_to(
    fields: Mapping[str, Any], request: Request, *, tell: Tell = ignore_event
) -> dict[str, Any]:
    """Ask the question of a `QueryRequest` and return the stored turn as JSON."""

    def ask(asked_as: AskedAs) -> Turn:
        return turn_ask(
            AskedQuestion(
                fields["question"],
                user=user_of(request),
                channel=Channel.API,
                conversation=fields.get("conversation"),
                collections=tuple(fields["collections"]),
                filters=fields["filters"],
                mode=fields.get("mode", ""),
                as_typed=fields.get("as_typed", False),
                key=asked_as.key,
                request=asked_as.request,
            ),
            tell=tell,
        )

    turn = asked_once(request, ask)
    return turn_payload(turn, address=request.build_absolute_uri)


def search_log(user: User, evidence: Evidence, *, k: int, kinds: tuple[str, ...]) -> None:
    """Log who searched and which passages were found, with the query only as a keyed hash.

    The query may name a patient.
    """
    payload: dict[str, Any] = {
        "chunks": [hit.key for hit in evidence.hits],
        "collections": list(evidence.query.collections),
        "filters": {name: value for name, value in asdict(evidence.query.filters).items() if value},
        "fingerprint": evidence.trace.fingerprint,
        "k": k,
        "query_hmac": words_hmac(evidence.query.text),
    }
    if kinds:
        payload["identifiers"] = list(kinds)
    if evidence.trace.notes:
        payload["notes"] = list(evidence.trace.notes)
    with transaction.atomic():
        audit.record("search", actor=user, subject="", payload=payload)
