"""Store the site's lexicon and the wordings that a language model generated."""

from __future__ import annotations

import uuid

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Lower

from retrieval.lexicon.terms import MAX_BESIDE_CHARS, MAX_SHORT_CHARS, MAX_WORDS_CHARS, entry_fault


class Match(models.TextChoices):
    CAPITALS = "capitals", "exactly as written"
    ANY_CASE = "any", "in capitals and small letters"


class EntryKind(models.TextChoices):
    ABBREVIATION = "abbreviation", "abbreviation"
    LAY = "lay", "everyday word"
    NAME = "name", "other name"
    CLASS = "class", "class of medicines"


class LexiconEntry(models.Model):
    """A short or lay form with the guideline's words for it. Written by `retrieval.services` only.

    A form with several senses has an entry for each, with the words beside which it has that one:
    the wrong words find the wrong passages.
    """

    short = models.CharField(
        "what is typed", max_length=MAX_SHORT_CHARS, help_text="Such as DKA, or heart attack."
    )
    words = models.CharField(
        "words of a guideline",
        max_length=MAX_WORDS_CHARS,
        help_text="One sense only. Such as diabetic ketoacidosis.",
    )
    match = models.CharField(
        "found",
        max_length=10,
        choices=Match.choices,
        default=Match.CAPITALS,
        help_text="Exactly as written where it is a word in small letters: MAP, CAP, PE.",
    )
    kind = models.CharField(
        max_length=12,
        choices=EntryKind.choices,
        default=EntryKind.ABBREVIATION,
        help_text="An other name counts in both directions: adrenaline, epinephrine.",
    )
    beside = models.CharField(
        "beside the words",
        max_length=MAX_BESIDE_CHARS,
        blank=True,
        default="",
        help_text="Only for a form with several meanings: words of the same question, with commas; "
        "a star stands for any ending. Such as clot, dvt, anticoag*.",
    )
    enabled = models.BooleanField("in use", default=True)
    updated_at = models.DateTimeField("changed", auto_now=True)

    class Meta:
        ordering = ["short"]
        verbose_name = "lexicon entry"
        verbose_name_plural = "lexicon"
        constraints = [
            models.UniqueConstraint(
                Lower("short"),
                Lower("beside"),
                name="one_sense_a_form",
                violation_error_message="This form is in the lexicon already.",
            )
        ]

    def __str__(self) -> str:
        return f"{self.short}: {self.words}"

    def clean(self) -> None:
        super().clean()
        self.short, self.words = " ".join(self.short.split()), " ".join(self.words.split())
        self.beside = " ".join(self.beside.split())
        is_name = self.kind == EntryKind.NAME
        field, message = entry_fault(self.short, self.words, same=is_name, beside=self.beside)
        if field:
            raise ValidationError({field: message})


class LexiconVersion(models.Model):
    """The version of the lexicon, in one row. A trigger changes it with every statement on entries.

    A UUID, not a counter: a rolled-back transaction would leave its number to the next one.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    version = models.UUIDField(default=uuid.uuid4)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.version)


class Generated(models.Model):
    """A language model's rewording of a question, by the SHA-256 of everything it depends on.

    As sensitive as the question itself. Used to search, never shown.
    """

    key = models.CharField(max_length=64, primary_key=True)
    wordings: models.JSONField[list[str], list[str]] = models.JSONField()
    prompt = models.CharField(max_length=40)
    model = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.prompt} {self.key[:8]}"
