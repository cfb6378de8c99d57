"""Name every check of facts, in the order in which they act."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chat.caveats.applicability import Applicability, applicability
from chat.caveats.barred import barred, denied, only_after_anaphylaxis, unaware
from chat.caveats.cautions import Caution, form_cautions
from chat.caveats.conflicts import conflicts
from chat.caveats.omissions import omitted
from chat.caveats.prohibitions import (
    doses_despite,
    only_passed,
    prohibitions,
    rows_of_values,
)
from chat.caveats.referred import referred_rows
from chat.caveats.silent import unspoken
from chat.caveats.tables import holding_rows, with_whole_tables
from chat.checks.agreement import LEFT_OUT
from chat.checks.claims import STOPPED
from chat.checks.types import Acts, Check
from chat.types import DraftClaim


def _form_cautions(question: str, claims: Sequence[DraftClaim]) -> tuple[Caution, ...]:
    return tuple(form_cautions(question, claims))


PROHIBITIONS = Check(
    "prohibitions",
    Acts.ORDER,
    "What is forbidden for the patient of the question stands first, in refusals too.",
    prohibitions,
    nothing=(),
)
BANDS = Check(
    "bands",
    Acts.ORDER,
    "Where all else only forbids, and not for this patient, the row of its band is shown.",
    only_passed,
    nothing=False,
)
VALUES = Check(
    "rows of values",
    Acts.ORDER,
    "The row of a measured value stands first, where nothing else speaks of what is measured.",
    rows_of_values,
    nothing=(),
)
OVERLAPPING = Check(
    "overlapping rows",
    Acts.ORDER,
    "All rows into which the patient's number falls are shown.",
    holding_rows,
    nothing=(),
)
WHOLE_TABLES = Check(
    "whole tables",
    Acts.ORDER,
    "The other rows of a small table stand beside the one that answers.",
    with_whole_tables,
    nothing=(),
)
REFERRED = Check(
    "referred tables",
    Acts.ORDER,
    "The rows of a table that an answer refers to stand behind it.",
    referred_rows,
    nothing={},
)
BARRED = Check(
    "barred",
    Acts.ORDER,
    "What is not for this patient by its own words stands last, and is told.",
    barred,
    nothing={},
)
LIKE_DENIED = Check(
    "like what is denied",
    Acts.CAUTION,
    "What excludes people with something like what the question denies is told.",
    denied,
    nothing={},
)
DESPITE = Check(
    "doses despite a ban",
    Acts.CAUTION,
    "Doses that stand beside what forbids them for the patient, and don't say so, are told.",
    doses_despite,
    nothing=((), ()),
)
UNAWARE = Check(
    "allergy",
    Acts.CAUTION,
    "A dose that doesn't mention the patient's allergy is told.",
    unaware,
    nothing=frozenset(),
)
ANAPHYLAXIS = Check(
    "anaphylaxis",
    Acts.CAUTION,
    "What is excluded after anaphylaxis is told, where the reaction isn't known.",
    only_after_anaphylaxis,
    nothing=frozenset(),
)
OMISSIONS = Check(
    "omissions",
    Acts.CAUTION,
    "Limits that stand near what is quoted are shown with it.",
    omitted,
    nothing=(),
)
APPLICABILITY = Check(
    "applicability",
    Acts.CAUTION,
    "It is told whom an answer is for, and where that isn't the patient.",
    applicability,
    nothing=Applicability(),
)
UNSPOKEN = Check(
    "not covered",
    Acts.CAUTION,
    "A condition on which it is asked whether something may be given, and of which nothing speaks.",
    unspoken,
    nothing=[],
)
FORMS = Check(
    "forms",
    Acts.CAUTION,
    "A form or brand that only one of question and statement names is told.",
    _form_cautions,
    nothing=(),
)
CONFLICTS = Check(
    "conflicts",
    Acts.CAUTION,
    "A guideline that says otherwise is shown beside.",
    conflicts,
    nothing=(),
)

TABLE: Sequence[Check[..., Any]] = (
    *LEFT_OUT,
    *STOPPED,
    *(PROHIBITIONS, BANDS, VALUES, OVERLAPPING, WHOLE_TABLES, REFERRED),
    *(BARRED, LIKE_DENIED, DESPITE),
    *(UNAWARE, ANAPHYLAXIS, OMISSIONS, APPLICABILITY, UNSPOKEN, FORMS, CONFLICTS),
)
