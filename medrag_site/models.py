"""What this site was given, so that an upgrade gives nothing twice."""

from __future__ import annotations

from django.db import models


class GivenRight(models.Model):
    """A right that a group of `medrag_site.accounts` was given once, whatever became of it since.

    One without a right says that the group itself was made.
    """

    group = models.CharField(max_length=150)  # by name: it may have been deleted since
    right = models.CharField(max_length=150, blank=True)  # such as `corpus.add_document`
    given_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["group", "right"], name="right_given_once")]

    def __str__(self) -> str:
        return f"{self.group}: {self.right or 'made'}"
