"""Documents, as staff keep and correct them, and their passages."""

from __future__ import annotations

import datetime

from django.conf import settings
from django.contrib.auth.models import Group
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.utils.translation import gettext_lazy

from corpus.types import publication


class Collection(models.Model):
    """A set of documents with an owner whom a clinician can contact."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    owner_name = models.CharField("topic owner", max_length=200, blank=True)
    owner_contact = models.CharField("owner's contact", max_length=200, blank=True)
    # A group named here narrows a right to its members; none named means all who have the right.
    searchers = models.ManyToManyField(
        Group,
        blank=True,
        related_name="+",
        verbose_name="who may search",
        help_text="Only members of these groups find and read it. None chosen: everybody.",
    )
    uploaders = models.ManyToManyField(
        Group,
        blank=True,
        related_name="+",
        verbose_name="who may upload",
        help_text="Only these groups of the corpus staff add to it. None chosen: all of them.",
    )
    publishers = models.ManyToManyField(
        Group,
        blank=True,
        related_name="+",
        verbose_name="who publishes",
        help_text="Only these groups of the publishers approve it. None chosen: all of them.",
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Lifecycle(models.TextChoices):
    DRAFT = "DRAFT", gettext_lazy("Draft")
    REVIEW = "REVIEW", gettext_lazy("In review")
    PUBLISHED = "PUBLISHED", gettext_lazy("Published")
    SUPERSEDED = "SUPERSEDED", gettext_lazy("Superseded")
    WITHDRAWN = "WITHDRAWN", gettext_lazy("Withdrawn")


class Authority(models.TextChoices):
    NATIONAL = "national", gettext_lazy("National")
    TRUST = "trust", gettext_lazy("Trust-wide")
    LOCAL = "local", gettext_lazy("Local")


class SourceType(models.TextChoices):
    GUIDELINE = "guideline", gettext_lazy("Guideline")
    ARTICLE = "article", gettext_lazy("Journal article")
    BOOK = "book", gettext_lazy("Book chapter")
    ANSWERS = "answers", gettext_lazy("Questions and answers")
    REFERENCE = "reference", gettext_lazy("Reference page")
    OTHER = "other", gettext_lazy("Other")


class ReadWith(models.TextChoices):
    """The engine that reads a PDF's layout."""

    DEFAULT = "", "As set for this site"
    GEOMETRY = "geometry", "Geometry and fonts"
    MODELS = "models", "Docling's layout models"


class Document(models.Model):
    """A guideline, identified by the SHA-256 of its bytes, the name of its file on disk."""

    sha256 = models.CharField("SHA-256", max_length=64, unique=True, editable=False)
    filename = models.CharField(max_length=255, editable=False)
    media_type = models.CharField(max_length=100, editable=False)
    size_bytes = models.PositiveBigIntegerField(editable=False)
    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="documents")

    title = models.CharField(max_length=500)
    version = models.CharField(max_length=50, blank=True)
    issuer = models.CharField(max_length=200, blank=True)
    journal = models.CharField(max_length=200, blank=True)
    source_type = models.CharField(max_length=20, choices=SourceType, default=SourceType.GUIDELINE)
    year = models.PositiveSmallIntegerField("year of publication", null=True, blank=True)
    authority = models.CharField(max_length=20, choices=Authority, default=Authority.LOCAL)
    specialty = models.CharField(max_length=100, blank=True)
    population = models.CharField(max_length=100, blank=True, help_text="for example: adult")
    language = models.CharField(max_length=10, default="en")
    source_url = models.URLField(max_length=1000, blank=True)
    licence = models.CharField(max_length=100, blank=True)
    # What the watched library said of it: `author`, `modified`, `owner`, `status`; all text.
    origin = models.JSONField(default=dict, editable=False)

    lifecycle = models.CharField(
        max_length=20, choices=Lifecycle, default=Lifecycle.DRAFT, editable=False
    )
    effective_from = models.DateField(null=True, blank=True)
    review_by = models.DateField(null=True, blank=True)
    superseded_by = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="supersedes"
    )
    # Its successor, from the day it is named until it is published and indexed: the older one stays
    # in force for as long.
    to_be_superseded_by = models.ForeignKey(
        "self", null=True, on_delete=models.SET_NULL, related_name="to_supersede", editable=False
    )
    # Names of the fields that hold what the version that it replaces said.
    inherited = ArrayField(models.CharField(max_length=20), default=list, editable=False)
    withdrawn_at = models.DateTimeField(null=True, editable=False)
    withdrawn_reason = models.TextField(blank=True, editable=False)
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    uploaded_at = models.DateTimeField(auto_now_add=True)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    published_at = models.DateTimeField(null=True, editable=False)
    # Published unread, whatever doubts about values its first reading leaves.
    despite_doubts = models.BooleanField(default=False, editable=False)

    page_count = models.PositiveIntegerField(default=0, editable=False)
    read_with = models.CharField(
        max_length=10, choices=ReadWith, blank=True, default=ReadWith.DEFAULT, editable=False
    )
    engine = models.CharField(max_length=300, blank=True, editable=False)
    index_fingerprint = models.CharField(max_length=64, blank=True, editable=False)
    # Names the corrections that are current, as part of its fingerprint; empty without any.
    corrections_key = models.CharField(max_length=40, blank=True, default="", editable=False)
    # How its passages were cut into lexemes (`core.language`), whatever its language is now.
    search_configuration = models.CharField(max_length=30, default="english", editable=False)
    # Which rules made its statements (`corpus.statements`); empty: they were never kept.
    statements_version = models.CharField(max_length=20, blank=True, default="", editable=False)
    indexed_at = models.DateTimeField(null=True, editable=False)  # null: never searched
    signature = ArrayField(models.BigIntegerField(), default=list, editable=False)  # MinHash
    # What its short forms stand for, as it says: `{"PE": "pre-eclampsia"}`.
    short_forms = models.JSONField(default=dict, editable=False)

    class Meta:
        verbose_name = "guideline document"
        ordering = ["-uploaded_at", "-pk"]
        permissions = [
            ("publish_document", "Can publish, supersede and withdraw documents"),
        ]
        indexes = [
            models.Index(fields=["lifecycle", "effective_from"]),
            GinIndex(fields=["short_forms"], name="document_short_forms"),
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.version})" if self.version else self.title

    @property
    def published(self) -> str:
        """Journal and year."""
        return publication(self.journal, self.year)

    def is_review_due(self, on: datetime.date) -> bool:
        """Whether the review date has passed: still searched, and shown with a banner."""
        return self.review_by is not None and self.review_by < on

    def in_force(self, on: datetime.date) -> bool:
        """Apply the rule of the SQL in `selectors.IN_FORCE` to this document."""
        return (
            self.lifecycle == Lifecycle.PUBLISHED
            and self.indexed_at is not None
            and (self.effective_from is None or self.effective_from <= on)
        )


class Page(models.Model):
    """A page as searched and quoted; `blocks` is the JSON of `corpus.parsing.types.Block`.

    On a corrected page, `as_read` has text, blocks and doubts as parsed, and `corrected` is the
    JSON of `corpus.review.corrections.Applied`.
    """

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="pages")
    number = models.PositiveIntegerField()  # 1-based
    # The page's own label, such as `ii`; empty if that is its number.
    label = models.CharField(max_length=20, blank=True, default="")
    text = models.TextField()
    # Its running headers and footers, which `text` leaves out.
    running_lines = ArrayField(models.TextField(), default=list)
    blocks = models.JSONField()
    width = models.FloatField()  # points; 0 without geometry
    height = models.FloatField()
    ocr_confidence = models.FloatField(null=True)  # [0, 1]
    doubts = models.JSONField(default=list)  # the JSON of `corpus.parsing.types.Doubt`
    # Somebody compared it with the file; until then values in doubt are not quoted.
    looked = models.BooleanField(default=False)
    # Who, and when; of a reading before this one it isn't kept.
    looked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    looked_at = models.DateTimeField(null=True)
    figures = models.JSONField(default=list)  # as `corpus.figures` finds them
    # `corpus.parsing.types.WordsFound`; null where there was no text layer to compare with.
    words_found = models.PositiveIntegerField(null=True)
    words_checked = models.PositiveIntegerField(null=True)
    as_read = models.JSONField(null=True)
    corrected = models.JSONField(default=list)

    class Meta:
        ordering = ["document", "number"]
        constraints = [
            models.UniqueConstraint(fields=["document", "number"], name="page_once"),
        ]

    def __str__(self) -> str:
        return f"page {self.number}"


class Chunk(models.Model):
    """A passage: the unit of search and quotation.

    `text` is the pages' text at `spans`, joined by newlines. `context` (title, section path,
    population) is embedded and indexed before it, never quoted. Each encoder has its own table of
    vectors (`corpus.encoders.vectors`); without vectors and `search_vector` the passage is not
    indexed yet.
    """

    key = models.CharField(max_length=100, unique=True)  # {sha256}_p{page}_c{index}
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="chunks")
    index = models.PositiveIntegerField()  # 0-based, in reading order
    page = models.PositiveIntegerField()  # where it starts, 1-based
    # `paragraphs 3 to 5` of its section (`corpus.positions`); empty where there are pages.
    position = models.CharField(max_length=100, blank=True, db_default="")
    # Of its text, by `core.language.detection`; empty: not looked at, as its document's.
    language = models.CharField(max_length=10, blank=True, db_default="")
    section_path = ArrayField(models.TextField(), default=list)
    context = models.TextField(blank=True)
    text = models.TextField()
    spans = models.JSONField()  # list of [page, start, end] into Page.text
    tokens = models.PositiveIntegerField()  # of context and text, by the embedder's tokenizer
    search_vector = SearchVectorField(null=True)
    length = models.PositiveIntegerField(default=0)  # lexeme positions in search_vector
    # What it says (`core.language.en.statements.meaning.meaning_label`): near-duplicates share it.
    # Empty: not known.
    twins = models.CharField(max_length=100, blank=True)
    disabled_at = models.DateTimeField(null=True)  # not searched since
    disabled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    disabled_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["document", "index"]
        constraints = [
            models.UniqueConstraint(fields=["document", "index"], name="chunk_once"),
        ]
        indexes = [
            GinIndex(fields=["search_vector"], name="chunk_search", fastupdate=False),
            models.Index(fields=["twins"], name="chunk_twins", condition=models.Q(twins__gt="")),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def number(self) -> int:
        """The passage's place in its document as people count, from 1."""
        return self.index + 1


class PassageStatement(models.Model):
    """A statement of a passage, from which answers are made; cut by `corpus.statements`.

    Overlapping passages each have the statements that they share. `pieces` is the JSON of
    `corpus.statements.VerbatimSpan`: first the statement, then what it depends on.
    """

    chunk = models.ForeignKey(Chunk, on_delete=models.CASCADE, related_name="statements")
    index = models.PositiveIntegerField()  # 0-based, in reading order
    kind = models.CharField(max_length=20)  # of its block: `paragraph`, `list_item`, `table` ...
    text = models.TextField()  # as shown: a row with its labels, an item with its introduction
    pieces = models.JSONField()  # list of [page, start, end, text]
    caption = models.TextField(blank=True)  # of a row's table
    table = models.PositiveIntegerField(null=True)  # of a row: where its table starts on the page
    row = models.PositiveIntegerField(null=True)  # 0-based, among all rows of that table

    class Meta:
        ordering = ["chunk", "index"]
        constraints = [
            models.UniqueConstraint(fields=["chunk", "index"], name="statement_once"),
        ]

    def __str__(self) -> str:
        return f"statement {self.index}"


class StatementVector(models.Model):
    """A statement's vector, one byte a component (`corpus.encoders.statement_vectors`).

    Kept apart because a question reads some hundred statements and compares sixteen.
    """

    statement = models.OneToOneField(
        PassageStatement, on_delete=models.CASCADE, primary_key=True, related_name="vector"
    )
    made_of = models.BinaryField()  # digest of the encoder and of the text that it read
    components = models.BinaryField()  # int8, in order; its length is not kept

    def __str__(self) -> str:
        return f"of statement {self.pk}"


class Correction(models.Model):
    """The right text of a misread block or table cell, or a table as it should be.

    Immutable except for `is_current` and who checked it: a new wording, and undoing a correction,
    are rows of their own.
    """

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="corrections")
    page = models.PositiveIntegerField()  # 1-based
    block = models.PositiveIntegerField()  # its position among the page's blocks
    cell = models.PositiveIntegerField(null=True)  # its position among the table's printed cells
    as_read = models.TextField(blank=True)
    # As read: the cells of its row; of a table `cells_key`; of another block the block itself.
    around = models.TextField()
    text = models.TextField()
    # The JSON of `corpus.parsing.types.Table`; null unless it repairs one.
    table = models.JSONField(null=True)
    reason = models.TextField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)
    seen_by = models.ForeignKey(  # who published it
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    seen_at = models.DateTimeField(null=True)
    is_current = models.BooleanField(default=True)  # no later one of the same place

    class Meta:
        ordering = ["document", "page", "pk"]
        default_permissions = ()

    def __str__(self) -> str:
        return f"correction {self.pk}"

    @property
    def is_taken_back(self) -> bool:
        """Whether this row restores the text as read."""
        return self.table is None and self.text == self.as_read
