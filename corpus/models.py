"""Documents and everything derived from their bytes."""

from __future__ import annotations

import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models.functions import Now
from pgvector.django import VectorField


class Collection(models.Model):
    """A shelf of documents with an owner whom a clinician can ask."""

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
    DRAFT = "DRAFT", "Draft"
    REVIEW = "REVIEW", "In review"
    PUBLISHED = "PUBLISHED", "Published"
    SUPERSEDED = "SUPERSEDED", "Superseded"
    WITHDRAWN = "WITHDRAWN", "Withdrawn"


class Authority(models.TextChoices):
    NATIONAL = "national", "National"
    TRUST = "trust", "Trust-wide"
    LOCAL = "local", "Local"


class SourceType(models.TextChoices):
    GUIDELINE = "guideline", "Guideline"
    ARTICLE = "article", "Journal article"
    BOOK = "book", "Book chapter"
    ANSWERS = "answers", "Questions and answers"
    REFERENCE = "reference", "Reference page"
    OTHER = "other", "Other"


class ReadWith(models.TextChoices):
    """Which engine reads the layout of a PDF."""

    DEFAULT = "", "As set for this site"
    GEOMETRY = "geometry", "Geometry and fonts"
    MODELS = "models", "Docling's layout models"


class Document(models.Model):
    """A guideline. Its identity is the SHA-256 of its bytes, kept under that name on disk."""

    sha256 = models.CharField("SHA-256", max_length=64, unique=True, editable=False)
    filename = models.CharField(max_length=255, editable=False)
    media_type = models.CharField(max_length=100, editable=False)
    size_bytes = models.PositiveBigIntegerField(editable=False)
    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="documents")

    title = models.CharField(max_length=500)
    version = models.CharField(max_length=50, blank=True)
    issuer = models.CharField(max_length=200, blank=True, help_text="or the journal")
    source_type = models.CharField(max_length=20, choices=SourceType, default=SourceType.GUIDELINE)
    year = models.PositiveSmallIntegerField("year of publication", null=True, blank=True)
    authority = models.CharField(max_length=20, choices=Authority, default=Authority.LOCAL)
    specialty = models.CharField(max_length=100, blank=True)
    population = models.CharField(max_length=100, blank=True, help_text="for example: adult")
    language = models.CharField(max_length=10, default="en")
    source_url = models.URLField(max_length=1000, blank=True)
    licence = models.CharField(max_length=100, blank=True)

    lifecycle = models.CharField(
        max_length=20, choices=Lifecycle, default=Lifecycle.DRAFT, editable=False
    )
    effective_from = models.DateField(null=True, blank=True)
    review_by = models.DateField(null=True, blank=True)
    superseded_by = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="supersedes"
    )
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

    page_count = models.PositiveIntegerField(default=0, editable=False)
    read_with = models.CharField(
        max_length=10, choices=ReadWith, blank=True, default=ReadWith.DEFAULT, editable=False
    )
    engine = models.CharField(max_length=300, blank=True, editable=False)
    index_fingerprint = models.CharField(max_length=64, blank=True, editable=False)
    # How its passages were cut into lexemes (`corpus.languages`), whatever its language is now.
    search_configuration = models.CharField(max_length=30, default="english", editable=False)
    indexed_at = models.DateTimeField(null=True, editable=False)  # null: never searched
    signature = ArrayField(models.BigIntegerField(), default=list, editable=False)  # MinHash

    class Meta:
        ordering = ["-uploaded_at", "-pk"]
        permissions = [
            ("publish_document", "Can publish, supersede and withdraw documents"),
        ]
        indexes = [
            models.Index(fields=["lifecycle", "effective_from"]),
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.version})" if self.version else self.title

    def is_review_due(self, on: datetime.date) -> bool:
        """Past its review date: still searched, and shown with a banner."""
        return self.review_by is not None and self.review_by < on

    def in_force(self, on: datetime.date) -> bool:
        """The same rule as the SQL of `selectors.IN_FORCE`."""
        return (
            self.lifecycle == Lifecycle.PUBLISHED
            and self.indexed_at is not None
            and (self.effective_from is None or self.effective_from <= on)
        )


class Page(models.Model):
    """One page as parsed; `blocks` is the JSON of `corpus.parsing.types.Block`."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="pages")
    number = models.PositiveIntegerField()  # 1-based
    text = models.TextField()
    blocks = models.JSONField()
    width = models.FloatField()  # points; 0 without geometry
    height = models.FloatField()
    ocr_confidence = models.FloatField(null=True)  # [0, 1]
    doubts = models.JSONField(default=list)  # the JSON of `corpus.parsing.types.Doubt`

    class Meta:
        ordering = ["document", "number"]
        constraints = [
            models.UniqueConstraint(fields=["document", "number"], name="page_once"),
        ]

    def __str__(self) -> str:
        return f"page {self.number}"


class Chunk(models.Model):
    """A passage: what is searched, and what is quoted.

    `text` is the pages' text at `spans`, joined by newlines. `context` (title, section path,
    population) is embedded and indexed before it and never quoted. Its vectors stand in a table of
    each encoder (`corpus.vectors`); without them or `search_vector` it is not indexed yet.
    """

    key = models.CharField(max_length=100, unique=True)  # {sha256}_p{page}_c{index}
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="chunks")
    index = models.PositiveIntegerField()  # 0-based, in reading order
    page = models.PositiveIntegerField()  # where it starts, 1-based
    section_path = ArrayField(models.TextField(), default=list)
    context = models.TextField(blank=True)
    text = models.TextField()
    spans = models.JSONField()  # list of [page, start, end] into Page.text
    tokens = models.PositiveIntegerField()  # of context and text, by the embedder's tokenizer
    search_vector = SearchVectorField(null=True)
    length = models.PositiveIntegerField(default=0)  # lexeme positions in search_vector
    # What it says (`corpus.twins.meaning_label`): near-duplicates share it. Empty: not known.
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


class EncoderState(models.TextChoices):
    BUILDING = "BUILDING", "Being built"
    ACTIVE = "ACTIVE", "Searched"
    RETIRED = "RETIRED", "Retired"


class Storage(models.TextChoices):
    """pgvector's type of a vector."""

    VECTOR = "vector", "32-bit floats"
    HALFVEC = "halfvec", "16-bit floats"


class Encoder(models.Model):
    """An encoder and the table of its vectors, which the tables' owner makes and drops.

    `fingerprint` is the space of its vectors (`corpus.encoders.folders.Facts`); empty in what a
    migration took over, until it is known. `position` is its place among those configured, null
    where it is no longer; `searched_as` its place among those that are searched, which changes only
    when all that is configured is there: until then the primary one, whose cosine the gate reads,
    stays the same.
    """

    name = models.CharField(max_length=31)
    fingerprint = models.CharField(max_length=400, blank=True)
    spec: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    dimensions = models.PositiveIntegerField()
    storage = models.CharField(max_length=10, choices=Storage, default=Storage.VECTOR)
    state = models.CharField(max_length=10, choices=EncoderState, default=EncoderState.BUILDING)
    position = models.PositiveIntegerField(null=True)
    searched_as = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    activated_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["name", "state"],
                condition=~models.Q(state="RETIRED"),
                name="encoder_once_in_each_state",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def table(self) -> str:
        """Its vectors: `chunk_id`, and `embedding` of unit norm."""
        return f"corpus_vectors_{self.pk}"


class SectionSummary(models.Model):
    """What a section or a whole document is about: it leads to its passages.

    Found by its vector alone, and never shown, quoted, cited, exported or counted.
    """

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="summaries")
    section_path = ArrayField(models.TextField(), default=list)  # empty: the document
    first_index = models.PositiveIntegerField()  # of its passages, both inclusive
    last_index = models.PositiveIntegerField()
    text = models.TextField()
    made_by = models.TextField()  # `corpus.summaries.made_by`

    class Meta:
        ordering = ["document", "first_index", "-last_index"]
        verbose_name_plural = "section summaries"
        constraints = [
            models.UniqueConstraint(
                fields=["document", "first_index", "last_index"], name="summary_once"
            ),
        ]

    def __str__(self) -> str:
        return f"passages {self.first_index} to {self.last_index}"


class SummaryVector(models.Model):
    """A summary's vector, in a row of its own, so that to compare them all reads nothing else."""

    summary = models.OneToOneField(
        SectionSummary, on_delete=models.CASCADE, primary_key=True, related_name="vector"
    )
    encoder = models.ForeignKey(Encoder, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=100)  # {sha256}_s{first}_{last}: ties go by it
    embedding = VectorField()  # unit norm, of as many dimensions as its encoder makes

    def __str__(self) -> str:
        return f"of summary {self.pk}"


class ContextLine(models.Model):
    """A context line or a summary that a language model wrote, kept so that it is asked once.

    `key` is the SHA-256 of the prompt's version, the model, and the text that it was shown.
    """

    key = models.CharField(max_length=64, primary_key=True)
    line = models.TextField()
    model = models.CharField(max_length=200)
    prompt = models.CharField(max_length=50)
    written_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.key


class Lexeme(models.Model):
    """In how many indexed chunks a lexeme stands: the document frequency of BM25."""

    lexeme = models.TextField(primary_key=True)
    document_frequency = models.PositiveIntegerField()

    def __str__(self) -> str:
        return self.lexeme


class IndexStatistics(models.Model):
    """The one row of totals over all indexed chunks: the N and average length of BM25."""

    chunks = models.PositiveBigIntegerField(default=0)
    total_length = models.PositiveBigIntegerField(default=0)
    # How many chunks were cut by which configuration; those that none was are not named.
    configurations: models.JSONField[dict[str, int], dict[str, int]] = models.JSONField(
        default=dict
    )

    class Meta:
        verbose_name_plural = "index statistics"
        constraints = [
            models.CheckConstraint(condition=models.Q(pk=1), name="index_statistics_one_row"),
        ]

    def __str__(self) -> str:
        return f"{self.chunks} chunks"


class JobState(models.TextChoices):
    PENDING = "PENDING", "Waiting"
    RUNNING = "RUNNING", "Running"
    DONE = "DONE", "Done"
    FAILED = "FAILED", "Failed"


class Stage(models.TextChoices):
    """The last step that is finished and kept; the next attempt goes on from there."""

    STORED = "STORED", "Stored"
    PARSED = "PARSED", "Parsed"
    CHUNKED = "CHUNKED", "Chunked"
    EMBEDDED = "EMBEDDED", "Embedded"
    INDEXED = "INDEXED", "Indexed"


class Job(models.Model):
    """The truth about a document's ingestion. The queue only wakes a worker to look here.

    `attempts` is counted and committed before the work starts. While RUNNING, `lease_token`
    names the one attempt that may write, until `lease_until` by the database's clock. `timings`
    holds the seconds that each step in `corpus.jobs.TIMED` took in the attempts that finished it.
    """

    document = models.OneToOneField(Document, on_delete=models.CASCADE, related_name="job")
    state = models.CharField(max_length=10, choices=JobState, default=JobState.PENDING)
    stage = models.CharField(max_length=10, choices=Stage, default=Stage.STORED)
    attempts = models.PositiveIntegerField(default=0)
    lease_token = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    done = models.PositiveIntegerField(default=0)  # units of the running step: pages, chunks
    total = models.PositiveIntegerField(default=0)
    error_code = models.CharField(max_length=50, blank=True)
    last_error = models.TextField(blank=True)
    enqueued_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    timings: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField(default=dict)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["state", "lease_until"])]

    def __str__(self) -> str:
        return f"{self.state} after {self.stage}"


class WorkerHeartbeat(models.Model):
    """When each worker supervisor last said that its cluster is well; read by `doctor`."""

    name = models.CharField(max_length=200, primary_key=True)  # host and process id
    seen_at = models.DateTimeField()
    detail: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.name
