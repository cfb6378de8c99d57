"""Errors of the steps of a question, each a refusal with its own reason."""

from __future__ import annotations

from core.errors import MedragError
from core.llm.usage import Usage


class GateUnavailable(MedragError):
    """No gate can judge the evidence, so nothing may be answered."""

    code = "gate"


class GeneratorUnavailable(MedragError):
    """No claim could be written: no endpoint gave a readable answer."""

    code = "generator"
    usage = Usage()  # what language models took all the same
    raw: tuple[str, ...] = ()  # what they answered, for the record: never for a log or a screen
    notes: tuple[str, ...] = ()  # on each endpoint that was passed over


class VerifierUnavailable(MedragError):
    """A claim could not be verified, so none is shown."""

    code = "verifier"
    usage = Usage()  # what language models took all the same
    what = ""  # of a judge that is a language model: goes on after "the judge"


class QuestionError(MedragError):
    """The question can't be asked like this. Nothing was stored."""


class BudgetExceeded(MedragError):
    """The question ran out of time."""

    code = "budget"
