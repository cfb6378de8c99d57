"""Documents in requests and responses of the API."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from chat.api.fields import AnyFile, OnlyText, Slug, Strict, Text, Whole, Words
from chat.api.pages import MAX_WORDS_CHARS, PageRequest
from chat.caveats.notices import document_notices
from corpus.models import (
    Authority,
    Chunk,
    Collection,
    Correction,
    Document,
    Job,
    JobState,
    Lifecycle,
    SourceType,
    Stage,
    share_finished,
)
from corpus.staff_selectors import PageCheck
from corpus.stops import stops_held
from corpus.types import Grade

MAX_REASON_CHARS = 1000
MAX_PAGES = 20_000
MAX_CORRECTIONS = 20_000
SHA256 = r"^[0-9a-f]{64}$"


class CollectionField(Slug):
    """The slug of one of `context["collections"]`; any other is rejected as unknown. One query."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=50, **kwargs)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        slug = super().run_validation(data)
        collection: Collection | None = self.context["collections"].filter(slug=slug).first()
        if collection is None:
            raise serializers.ValidationError("There is no such collection.")
        return collection


class OtherDocument(OnlyText, serializers.RegexField):
    """The SHA-256 of one of `context["others"]`; any other is rejected as unknown. One query."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(SHA256, **kwargs)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        sha256 = super().run_validation(data)
        document: Document | None = self.context["others"].filter(sha256=sha256).first()
        if document is None:
            raise serializers.ValidationError("There is no such document.")
        return document


def _source_type() -> serializers.ChoiceField:
    return serializers.ChoiceField(choices=SourceType.choices, required=False)


class UploadRequest(Strict):
    """A form as `multipart/form-data`: the file and its metadata."""

    file = AnyFile(
        help_text="PDF, Office, OpenDocument, EPUB, e-mail (EML), HTML, Markdown or text; the "
        "extension decides."
    )
    collection = CollectionField(help_text="Slug of the collection for the document.")
    title = Words(
        required=False, max_length=500, help_text="By default taken from the name of the file."
    )
    version = Words(required=False, max_length=50)
    issuer = Words(required=False, max_length=200)
    source_type = _source_type()
    population = Words(required=False, max_length=100, help_text="For example `adult`.")
    effective_from = serializers.DateField(
        required=False, help_text="By default the day of publication."
    )
    review_by = serializers.DateField(required=False)


class MetadataRequest(Strict):
    """The fields to change; fields left out keep their values."""

    title = Text(required=False, max_length=500)
    version = Words(required=False, max_length=50)
    issuer = Words(required=False, max_length=200)
    journal = Words(required=False, max_length=200)
    source_type = _source_type()
    year = Whole(required=False, allow_null=True, min_value=0, max_value=9999)
    authority = serializers.ChoiceField(choices=Authority.choices, required=False)
    specialty = Words(required=False, max_length=100)
    population = Words(required=False, max_length=100)
    language = Text(required=False, max_length=10)
    source_url = serializers.URLField(required=False, max_length=1000, allow_blank=True)
    licence = Words(required=False, max_length=100)
    collection = CollectionField(required=False)
    effective_from = serializers.DateField(required=False, allow_null=True)
    review_by = serializers.DateField(required=False, allow_null=True)


class DocumentsRequest(PageRequest):
    collection = Slug(required=False, max_length=50)
    lifecycle = serializers.ChoiceField(choices=Lifecycle.choices, required=False)
    job = serializers.ChoiceField(
        choices=JobState.choices, required=False, help_text="State of the ingestion job."
    )
    words = Words(
        required=False,
        max_length=MAX_WORDS_CHARS,
        help_text="Only documents with these words in title, file name, issuer, journal or "
        "SHA-256.",
    )


def _looked() -> serializers.ListField:
    return serializers.ListField(
        child=Whole(min_value=1, max_value=MAX_PAGES),
        required=False,
        default=list,
        max_length=MAX_PAGES,
        help_text="Numbers of the pages that somebody compared with the original; all pages "
        "of `doubts` with `must_be_looked_at` are required.",
    )


def _compared() -> serializers.ListField:
    return serializers.ListField(
        child=Whole(min_value=1, max_value=2**63 - 1),
        required=False,
        default=list,
        max_length=MAX_CORRECTIONS,
        help_text="Ids of the corrections that somebody compared with the page; all of "
        "`corrections` are required.",
    )


class PublishRequest(Strict):
    looked = _looked()
    compared = _compared()


class SupersedeRequest(Strict):
    successor = OtherDocument(help_text="SHA-256 of the published document that replaces it.")


class ReplaceRequest(Strict):
    successor = OtherDocument(help_text="SHA-256 of the new version, a draft or in review.")
    looked = _looked()
    compared = _compared()


class NothingRequest(Strict):
    """An empty object, or no body."""


class ReasonRequest(Strict):
    reason = Text(max_length=MAX_REASON_CHARS, help_text="Shown to colleagues in the history.")


class WithdrawRequest(Strict):
    reason = Text(
        max_length=MAX_REASON_CHARS,
        help_text="Shown to clinicians beside each answer that cited the document.",
    )


def _name(person: str) -> serializers.CharField:
    return serializers.CharField(source=f"{person}.username", allow_null=True, read_only=True)


class JobResponse(serializers.ModelSerializer[Job]):
    progress = serializers.SerializerMethodField(
        help_text="Progress of the ingestion, from 0 to 1. It never goes back, also if a step has "
        "to be repeated; `done` of `total` pages or passages belong to the running step."
    )
    error = serializers.CharField(
        source="last_error", help_text="Why the ingestion failed, for staff."
    )

    class Meta:
        model = Job
        fields = (
            "state", "stage", "progress", "done", "total", "attempts", "error_code", "error",
            "enqueued_at", "started_at", "finished_at",
        )  # fmt: skip

    def get_progress(self, job: Job) -> float:
        if job.state == JobState.DONE:
            return 1.0
        return round(max(job.progress, share_finished(Stage(job.stage))), 3)


class DocumentResponse(serializers.ModelSerializer[Document]):
    """A document as staff see it."""

    collection = serializers.SlugRelatedField[Collection](slug_field="slug", read_only=True)
    job = JobResponse(read_only=True, allow_null=True)
    uploaded_by = _name("uploaded_by")
    published_by = _name("published_by")
    superseded_by = serializers.SerializerMethodField(
        help_text="SHA-256; also null if that document is not open to you."
    )

    class Meta:
        model = Document
        fields = (
            "sha256", "filename", "media_type", "size_bytes", "page_count", "collection",
            "title", "version", "issuer", "journal", "source_type", "year", "authority",
            "specialty", "population", "language", "source_url", "licence",
            "lifecycle", "effective_from", "review_by", "uploaded_at", "uploaded_by",
            "published_at", "published_by", "withdrawn_at", "withdrawn_reason", "superseded_by",
            "indexed_at", "job",
        )  # fmt: skip

    def get_superseded_by(self, document: Document) -> str | None:
        new = document.superseded_by
        is_open = new is not None and new.collection_id in self.context["readable"]
        return new.sha256 if new and is_open else None


class PageDoubtResponse(serializers.Serializer[Any]):
    """A doubt of a page's reading."""

    code = serializers.CharField()
    grade = serializers.ChoiceField(
        choices=[(grade.value, grade.value) for grade in Grade],
        help_text="`value`: a number, unit, sign or negation, or the row or column that it belongs "
        "to, may be wrong; it is not quoted before somebody looked. `structure`: the order or "
        "grouping may be. `note`: left out on purpose, or only odd.",
    )
    message = serializers.CharField()


class DoubtResponse(serializers.Serializer[PageCheck]):
    """A page that the reader was unsure of."""

    page = serializers.IntegerField(source="number", min_value=1)
    must_be_looked_at = serializers.BooleanField(
        source="is_unseen",
        help_text="A publisher has to compare it and list it in `looked`, unless it was ticked.",
    )
    doubts = PageDoubtResponse(many=True)
    ocr_confidence = serializers.FloatField(allow_null=True)
    words_found = serializers.FloatField(
        source="words_share",
        allow_null=True,
        help_text="Share of the page's words that were found in what was read; null if they "
        "were not compared.",
    )


class CorrectionResponse(serializers.ModelSerializer[Correction]):
    """A correction by staff of the text that was read, not published yet."""

    made_by = _name("made_by")
    taken_back = serializers.BooleanField(
        source="is_taken_back",
        help_text="The correction was taken back, so `text` is what was read.",
    )

    cells = serializers.JSONField(
        source="table.cells",
        default=None,
        help_text="Of a repaired table the cells as they should be: `row`, `column`, `rows` and "
        "`columns` that it spans, `is_header`, `text`; else null.",
    )

    class Meta:
        model = Correction
        fields = (
            *("id", "page", "as_read", "text", "taken_back", "cells"),
            *("reason", "made_by", "made_at"),
        )


class NoticeResponse(serializers.Serializer[Any]):
    code = serializers.CharField()
    level = serializers.CharField()
    text = serializers.CharField(source="sentence")


class DocumentDetails(DocumentResponse):
    """A document with everything to know before trusting it."""

    doubts = serializers.SerializerMethodField()
    corrections = serializers.SerializerMethodField(
        help_text="Corrections that must be compared with the page before publishing, in "
        "order of page."
    )
    notices = serializers.SerializerMethodField()

    class Meta(DocumentResponse.Meta):
        fields = (  # type: ignore[assignment]
            *DocumentResponse.Meta.fields, "doubts", "corrections", "notices",
        )  # fmt: skip

    @extend_schema_field(DoubtResponse(many=True))
    def get_doubts(self, document: Document) -> Any:
        return DoubtResponse(self.context["doubts"], many=True).data

    @extend_schema_field(CorrectionResponse(many=True))
    def get_corrections(self, document: Document) -> Any:
        return CorrectionResponse(self.context["corrections"], many=True).data

    @extend_schema_field(NoticeResponse(many=True))
    def get_notices(self, document: Document) -> Any:
        notices = document_notices(
            document,
            on=timezone.localdate(),
            stops=stops_held(),
            readable=self.context["readable"],
        )
        return NoticeResponse(notices, many=True).data


class StoredPassage(serializers.ModelSerializer[Chunk]):
    class Meta:
        model = Chunk
        fields = (
            "key", "index", "page", "position", "section_path", "text", "tokens", "disabled_at",
            "disabled_reason",
        )  # fmt: skip


class PaintedRequest(Strict):
    """What to paint on a page."""

    citation = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=2**63 - 1,
        help_text="Citation of an answer to your own question, as in its `token_link`.",
    )
    chunk = serializers.CharField(
        required=False,
        max_length=100,
        help_text="Passage of the document, as returned by a search.",
    )


class StoredPage(serializers.Serializer[Any]):
    """A page as it was read, with notices on its document."""

    document = serializers.CharField()
    version = serializers.CharField(allow_blank=True)
    sha256 = serializers.CharField()
    number = serializers.IntegerField(min_value=1)
    page_label = serializers.CharField(
        allow_null=True, help_text="The page's own label, such as `ii`, if it is not its number."
    )
    text = serializers.CharField(allow_blank=True)
    notices = NoticeResponse(many=True)
    html = serializers.CharField(
        allow_blank=True,
        help_text="The same text as HTML, with `<mark>` around the highlighted words.",
    )
    picture = serializers.CharField(
        allow_null=True,
        help_text="Picture of the page with the same words highlighted, for the same token.",
    )
