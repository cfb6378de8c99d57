"""Filters of lists: by typed words, by days, and by outcome of a question.

No filter lists existing values, so that a list costs the same with ten users and with thousands.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from chat.models import AuditEvent, Citation, Flag, Reason, Turn, TurnStatus
from chat.selectors import of_days

HASH_CHARS = 8  # words of this length may be the beginning of a document's SHA-256


class WordsFilter(admin.SimpleListFilter):
    """A text field that keeps the list's other filters."""

    template = "admin/chat/filters/_words.html"
    placeholder = ""

    def has_output(self) -> bool:
        return True

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return []

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        yield {
            "kept": _kept(changelist, *self.expected_parameters()),
            "all": changelist.get_query_string(remove=[*self.used_parameters]),
        }

    @property
    def typed(self) -> str:
        return (self.value() or "").strip()


class PersonFilter(WordsFilter):
    title, parameter_name, placeholder = "person", "person", "name"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Turn]) -> QuerySet[Turn]:
        words = self.typed
        if not words:
            return queryset
        names = ("username", "first_name", "last_name")
        wanted = Q(pk__in=())
        for name in names:
            wanted |= Q(**{f"user__{name}__icontains": words})
        return queryset.filter(wanted)


class DocumentFilter(WordsFilter):
    title, parameter_name, placeholder = "document cited", "document", "title, number or SHA-256"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Turn]) -> QuerySet[Turn]:
        words = self.typed
        if not words:
            return queryset
        wanted = Q(title__icontains=words)
        if words.isdecimal() and len(words) < 10:
            wanted |= Q(document=int(words))
        if len(words) >= HASH_CHARS:
            wanted |= Q(sha256__startswith=words.lower())
        cited = Citation.objects.filter(wanted).order_by().values("claim__turn")
        return queryset.filter(pk__in=cited)


class ChoiceFilter(admin.SimpleListFilter):
    """A few choices, each with its label and the condition for rows."""

    options: Mapping[str, tuple[Any, Q]]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(value, label) for value, (label, _) in self.options.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows of the choice. A value that is none would show, or export, everything."""
        value = self.value()
        if not value:
            return queryset
        if value not in self.options:
            raise IncorrectLookupParameters
        return queryset.filter(self.options[value][1])


class OutcomeFilter(ChoiceFilter):
    title, parameter_name = "outcome", "outcome"
    options = {
        str(TurnStatus.ANSWERED): ("Answered", Q(status=TurnStatus.ANSWERED)),
        str(TurnStatus.ABSTAINED): ("Refused", Q(status=TurnStatus.ABSTAINED)),
        **{reason: (label, Q(reason=reason)) for reason, label in Reason.choices},
    }


class FeedbackFilter(ChoiceFilter):
    title, parameter_name = "feedback", "feedback"
    options = {
        "bad": ("Not helpful", Q(feedback__helpful=False)),
        "good": ("Helpful", Q(feedback__helpful=True)),
        "none": ("None given", Q(feedback=None)),
    }


class FlagFilter(ChoiceFilter):
    title, parameter_name = "why", "why"
    options = {flag: (label, Q(flags__contains=[flag])) for flag, label in Flag.choices}


class AssigneeFilter(ChoiceFilter):
    title, parameter_name = "assigned to", "assigned"

    def __init__(self, request: HttpRequest, *arguments: Any) -> None:
        mine = Q(assignee=request.user.pk)
        self.options = {"me": ("Me", mine), "nobody": ("Nobody", Q(assignee=None))}
        super().__init__(request, *arguments)


class EventWordsFilter(WordsFilter):
    """Events whose field `parameter_name` contains the typed words."""

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[AuditEvent]
    ) -> QuerySet[AuditEvent]:
        field = f"{self.parameter_name}__icontains"
        return queryset.filter(**{field: self.typed}) if self.typed else queryset


class ActorFilter(EventWordsFilter):
    title, parameter_name, placeholder = "actor", "actor", "name or user:7"


class ActionFilter(EventWordsFilter):
    title, parameter_name, placeholder = "action", "action", "such as turn or withdrawn"


class DaysFilter(admin.ListFilter):
    """Days `from` and `to`, both included, in the site's time zone, with links for a few periods.

    `field` is the date and time to filter by.
    """

    title, template, field = "day", "admin/chat/filters/_days.html", "created_at"

    def __init__(
        self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any
    ) -> None:
        super().__init__(request, params, model, model_admin)
        for name in self.expected_parameters():
            if name in params:
                self.used_parameters[str(name)] = params.pop(name)[-1].strip()

    def has_output(self) -> bool:
        return True

    def expected_parameters(self) -> list[str | None]:
        return ["from", "to"]

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        today = timezone.localdate()
        for label, back, until in (("Today", 0, 0), ("Yesterday", 1, 1), ("Last 7 days", 6, 0)):
            days = (today - datetime.timedelta(days=back), today - datetime.timedelta(days=until))
            parameters = {"from": days[0].isoformat(), "to": days[1].isoformat()}
            yield {
                "display": label,
                "query_string": changelist.get_query_string(parameters),
                "selected": parameters == self.used_parameters,
            }
        yield {
            "kept": _kept(changelist, "from", "to"),
            "all": changelist.get_query_string(remove=["from", "to"]),
            "first": self.used_parameters.get("from", ""),
            "last": self.used_parameters.get("to", ""),
        }

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        first, last = (self._day(name) for name in ("from", "to"))
        return of_days(queryset, self.field, first, last)

    def _day(self, name: str) -> datetime.date | None:
        text = str(self.used_parameters.get(name, ""))
        if not text:
            return None
        try:
            day = datetime.date.fromisoformat(text)
        except ValueError as error:
            raise IncorrectLookupParameters(error) from error
        if not 1900 < day.year < 9999:
            raise IncorrectLookupParameters("no such day")
        return day


def _kept(changelist: ChangeList, *left_out: str | None) -> list[tuple[str, str]]:
    """Return the list's other parameters, for hidden fields of a form."""
    return [(name, value) for name, value in changelist.params.items() if name not in left_out]
