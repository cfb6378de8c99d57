"""Requests and responses of the API, as its description has them."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404
from rest_framework import serializers

from chat.api.fields import AskedMode, AskedText, Collections, Recalled, Strict, Whole, Word, YesNo
from chat.api.places import (
    CitationResponse,
    FigureResponse,
    PassageResponse,
    PlaceResponse,
    ocr_confidence,
    stopped,
)
from chat.models import REMOVED, ClaimKind, Conversation, Mode, Reason, TurnStatus
from chat.selectors import access_conversation
from corpus.models import SourceType
from retrieval.config import SURROUNDINGS_CHARS
from retrieval.filters import filters_from
from retrieval.types import NO_FILTERS, Filters

MAX_COLLECTIONS = 50


def _words_of(help_text: str) -> serializers.ListField:
    return serializers.ListField(
        child=Word(),
        required=False,
        default=list,
        max_length=MAX_COLLECTIONS,
        help_text=f"{help_text} Documents with any of them are searched; case is ignored.",
    )


def _year(help_text: str) -> Whole:
    return Whole(
        required=False, default=None, allow_null=True, min_value=1, max_value=9999,
        help_text=help_text,
    )  # fmt: skip


def _collections() -> Collections:
    return Collections(
        required=False,
        default=list,
        max_length=MAX_COLLECTIONS,
        help_text="Slugs of the collections to search; by default all that are open to you.",
    )


class FiltersRequest(Strict):
    """Filters of a search; a document that lacks a filtered field is not found."""

    specialties = _words_of("Specialties of documents.")
    populations = _words_of("Populations, such as `adult`.")
    issuers = _words_of("Issuers of documents.")
    journals = _words_of("Journals of articles.")
    languages = _words_of("Languages, such as `en`.")
    source_types = serializers.ListField(
        child=serializers.ChoiceField(choices=SourceType.choices),
        required=False,
        default=list,
        help_text="Kinds of documents, any of them.",
    )
    year_from = _year("First year of publication.")
    year_to = _year("Last year of publication.")

    def to_internal_value(self, data: Any) -> Filters:
        return filters_from(super().to_internal_value(data))


class OwnConversation(serializers.UUIDField):
    """The id of a conversation of the reader's; any other is rejected as unknown. One query."""

    def to_internal_value(self, data: Any) -> Conversation:  # type: ignore[override]
        if not isinstance(data, str):
            self.fail("invalid", value=data)
        try:
            return access_conversation(self.context["reader"], pk=super().to_internal_value(data))
        except Http404:
            raise serializers.ValidationError("There is no such conversation.") from None


class QueryRequest(Strict):
    question = AskedText(
        help_text=f"The question, at most {settings.QUESTION_MAX_CHARS:,} characters."
    )
    collections = _collections()
    filters = FiltersRequest(required=False, default=lambda: NO_FILTERS)
    mode = AskedMode(
        required=False, help_text="How strictly the answer is checked; by default the site's mode."
    )
    conversation = OwnConversation(
        required=False,
        help_text="Conversation that the question belongs to, so that it may be a follow-up.",
    )
    as_typed = YesNo(
        required=False,
        default=False,
        help_text="Take the words as they are typed: correct no spelling, read no short form.",
    )
    stream = YesNo(
        required=False,
        default=False,
        help_text="Answer with server-sent events; also done for clients that accept only "
        "`text/event-stream`.",
    )


class SearchRequest(Strict):
    query = AskedText(
        help_text=f"Words to search for, at most {settings.QUESTION_MAX_CHARS:,} characters."
    )
    k = Whole(
        required=False, default=10, min_value=1, max_value=50, help_text="Number of passages."
    )
    collections = _collections()
    filters = FiltersRequest(required=False, default=lambda: NO_FILTERS)
    surroundings = YesNo(
        required=False, default=False, help_text="Also return the text around each passage."
    )


class RowResponse(serializers.Serializer[Any]):
    caption = serializers.CharField(
        allow_blank=True, help_text="Of the table; claims with the same `under` are of one table."
    )
    heads = serializers.ListField(
        child=serializers.CharField(allow_blank=True), help_text="Of the columns."
    )
    cells = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text="One for each head. What a merged cell says is in each row that it covers.",
    )
    matches = serializers.BooleanField(
        allow_null=True,
        help_text="Whether the question is about this row rather than others of the table that "
        "are shown; null where nothing tells them apart.",
    )


class ClaimResponse(serializers.Serializer[Any]):
    number = serializers.IntegerField(
        min_value=1,
        help_text="Number of the claim in the answer. Numbers of hidden claims are skipped.",
    )
    text = serializers.CharField()
    under = serializers.CharField(
        help_text="Title, headings and caption above the text. Show them with the text: only "
        "they may name the medicine or the patients."
    )
    kind = serializers.ChoiceField(
        choices=ClaimKind.choices,
        help_text="`answer`; `row`, another row of the same table; `caution`, a limit stated "
        "beside the quoted text; or `otherwise`, a statement of another guideline that disagrees.",
    )
    left_out = serializers.CharField(
        allow_null=True,
        help_text="With the first row of a table: which of its rows are not shown.",
    )
    row = RowResponse(
        allow_null=True,
        help_text="The row of a table that the text says, cell by cell. Null for other claims, and "
        "where the page of today does not have each of its cells.",
    )
    citations = CitationResponse(many=True)
    figures = FigureResponse(
        many=True, help_text="Figures of its pages that belong to it; each once in an answer."
    )


class OwnerResponse(serializers.Serializer[Any]):
    name = serializers.CharField(allow_blank=True)
    contact = serializers.CharField(allow_blank=True)


class WarningResponse(serializers.Serializer[Any]):
    code = serializers.CharField(
        help_text="About the answer: `identifiers`, `omission`, `conflict`, `applicability`, "
        "`mismatch`, `unasked`, `lack`, `barred`, `denied`, `allergy`, `earlier`, `unknown_word`, "
        "`ambiguous`, `prohibition`, `passed`. "
        "About the present state of a document: `withdrawn`, `superseded`, "
        "`unpublished`, `not_in_force`, `review_due`."
    )
    level = serializers.ChoiceField(
        choices=[
            ("stop", "Do not use"),
            ("caution", "Read before acting"),
            ("note", "Good to know"),
        ],
    )
    text = serializers.CharField()
    claims = serializers.ListField(
        child=serializers.IntegerField(min_value=1),
        help_text="Numbers of the claims concerned, from 1.",
    )
    documents = serializers.ListField(
        child=serializers.CharField(),
        help_text="SHA-256 of the documents concerned; the last one is the replacement, if "
        "there is one.",
    )
    page = serializers.IntegerField(
        allow_null=True, min_value=1, help_text="Page of the first document, if it is about one."
    )


class QueryResponse(serializers.Serializer[Any]):
    status = serializers.ChoiceField(choices=TurnStatus.choices)
    reason = serializers.ChoiceField(
        choices=Reason.choices,
        allow_null=True,
        help_text="Why the question was refused; null if it was answered. `WEAK_EVIDENCE` also "
        "where the reason rests on a guideline that is no longer open to the reader.",
    )
    message = serializers.CharField(
        allow_null=True, help_text="The reason as a sentence, with the filters of the search."
    )
    recalled = Recalled()
    mode = serializers.ChoiceField(choices=Mode.choices)
    standalone = serializers.CharField(
        allow_null=True, help_text="The question as it was understood, if it was rewritten."
    )
    plain = serializers.CharField(
        allow_null=True,
        help_text="The question in plain words, searched beside what was typed, if it differs: "
        "short forms spelled out. `as_typed` leaves it out.",
    )
    option = serializers.CharField(
        allow_null=True, help_text="The chosen letter of a multiple-choice question."
    )
    warnings = WarningResponse(many=True)
    withheld = serializers.ListField(
        child=serializers.CharField(),
        help_text="Why each withheld statement is not shown, also with a refusal; only in the "
        "mode `standard`.",
    )
    owner = OwnerResponse(
        allow_null=True,
        help_text="Whom to ask after a refusal: the owner of the nearest passage's collection. "
        "Where answering is stopped, whom to call about it, also with an answer. Else null.",
    )
    claims = ClaimResponse(many=True, help_text="Empty after a refusal.")
    nearest = PassageResponse(
        many=True,
        help_text="The nearest passages after a refusal, best first. They are not an answer.",
    )
    hidden = serializers.IntegerField(
        min_value=0,
        help_text="Number of statements, or of passages after a refusal, that are left out "
        "because their guideline is no longer open to the reader.",
    )
    confidence = serializers.FloatField(
        min_value=0,
        max_value=1,
        allow_null=True,
        help_text="Confidence of an answer: the mean of the share of statements that passed "
        "verification and of the coverage. The coverage is the gate's probability "
        "that the best passage answers the question or, in the mode `confident`, "
        "the judge's value. For a refusal before that step: the gate's probability. "
        "It is not the probability of being right. Null where something is hidden.",
    )
    turn = serializers.UUIDField(help_text="Id of the question in the audit log.")


class FeedbackResponse(serializers.Serializer[Any]):
    helpful = serializers.BooleanField()
    comment = serializers.CharField(allow_blank=True, help_text="The text as it was stored.")


class MessageResponse(QueryResponse):
    """A stored turn: the question and its answer."""

    question = serializers.CharField(help_text="The text as it was stored.")
    asked_at = serializers.DateTimeField()
    text_removed_at = serializers.DateTimeField(
        allow_null=True,
        help_text=f"When its texts were deleted under retention and replaced by “{REMOVED}”; null "
        "if they are stored.",
    )
    duration_ms = serializers.IntegerField(min_value=0)
    conversation = serializers.UUIDField(allow_null=True)
    feedback = FeedbackResponse(
        allow_null=True, help_text="Feedback of the person who asked, if any."
    )


class AlsoInResponse(serializers.Serializer[Any]):
    chunk = serializers.CharField()
    document = serializers.CharField()
    page = serializers.IntegerField(min_value=1)
    position = serializers.CharField(allow_null=True)


class SurroundingsResponse(serializers.Serializer[Any]):
    text = serializers.CharField(
        help_text=f"The passage with the text of its section around it, in whole sentences; about "
        f"{SURROUNDINGS_CHARS:,} characters unless the site is configured otherwise."
    )
    pages = serializers.ListField(child=serializers.IntegerField(min_value=1))


class HitResponse(PlaceResponse):
    rank = serializers.IntegerField(min_value=1)
    chunk = serializers.CharField()
    document = serializers.CharField()
    score = serializers.FloatField(help_text="Score of the fusion; higher is better.")
    text = serializers.CharField()
    ocr_confidence = ocr_confidence()
    stopped = stopped()
    also_in = AlsoInResponse(many=True, help_text="Other documents in force with the same text.")
    surroundings = SurroundingsResponse(
        required=False, help_text="Text around the passage; only if it was asked for."
    )
