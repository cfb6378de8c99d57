"""Models of questions and their answers or refusals."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_lazy

from corpus.models import Document, Lifecycle
from corpus.positions import SECTIONS, below_title, place_words, unsaid

REMOVED = "Text removed under retention"  # in place of removed text


class Reason(models.TextChoices):
    """Reasons for a refusal. The code is stable; the label is for people."""

    NO_EVIDENCE = "NO_EVIDENCE", gettext_lazy("The search found no guideline in force")
    WEAK_EVIDENCE = "WEAK_EVIDENCE", gettext_lazy("Not sure enough to answer")
    ONLY_OUT_OF_DATE = (
        "ONLY_OUT_OF_DATE",
        gettext_lazy("Only a guideline that is no longer in force answers it"),
    )
    NOT_PERMITTED_EVIDENCE = (
        "NOT_PERMITTED_EVIDENCE",
        gettext_lazy("The guidelines on this are not open to you"),
    )
    UNCLEAR_QUESTION = (
        "UNCLEAR_QUESTION",
        gettext_lazy("It is not clear what this question is about"),
    )
    STOPPED = "STOPPED", gettext_lazy("Answering is stopped")
    OTHER_LANGUAGE = (
        "OTHER_LANGUAGE",
        gettext_lazy("Questions in this language are not answered here"),
    )
    OUT_OF_SCOPE = "OUT_OF_SCOPE", gettext_lazy("This is outside what these guidelines cover")
    UNSUPPORTED_CLAIMS = (
        "UNSUPPORTED_CLAIMS",
        gettext_lazy("No statement could be verified against its source"),
    )
    LOW_CONFIDENCE = (
        "LOW_CONFIDENCE",
        gettext_lazy("Not sure enough that what was found is the whole answer"),
    )
    CONFLICT = "CONFLICT", gettext_lazy("Guidelines in force disagree on this")
    IDENTIFIERS_IN_QUESTION = (
        "IDENTIFIERS_IN_QUESTION",
        gettext_lazy("The question seems to identify a patient"),
    )
    SEARCH_UNAVAILABLE = (
        "SEARCH_UNAVAILABLE",
        gettext_lazy("The guidelines could not be searched just now"),
    )
    GATE_UNAVAILABLE = (
        "GATE_UNAVAILABLE",
        gettext_lazy("It could not be judged whether a guideline answers this"),
    )
    GENERATOR_UNAVAILABLE = (
        "GENERATOR_UNAVAILABLE",
        gettext_lazy("The answer could not be written just now"),
    )
    VERIFIER_UNAVAILABLE = (
        "VERIFIER_UNAVAILABLE",
        gettext_lazy("The answer could not be verified just now"),
    )
    BUDGET_EXCEEDED = "BUDGET_EXCEEDED", gettext_lazy("The question took longer than is allowed")


# States of a cited document in which an answer must not be used, the gravest first.
ENDED = (Lifecycle.WITHDRAWN, Lifecycle.SUPERSEDED, "STOPPED")
# A refusal for one of these reasons is a gap: no guideline in force gave the answer.
WANT_OF_EVIDENCE = (
    Reason.NO_EVIDENCE,
    Reason.WEAK_EVIDENCE,
    Reason.LOW_CONFIDENCE,
    Reason.ONLY_OUT_OF_DATE,
    Reason.OUT_OF_SCOPE,
)


class Mode(models.TextChoices):
    """Conditions for an answer to be shown. Claims are verified in each mode."""

    STANDARD = "standard", "Standard: verdicts shown, no bar for confidence"
    FAITHFUL = "faithful", "Faithful: what is not supported is left out"
    CONFIDENT = "confident", "Confident: a model also judges coverage, scope and contradiction"
    CONFIDENT_LITE = "confident-lite", "Confident, with coverage from the search"


class ClaimKind(models.TextChoices):
    ANSWER = "answer", gettext_lazy("Answer")
    ROW = (
        "row",
        gettext_lazy("Another row of this table"),
    )  # added, so that a small table is shown whole
    CAUTION = (
        "caution",
        gettext_lazy("Caution from the same guideline"),
    )  # added, since the answer left it out
    OTHERWISE = "otherwise", gettext_lazy("Another guideline says otherwise")


class Scope(models.TextChoices):
    """Scopes of a token, within the rights of its account."""

    ASK = "ask", "Ask, search, begin conversations, say what was helpful"
    READ = "read", "Read one's own conversations, answers and the pages that they cite"
    DOCUMENTS = "documents", "Work with documents and collections"
    USERS = "users", "Work with accounts"
    AUDIT = "audit", "Read the log and have it verified"
    EVALUATION = "evaluation", "Import question sets and start question runs"


class Channel(models.TextChoices):
    PAGE = "page", "Page"
    API = "api", "API"
    COMMAND = "command", "Command"
    EVALUATION = "evaluation", "Evaluation"  # asked to measure: nobody acts on the answer


class Conversation(models.Model):
    """A clinician's conversation, visible to its owner and auditors; to colleagues while shared.

    Its turns stay for auditors when its owner deletes it. A conversation without a user belongs to
    an evaluation and is in nobody's list.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="conversations"
    )
    title = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    deleted_at = models.DateTimeField(null=True)  # by its owner, who no longer sees it
    shared_at = models.DateTimeField(null=True)  # since then colleagues may read it by its link
    recalls_seen_at = models.DateTimeField(null=True)  # its owner last saw a new recall in it

    class Meta:
        ordering = ["-updated_at", "pk"]

    def __str__(self) -> str:
        return self.title


class TurnStatus(models.TextChoices):
    ANSWERED = "answered", "Answered"
    ABSTAINED = "abstained", "Refused"


class Turn(models.Model):
    """One question with its answer or refusal and the whole trace.

    Never changed, except that retention removes its text: `chat.retention`.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(
        Conversation, null=True, on_delete=models.PROTECT, related_name="turns"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.PROTECT,
        related_name="turns",
        verbose_name="asked by",
    )
    channel = models.CharField(max_length=10, choices=Channel)
    question = models.TextField()
    standalone = models.TextField(blank=True)  # wording that was searched, if it differs
    mode = models.CharField(max_length=20, choices=Mode, default=Mode.CONFIDENT_LITE)
    option = models.CharField(max_length=1, blank=True)  # letter of the chosen option
    status = models.CharField(max_length=10, choices=TurnStatus)
    reason = models.CharField(max_length=30, choices=Reason, blank=True)
    confidence = models.FloatField()  # [0, 1]
    fingerprint = models.CharField(max_length=64)  # of the configuration
    trace = models.JSONField()
    # Shown with the turn: `chat.caveats.cautions.Caution.as_dict` of each.
    warnings = models.JSONField(default=list)
    nearest = models.JSONField(default=list)  # passages shown with a refusal; never references
    owner = models.JSONField(default=dict)  # name and contact of the topic's owner, if any
    # By the database's clock, as the log: turns stay in order whichever machine answers.
    created_at = models.DateTimeField("asked at", db_default=Now())
    duration_ms = models.PositiveIntegerField()
    text_removed_at = models.DateTimeField(null=True)
    experiment = models.ForeignKey(  # indexed by `turn_in_experiment`
        "chat.Experiment", null=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    arm = models.CharField(max_length=10, blank=True)  # of `Arm`; empty without an experiment

    class Meta:
        verbose_name = "answer"  # in the interface, for refusals too
        ordering = ["created_at", "pk"]
        indexes = [
            models.Index(fields=["conversation", "created_at"]),
            models.Index(fields=["-created_at", "-id"], name="turn_newest"),
            models.Index(
                fields=["channel", "status", "reason", "duration_ms"], name="turn_counted"
            ),
            models.Index(
                fields=["experiment", "arm"],
                condition=models.Q(experiment__isnull=False),
                name="turn_in_experiment",
            ),
        ]
        permissions = [
            ("replay_turn", "Can run a turn again and compare"),
            ("export_turn", "Can export answers"),
        ]

    def __str__(self) -> str:
        return str(self.pk)

    @property
    def removal(self) -> str:
        """A sentence on when the text was removed; empty if it was not."""
        if self.text_removed_at is None:
            return ""
        day = date_format(timezone.localtime(self.text_removed_at), gettext("j F Y"))
        return gettext(
            "The text of this question and of its answer was removed under retention on %(day)s."
        ) % {"day": day}


class Claim(models.Model):
    """One statement of an answer."""

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="claims")
    index = models.PositiveIntegerField()  # 1-based, as shown
    text = models.TextField()
    kind = models.CharField(max_length=10, choices=ClaimKind, default=ClaimKind.ANSWER)
    population = models.CharField(max_length=100, blank=True)

    class Meta:
        ordering = ["turn", "index"]
        constraints = [models.UniqueConstraint(fields=["turn", "index"], name="claim_once")]

    def __str__(self) -> str:
        return f"claim {self.index}"

    @property
    def under(self) -> str:
        """Title and headings above the first quote, without those that begin the text already.

        No query if the citations are prefetched.
        """
        path = next((citation.under_path for citation in self.citations.all()), [])
        return SECTIONS.join(unsaid(path, self.text))


def reference_line(title: str, version: str, document: Document, place: str) -> str:
    """Return where words stand, as a line of text: the one form of all texts for people."""
    of = gettext("version %(version)s") % {"version": version} if version else ""
    day = document.effective_from
    since = ""
    if day:
        since = gettext("in force from %(day)s") % {"day": date_format(day, gettext("j F Y"))}
    return ", ".join(filter(None, (title, of, document.published, since, place)))


class Citation(models.Model):
    """The span of a page that a claim rests on, copied so that it outlives a re-index.

    `quote` equals the page's text at `start:end` when the citation was made.
    """

    claim = models.ForeignKey(Claim, on_delete=models.CASCADE, related_name="citations")
    index = models.PositiveIntegerField()  # 1-based number of the passage in the turn
    document = models.ForeignKey(
        "corpus.Document", on_delete=models.PROTECT, related_name="citations"
    )
    chunk_key = models.CharField(max_length=100)
    sha256 = models.CharField(max_length=64)
    title = models.CharField(max_length=500)
    version = models.CharField(max_length=50, blank=True)
    page = models.PositiveIntegerField()
    section = models.TextField(blank=True)
    position = models.CharField(max_length=100, blank=True)  # in its section, without pages
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    quote = models.TextField()

    class Meta:
        ordering = ["claim", "pk"]

    def __str__(self) -> str:
        return f"[{self.index}]"

    @property
    def section_path(self) -> list[str]:
        return self.section.split(SECTIONS) if self.section else []

    @property
    def under_path(self) -> list[str]:
        """Title and headings above the quote, such as `Paracetamol dosing`, `By mouth`."""
        below = below_title(self.section, self.title)
        return [part for part in (self.title, *below.split(SECTIONS)) if part]

    def reference(self) -> str:
        """Document, journal, dates and place, as a line of text. Reads the document."""
        return reference_line(self.title, self.version, self.document, self.place)

    @property
    def place(self) -> str:
        """Place in words: `page 7, Dosing`, or without pages `Dosing, paragraph 12`."""
        label = getattr(self, "page_label", None) or ""  # of `selectors.citations_read`
        section = below_title(self.section, self.title)
        return place_words(self.page, section, self.position, label, say=gettext)
