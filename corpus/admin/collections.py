"""Administer collections and the groups that their rights are restricted to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.db.models import Count, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from corpus.access import collections_publishable, collections_uploadable
from corpus.admin.decisions import signed_in_user
from corpus.models import Collection
from corpus.services.collections import RIGHTS, collection_save
from corpus.staff_selectors import collections_seen

if TYPE_CHECKING:
    CollectionModelAdmin = admin.ModelAdmin[Collection]
    CollectionModelForm = ModelForm[Collection]
else:
    CollectionModelAdmin, CollectionModelForm = admin.ModelAdmin, ModelForm


class CollectionForm(CollectionModelForm):
    """Shows groups as tick boxes: the choice is visible, and no slip changes several at once."""

    class Meta:
        model = Collection
        fields = ("name", "slug", "description", "owner_name", "owner_contact", *RIGHTS)
        widgets = dict.fromkeys(RIGHTS, forms.CheckboxSelectMultiple)


class CollectionAdmin(CollectionModelAdmin):
    form = CollectionForm
    list_display = ("name", "slug", "documents_in_it", "owner_name", "narrowed")
    search_fields = ("name", "slug", "owner_name")
    prepopulated_fields = {"slug": ("name",)}
    fieldsets = (
        (None, {"fields": ("name", "slug", "description")}),
        ("Whom clinicians can ask", {"fields": ("owner_name", "owner_contact")}),
        (
            "Rights",
            {
                "fields": RIGHTS,
                "description": (
                    "Ticked groups restrict a right to their members. Others can neither find nor "
                    "open the documents of this collection, nor see their titles. Without a tick, "
                    "everybody who has the right anyway keeps it."
                ),
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Collection]:
        seen = collections_seen(signed_in_user(request))
        return seen.annotate(size=Count("documents")).prefetch_related(*RIGHTS)

    def has_change_permission(self, request: HttpRequest, obj: Collection | None = None) -> bool:
        """Deny those who may neither add to nor publish in it: they may not open it to others."""
        if obj is None or not super().has_change_permission(request, obj):
            return super().has_change_permission(request, obj)
        user = signed_in_user(request)
        both = collections_uploadable(user) | collections_publishable(user)
        return both.filter(pk=obj.pk).exists()

    def has_delete_permission(self, request: HttpRequest, obj: Collection | None = None) -> bool:
        """Allow deleting an empty collection only: a document needs one."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and (obj is None or not obj.documents.exists())

    def save_model(
        self, request: HttpRequest, obj: Collection, form: CollectionModelForm, change: bool
    ) -> None:
        """Save fields and groups in one transaction, which also announces the change."""
        answers = form.cleaned_data
        changes = {n: answers[n] for n in (form.changed_data if change else answers)}
        rights = {name: changes.pop(name) for name in RIGHTS if name in changes}
        collection_save(obj, by=signed_in_user(request), changes=changes, rights=rights)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Do nothing: `save_model` saves the groups."""

    @admin.display(description="documents", ordering="size")
    def documents_in_it(self, collection: Collection) -> int:
        return int(getattr(collection, "size", 0))

    @admin.display(description="rights")
    def narrowed(self, collection: Collection) -> str:
        words = {"searchers": "found by", "uploaders": "added to by", "publishers": "published by"}
        parts = []
        for name, label in words.items():
            groups = ", ".join(str(group) for group in getattr(collection, name).all())
            parts += [f"{label} {groups}"] if groups else []
        return "; ".join(parts) or "for everybody"
