"""What can fail on the way of a question, each a refusal with a reason of its own."""

from __future__ import annotations

from core.errors import MedragError
from core.llm.usage import Usage


class GeneratorUnavailable(MedragError):
    """No claim could be written: no endpoint gave an answer that can be read."""

    code = "generator"
    usage = Usage()  # what language models took all the same
    raw: tuple[str, ...] = ()  # what they answered, for the record: never for a log or a screen
    notes: tuple[str, ...] = ()  # on each endpoint that was passed over


class VerifierUnavailable(MedragError):
    """A claim could not be judged, so none is shown."""

    code = "verifier"
    usage = Usage()  # what language models took all the same
    what = ""  # of a judge that is a language model: goes on after "the judge"


class QuestionError(MedragError):
    """A question that can't be asked as it is. Nothing was stored."""


class BudgetExceeded(MedragError):
    """The time that one question may take is over."""

    code = "budget"
