"""Create a superuser as Django does, and record it in the audit log."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.contrib.auth.models import User
from django.db import transaction

from chat.sign_in.accounts import superusers_record


class Command(createsuperuser.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        known = list(User.objects.filter(is_superuser=True).values_list("pk", flat=True))
        with transaction.atomic():
            super().handle(*args, **options)
            superusers_record(known)
