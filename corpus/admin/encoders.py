"""Show encoders in the administration: which are searched, and the progress of new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin
from django.http import HttpRequest

from corpus.encoders import vectors
from corpus.models import Encoder, EncoderState

if TYPE_CHECKING:
    EncoderModelAdmin = admin.ModelAdmin[Encoder]
else:
    EncoderModelAdmin = admin.ModelAdmin


class EncoderAdmin(EncoderModelAdmin):
    """Read-only: a file lists the encoders, and `migrate` creates them."""

    list_display = ("name", "state", "made", "dimensions", "storage", "activated_at")
    list_display_links = None
    ordering = ("state", "position", "pk")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Encoder | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Encoder | None = None) -> bool:
        return False

    @admin.display(description="vectors")
    def made(self, encoder: Encoder) -> str:
        if encoder.state == EncoderState.RETIRED:
            return "not kept up"
        done, total = vectors.progress(encoder)
        return f"{done:,} of {total:,}"
