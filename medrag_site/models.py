"""Record the rights that this site's groups were given, so that an upgrade gives none twice."""

from __future__ import annotations

from django.db import models


class GivenRight(models.Model):
    """A right that a group of `medrag_site.groups` was given once, even if removed since.

    An empty right records that the group itself was created.
    """

    group = models.CharField(max_length=150)  # a name, since the group may have been deleted
    right = models.CharField(max_length=150, blank=True)  # such as `corpus.add_document`
    given_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["group", "right"], name="right_given_once")]

    def __str__(self) -> str:
        return f"{self.group}: {self.right or 'made'}"
