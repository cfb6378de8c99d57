"""Responses of the API that tell where a text stands: pages, places, pictures and figures."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from corpus.models import Lifecycle


def ocr_confidence() -> serializers.FloatField:
    return serializers.FloatField(
        min_value=0,
        max_value=1,
        allow_null=True,
        help_text="Confidence of character recognition for the page; null if it was not needed.",
    )


def stopped() -> serializers.CharField:
    return serializers.CharField(
        allow_null=True,
        help_text="If answering from the document is stopped now, a sentence that says who stopped "
        "it, when, why, and whom to call: do not use its text. Else null.",
    )


class PlaceResponse(serializers.Serializer[Any]):
    """A place in a document."""

    page = serializers.IntegerField(
        min_value=1,
        help_text="Page of the file, from 1; a slide or a sheet counts as a page. Always 1 "
        "for documents without pages (Word, ODT, e-mail, HTML, Markdown, text, XML): see "
        "`position`.",
    )
    position = serializers.CharField(
        allow_null=True,
        help_text="For documents without pages: the place in the section, such as `paragraphs "
        "3 to 5` or `table 2, row 4`, counted below the last heading; otherwise "
        "null.",
    )
    section = serializers.CharField(
        allow_blank=True, help_text="The headings above the text on one line, the outermost first."
    )
    section_path = serializers.ListField(
        child=serializers.CharField(), help_text="The headings above the text, the outermost first."
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


class FigureResponse(serializers.Serializer[Any]):
    """A figure or flow chart of a page, which belongs to the text, to be cut out of its picture."""

    kind = serializers.ChoiceField(
        choices=[("figure", "Figure"), ("chart", "Flow chart")],
        help_text="Which box of a `chart` leads to which is not read: show its picture.",
    )
    name = serializers.CharField(allow_blank=True, help_text="As the page names it: `Figure 2`.")
    caption = serializers.CharField(allow_blank=True)
    sha256 = serializers.CharField(help_text="SHA-256 of the document's bytes, in hex.")
    page = serializers.IntegerField(min_value=1)
    box = BoxResponse(help_text="Where it is on the page.")


class SourceResponse(PlaceResponse):
    """A place in a document, the document's state of today, and addresses of the page."""

    page_label = serializers.CharField(
        allow_null=True, help_text="The page's own label, such as `ii`, if it is not its number."
    )
    document = serializers.CharField(help_text="Title of the document at the time of the answer.")
    version = serializers.CharField(
        allow_blank=True, help_text="Version of the document at the time of the answer."
    )
    reference = serializers.CharField(
        help_text="Document, version, journal, dates and place as a line of text."
    )
    sha256 = serializers.CharField(help_text="SHA-256 of the document's bytes, in hex.")
    issuer = serializers.CharField(allow_blank=True)
    journal = serializers.CharField(allow_blank=True)
    year = serializers.IntegerField(allow_null=True, help_text="Year of publication.")
    population = serializers.CharField(
        allow_blank=True, help_text="Patients that the document is for."
    )
    lifecycle = serializers.ChoiceField(
        choices=Lifecycle.choices, help_text="State of the document today."
    )
    effective_from = serializers.DateField(allow_null=True)
    review_by = serializers.DateField(allow_null=True)
    overdue = serializers.BooleanField(
        help_text="The document is in force but past its review date; there is also a warning "
        "`review_due`."
    )
    stopped = stopped()
    boxes = BoxResponse(
        many=True,
        help_text="Rectangles of the highlighted words on the page, one per line; empty "
        "without geometry, or if the words are no longer on the page.",
    )
    page_size = SizeResponse(
        allow_null=True, help_text="Size of the page in points; null without geometry."
    )
    link = serializers.CharField(
        help_text="The page with the words highlighted, for people who are signed in to the site."
    )
    picture = serializers.CharField(
        allow_null=True,
        help_text="The picture of the page, also for people who are signed in; null if there "
        "is none.",
    )
    token_link = serializers.CharField(
        help_text="The page in the API with the words highlighted, for a token with the scope "
        "`read`."
    )
    token_picture = serializers.CharField(
        allow_null=True,
        help_text="The picture of the page with the words highlighted, for the same token; "
        "null if there is none.",
    )


class CorrectedResponse(serializers.Serializer[Any]):
    """Text that staff corrected, with a neighbouring word."""

    text = serializers.CharField(help_text="The words as staff corrected them.")
    read = serializers.CharField(allow_blank=True, help_text="The words as they were misread.")
    is_quoted = serializers.BooleanField(
        help_text="Whether the quote has the corrected words. False for an answer from before "
        "the correction: it rests on misread words, and nobody should act on it."
    )


class CitationResponse(SourceResponse):
    quote = serializers.CharField(
        help_text="Verbatim text of the page, as it was read or corrected."
    )
    ocr_confidence = ocr_confidence()
    corrected = CorrectedResponse(
        many=True, help_text="Corrections by staff in the cited text; usually empty."
    )


class PassageResponse(SourceResponse):
    text = serializers.CharField(help_text="Empty, as `excerpt`, where its guideline has ended.")
    excerpt = serializers.ListField(
        child=serializers.CharField(),
        help_text="Whole statements of the passage that are nearest to the question, a table row "
        "with the table's caption; empty if it has none.",
    )
    best = serializers.IntegerField(
        allow_null=True,
        help_text="Place in `excerpt` of the statement that was read best, from 0; null if none "
        "was read.",
    )
    figures = FigureResponse(many=True, help_text="Figures of its page that belong to it.")
