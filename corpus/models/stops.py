"""Model of stops: orders that nothing is answered from a document, a collection, or at all."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext

from corpus.models.documents import Collection, Document


class AnsweringStop(models.Model):
    """An order that holds for every answer that is not stored yet, until it is ended.

    Without a document and a collection it is of the whole site. `corpus.services.stops` is its only
    writer.
    """

    collection = models.ForeignKey(
        Collection, null=True, blank=True, on_delete=models.PROTECT, related_name="stops"
    )
    document = models.ForeignKey(
        Document, null=True, blank=True, on_delete=models.CASCADE, related_name="stops"
    )
    reason = models.TextField(max_length=500, help_text="Everybody who asks reads it.")
    contact = models.CharField(
        "whom to call", max_length=200, help_text="Name and number. Everybody who asks reads it."
    )
    hides = models.BooleanField(
        "leave it out of searches, too",
        default=False,
        help_text="Else its passages are still found by a search and its pages can be read.",
    )
    started_at = models.DateTimeField(editable=False)
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", editable=False
    )
    ended_at = models.DateTimeField(null=True, editable=False)
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        editable=False,
    )
    end_reason = models.TextField("why it ended", blank=True, max_length=500, editable=False)

    class Meta:
        verbose_name = "stop of answering"
        verbose_name_plural = "stops of answering"
        ordering = ["-started_at", "-pk"]
        default_permissions = ("view", "add", "change")  # add: stop; change: end the stop
        constraints = [
            models.CheckConstraint(
                condition=Q(collection=None) | Q(document=None), name="stop_of_one_thing"
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None, ended_by=None, end_reason="")
                | (Q(ended_at__isnull=False, ended_by__isnull=False) & ~Q(end_reason="")),
                name="stop_ended_with_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"Answering from {self.what} is stopped"

    @property
    def what(self) -> str:
        if self.document:
            return f"“{self.document.title}”"
        if self.collection:
            return gettext("the collection {name}").format(name=self.collection.name)
        return gettext("all guidelines")

    @property
    def sentence(self) -> str:
        """What everybody is told who asks, or reads what is stopped."""
        return gettext(
            "Answering from {what} was stopped by {who} on {day}: {reason}. Call {contact}."
        ).format(
            what=self.what,
            who=self.started_by.get_full_name() or self.started_by.get_username(),
            day=date_format(timezone.localtime(self.started_at), gettext("j F Y, H:i")),
            reason=self.reason.rstrip("."),
            contact=self.contact,
        )
