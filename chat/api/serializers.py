"""Requests and responses of the API, as its description has them."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404
from rest_framework import serializers

from chat.api.fields import AskedMode, AskedText, Slug, Strict, Whole, Word, YesNo
from chat.models import REMOVED, ClaimKind, Conversation, Mode, Reason, TurnStatus
from chat.selectors import access_conversation
from corpus.access import collections_searchable
from corpus.models import Lifecycle, SourceType
from retrieval.config import SURROUNDINGS_CHARS
from retrieval.filters import filters_from
from retrieval.types import NO_FILTERS, Filters

MAX_COLLECTIONS = 50


class Collections(serializers.ListField):
    """Slugs of collections that the reader may search; any other is rejected as unknown.

    One query.
    """

    child = Slug(max_length=50)

    def run_validation(self, data: Any = serializers.empty) -> list[str]:
        slugs: list[str] = super().run_validation(data)
        open_ = collections_searchable(self.context["reader"])
        known = set(open_.filter(slug__in=slugs).values_list("slug", flat=True))
        errors = {
            str(index): ["There is no such collection."]
            for index, slug in enumerate(slugs)
            if slug not in known
        }
        if errors:
            raise serializers.ValidationError(errors)
        return slugs


def _words_of(help_text: str) -> serializers.ListField:
    return serializers.ListField(
        child=Word(),
        required=False,
        default=list,
        max_length=MAX_COLLECTIONS,
        help_text=f"{help_text} Any of them; upper and lower case are the same.",
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
        help_text="Slugs of the collections to search; all of them without this.",
    )


class FiltersRequest(Strict):
    """Filters of a search; a document that lacks a filtered field is not found."""

    specialties = _words_of("Specialties of documents.")
    populations = _words_of("Populations, such as `adult`.")
    issuers = _words_of("Issuers or journals.")
    languages = _words_of("Languages, such as `en`.")
    source_types = serializers.ListField(
        child=serializers.ChoiceField(choices=SourceType.choices),
        required=False,
        default=list,
        help_text="Kinds of documents.",
    )
    year_from = _year("The first year of publication.")
    year_to = _year("The last year of publication.")

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
        help_text=f"In plain words; at most {settings.QUESTION_MAX_CHARS:,} characters."
    )
    collections = _collections()
    filters = FiltersRequest(required=False, default=lambda: NO_FILTERS)
    mode = AskedMode(
        required=False, help_text="What the answer has to pass; the site's own without this."
    )
    conversation = OwnConversation(
        required=False, help_text="Where it is asked, as a follow-up if it is one."
    )
    stream = YesNo(
        required=False,
        default=False,
        help_text="As server-sent events; so is it for whoever accepts only `text/event-stream`.",
    )


class SearchRequest(Strict):
    query = AskedText(help_text=f"At most {settings.QUESTION_MAX_CHARS:,} characters.")
    k = Whole(required=False, default=10, min_value=1, max_value=50, help_text="How many passages.")
    collections = _collections()
    filters = FiltersRequest(required=False, default=lambda: NO_FILTERS)
    surroundings = YesNo(
        required=False, default=False, help_text="With what stands around each passage."
    )


def _ocr_confidence() -> serializers.FloatField:
    return serializers.FloatField(
        min_value=0,
        max_value=1,
        allow_null=True,
        help_text="How sure character recognition was of the page; null where it was not needed.",
    )


class PlaceResponse(serializers.Serializer[Any]):
    """A place in a document."""

    page = serializers.IntegerField(
        min_value=1,
        help_text="Of the file, from 1; a slide or a sheet counts as one. Always 1 where the "
        "document has no pages (Word, HTML, Markdown, text, XML): then `position` says where.",
    )
    position = serializers.CharField(
        allow_null=True,
        help_text="Where the document has no pages: what of the section it is, such as "
        "`paragraphs 3 to 5` or `table 2, row 4`, counted below the last heading; else null.",
    )
    section = serializers.CharField(
        allow_blank=True, help_text="The headings above it in one line, the outermost first."
    )
    section_path = serializers.ListField(
        child=serializers.CharField(), help_text="The headings above it, the outermost first."
    )


class BoxResponse(serializers.Serializer[Any]):
    """A rectangle in points, from the page's top left corner."""

    x = serializers.FloatField()
    y = serializers.FloatField()
    width = serializers.FloatField()
    height = serializers.FloatField()


class SizeResponse(serializers.Serializer[Any]):
    width = serializers.FloatField()
    height = serializers.FloatField()


class SourceResponse(PlaceResponse):
    """A place in a document, the document's state of today, and addresses of the page."""

    document = serializers.CharField(help_text="Its title, as it was then.")
    version = serializers.CharField(allow_blank=True, help_text="As it was then.")
    sha256 = serializers.CharField(help_text="SHA-256 of the document's bytes, in hex.")
    issuer = serializers.CharField(allow_blank=True)
    population = serializers.CharField(allow_blank=True, help_text="Whom it is for.")
    lifecycle = serializers.ChoiceField(choices=Lifecycle.choices, help_text="Today.")
    effective_from = serializers.DateField(allow_null=True)
    review_by = serializers.DateField(allow_null=True)
    overdue = serializers.BooleanField(
        help_text="In force, but past its review date: the warning `review_due` says so too."
    )
    boxes = BoxResponse(
        many=True,
        help_text="What is painted on the page, a rectangle a line; none without geometry, or "
        "where the words are no longer on the page.",
    )
    page_size = SizeResponse(allow_null=True, help_text="In points; null without geometry.")
    link = serializers.CharField(
        help_text="The page with the words painted, for people who are signed in at the site."
    )
    picture = serializers.CharField(
        allow_null=True, help_text="The page's picture, for them too; null where there is none."
    )
    token_link = serializers.CharField(
        help_text="The page in the API with the words painted, for a token with the scope `read`."
    )
    token_picture = serializers.CharField(
        allow_null=True, help_text="Its picture with them painted, for the same; null as `picture`."
    )


class CorrectedResponse(serializers.Serializer[Any]):
    """Text that staff corrected, with a neighbouring word."""

    text = serializers.CharField(help_text="As staff say that the page reads.")
    read = serializers.CharField(allow_blank=True, help_text="As they had been misread.")
    is_quoted = serializers.BooleanField(
        help_text="Whether the quote has them as corrected. False for an answer from before: it "
        "rests on the misread words, and should not be acted on."
    )


class CitationResponse(SourceResponse):
    quote = serializers.CharField(help_text="Verbatim from that page, as it was read or corrected.")
    ocr_confidence = _ocr_confidence()
    corrected = CorrectedResponse(
        many=True, help_text="What staff corrected of the place that is cited; mostly empty."
    )


class ClaimResponse(serializers.Serializer[Any]):
    number = serializers.IntegerField(
        min_value=1, help_text="In the answer; one that is hidden is left out, and keeps its own."
    )
    text = serializers.CharField()
    under = serializers.CharField(
        help_text="What it stands under, title, headings and caption: show it with the text, which "
        "may name its medicine or its patients there alone."
    )
    kind = serializers.ChoiceField(
        choices=ClaimKind.choices,
        help_text="`answer`; `caution`, a limit that stands beside it; or `otherwise`, another "
        "guideline that disagrees.",
    )
    left_out = serializers.CharField(
        allow_null=True,
        help_text="Behind the last of several rows of a table: how many of its rows are shown.",
    )
    citations = CitationResponse(many=True)


class PassageResponse(SourceResponse):
    text = serializers.CharField()
    excerpt = serializers.ListField(
        child=serializers.CharField(),
        help_text="Its statements nearest to the question, each whole; empty if none was read.",
    )


class OwnerResponse(serializers.Serializer[Any]):
    name = serializers.CharField(allow_blank=True)
    contact = serializers.CharField(allow_blank=True)


class WarningResponse(serializers.Serializer[Any]):
    code = serializers.CharField(
        help_text="Beside the answer: `identifiers`, `omission`, `conflict`, `applicability`, "
        "`mismatch`, `unasked`, `lack`. Of a document, as it stands today: `withdrawn`, "
        "`superseded`, `unpublished`, `not_in_force`, `review_due`."
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
        child=serializers.IntegerField(min_value=1), help_text="Numbers of the claims, from 1."
    )
    documents = serializers.ListField(
        child=serializers.CharField(),
        help_text="SHA-256 of the documents that it speaks of; last what replaced it.",
    )


class QueryResponse(serializers.Serializer[Any]):
    status = serializers.ChoiceField(choices=TurnStatus.choices)
    reason = serializers.ChoiceField(
        choices=Reason.choices, allow_null=True, help_text="Why it was refused; null if answered."
    )
    message = serializers.CharField(
        allow_null=True, help_text="The reason as a sentence, and what the search was narrowed to."
    )
    mode = serializers.ChoiceField(choices=Mode.choices)
    standalone = serializers.CharField(
        allow_null=True, help_text="How the question was understood, where in other words."
    )
    option = serializers.CharField(
        allow_null=True, help_text="The letter chosen, of a multiple-choice question."
    )
    warnings = WarningResponse(many=True)
    withheld = serializers.ListField(
        child=serializers.CharField(),
        help_text="Why statements are not shown, one each, also with a refusal; only in the mode "
        "`standard`.",
    )
    owner = OwnerResponse(allow_null=True, help_text="Whom to ask after a refusal, if known.")
    claims = ClaimResponse(many=True, help_text="Empty after a refusal.")
    nearest = PassageResponse(
        many=True, help_text="The nearest passages after a refusal. They are not an answer."
    )
    hidden = serializers.IntegerField(
        min_value=0,
        help_text="How many statements, or passages after a refusal, are left out since their "
        "guideline is no longer open to the reader.",
    )
    confidence = serializers.FloatField(
        min_value=0,
        max_value=1,
        help_text="Of an answer, half the share of statements that passed verification and half "
        "the coverage: the gate's probability that the best passage answers the question or, in "
        "the mode `confident`, what the judge says. With a refusal that came before that, the "
        "gate's probability. No probability of being right.",
    )
    turn = serializers.UUIDField(help_text="The number under which the audit log has it.")


class FeedbackResponse(serializers.Serializer[Any]):
    helpful = serializers.BooleanField()
    comment = serializers.CharField(allow_blank=True, help_text="As it was stored.")


class MessageResponse(QueryResponse):
    """A stored turn: the question and its answer."""

    question = serializers.CharField(help_text="As it was stored.")
    asked_at = serializers.DateTimeField()
    text_removed_at = serializers.DateTimeField(
        allow_null=True,
        help_text=f"Since when its texts are removed under retention, and read “{REMOVED}”; else "
        "null.",
    )
    duration_ms = serializers.IntegerField(min_value=0)
    conversation = serializers.UUIDField(allow_null=True)
    feedback = FeedbackResponse(allow_null=True, help_text="What its asker said of it, if so.")


class AlsoInResponse(serializers.Serializer[Any]):
    chunk = serializers.CharField()
    document = serializers.CharField()
    page = serializers.IntegerField(min_value=1)
    position = serializers.CharField(allow_null=True)


class SurroundingsResponse(serializers.Serializer[Any]):
    text = serializers.CharField(
        help_text=f"{SURROUNDINGS_CHARS:,} characters of its section around it, unless the site is "
        "set otherwise, in whole sentences and with the passage."
    )
    pages = serializers.ListField(child=serializers.IntegerField(min_value=1))


class HitResponse(PlaceResponse):
    rank = serializers.IntegerField(min_value=1)
    chunk = serializers.CharField()
    document = serializers.CharField()
    score = serializers.FloatField(help_text="Of the fusion; higher is better.")
    text = serializers.CharField()
    ocr_confidence = _ocr_confidence()
    also_in = AlsoInResponse(many=True, help_text="Other documents in force that say the same.")
    surroundings = SurroundingsResponse(
        required=False, help_text="To read with it; only where they were asked for."
    )


class FieldProblem(serializers.Serializer[Any]):
    pointer = serializers.CharField(help_text="JSON pointer into the body.")
    detail = serializers.CharField()


class Problem(serializers.Serializer[Any]):
    """Problem details (RFC 9457)."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    instance = serializers.CharField(required=False)
    errors = FieldProblem(many=True, required=False)  # type: ignore[assignment]  # a field
