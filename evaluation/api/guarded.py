"""Shared by the operations on evaluations: the rights that they take, and the history."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.contrib.admin.models import ADDITION, LogEntry
from django.contrib.auth.models import User
from rest_framework.exceptions import APIException
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from chat.api import examples
from chat.api.guarded import Guarded
from chat.api.pages import ByNumber
from chat.models import Scope
from corpus.access import refuse_without
from evaluation.models import QuestionRun, QuestionSet

EXAMPLES = examples.read(Path(__file__).with_name("examples.yaml"))
CONFLICT, UNREADABLE = (int(HTTPStatus.CONFLICT),), (int(HTTPStatus.UNPROCESSABLE_ENTITY),)


class Refused(APIException):
    """A refusal of a service, in its own words."""

    def __init__(self, sentence: str, status: HTTPStatus) -> None:
        super().__init__(sentence)
        self.status_code = status


class Latest(ByNumber):
    ordering: Any = ("-pk",)


class OfEvaluations(Guarded):
    """Operations for users who have the right in the administration too."""

    scope_to_write = str(Scope.EVALUATION)
    right_to_read = ""
    right_to_write = ""

    def check_permissions(self, request: Request) -> None:
        super().check_permissions(request)
        is_read = request.method in SAFE_METHODS
        refuse_without(request.user, self.right_to_read if is_read else self.right_to_write)


def history_begin(added: QuestionRun | QuestionSet, *, by: User) -> None:
    """Add a line to the history of a run or set on who added it."""
    LogEntry.objects.log_actions(
        by.pk, [added], ADDITION, change_message=[{"added": {}}], single_object=True
    )
