"""Show the queue of background work to superusers: schedules, and tasks that wait or have ended.

A schedule names any function of Python, so it can't be made or changed here, but run by hand.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest
from django.utils import timezone
from django_q.admin import FailAdmin, QueueAdmin, ScheduleAdmin, TaskAdmin
from django_q.models import Failure, OrmQ, Schedule, Success

from chat.admin.read_only import ReadOnly


class ForSuperusers(ReadOnly):
    """Shows a page to superusers only, whatever rights others have; nothing is changed on it."""

    show_full_result_count = False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(getattr(request.user, "is_superuser", False))

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)


class Schedules(ForSuperusers, ScheduleAdmin):  # type: ignore[misc]
    list_display = ("name", "minutes", "next_run", "get_last_run", "get_success")
    list_display_links = ("name",)
    list_filter = ()
    actions = ("run_now",)

    @admin.action(description="Run now", permissions=["view"])
    def run_now(self, request: HttpRequest, queryset: Any) -> None:
        count = queryset.update(next_run=timezone.now())
        text = f"{count} will run within half a minute. Reload the page to see how it went."
        self.message_user(request, text, messages.SUCCESS)


class Succeeded(ForSuperusers, TaskAdmin):  # type: ignore[misc]
    actions = ()


class Failed(ForSuperusers, FailAdmin):  # type: ignore[misc]
    actions = ()


class Queued(ForSuperusers, QueueAdmin):  # type: ignore[misc]
    fields = ("lock", "task_id", "name", "group", "func", "args", "kwargs", "q_options")


for model, page in ((Schedule, Schedules), (Success, Succeeded), (Failure, Failed), (OrmQ, Queued)):
    admin.site.unregister(model)
    admin.site.register(model, page)
