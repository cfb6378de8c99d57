"""Read a launched patient's facts from the record's FHIR server; each has a date and a source.

No name, number, address or date of birth is kept. Those of the patient are looked at once, to
leave out facts that repeat them, as text typed into a problem may; so is what looks like one.
"""

from __future__ import annotations

import datetime
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from allauth.socialaccount.adapter import get_adapter
from requests import RequestException

from chat.records.infobutton import ALLERGIC_TO, MOST, NamesByCode, infobutton_of
from chat.records.launch.authorization import Granted
from chat.records.launch.refusals import LaunchRefused
from chat.records.resources import (
    OBSERVED,
    PREFETCH,
    allergies_in,
    day_of,
    demographics,
    fact_of,
    mappings_in,
    medicine_of,
    named_in,
    newest,
    resources_in,
)
from chat.web.patients import PatientFact
from core.language.en.identifiers.find import identifiers_in
from corpus.parsing.clean import clean_line

MAX_BYTES = 4 * 1024**2  # of an answer
MEDICINE_DAYS = 365  # after which a prescription that still runs is shown as old
PAGE = 100  # entries asked for at once; what is beyond is told as not known
_PATIENT = "{{context.patientId}}"
_LISTS = ("conditions", "allergies", "medicines")
_SEARCHES: Mapping[str, str] = {
    **PREFETCH,
    "medicines": f"MedicationRequest?patient={_PATIENT}&status=active",
}
_KIDNEYS = dict.fromkeys(("egfr", "creatinine"), "kidney function")
WANTED = ("age", "kidney function", "weight", "pregnancy", *_LISTS)  # what is told if not known
_TYPED = re.compile(r"\w{3,}")
Read = Mapping[str, Any]  # resources and bundles by the names of the searches


def facts_read(
    granted: Granted, name_of: NamesByCode, on: datetime.date
) -> tuple[tuple[PatientFact, ...], tuple[str, ...]]:
    """Return a patient's facts, and the names of what is not known or not wholly known.

    Raises LaunchRefused if the patient can't be read, or is another one.
    """
    with ThreadPoolExecutor(len(_SEARCHES)) as pool:
        answers = pool.map(lambda name: _answer(granted, name), _SEARCHES)
        read = dict(zip(_SEARCHES, answers, strict=True))
    _refuse_another(read, granted)
    facts: list[PatientFact] = []
    unknown, seen = _unknown(read), Counter[str]()
    names = _names_of(read["patient"])
    for name, fact in _facts(read, name_of, on):
        seen[name] += 1
        is_named = bool(identifiers_in(fact.text)) or not names.isdisjoint(_words(fact.text))
        if is_named or seen[name] > MOST:
            unknown.add(name)
        else:
            facts.append(fact)
            unknown -= {name} - {*_LISTS}
    if not any(fact.text == "female" for fact in facts):
        unknown.discard("pregnancy")
    return tuple(facts), tuple(each for each in WANTED if each in unknown)


def _answer(granted: Granted, name: str) -> Any:
    """Return what the record answers to a search; None if it can't be had or is too long."""
    query = _SEARCHES[name].replace(_PATIENT, granted.patient)
    if name in _LISTS:
        query += f"&_count={PAGE}"
    headers = {"Authorization": f"Bearer {granted.token}", "Accept": "application/fhir+json"}
    body = bytearray()
    try:
        with (
            get_adapter().get_requests_session() as http,
            http.request(
                "GET",
                f"{granted.record.issuer}/{query}",
                headers=headers,
                stream=True,
            ) as response,
        ):
            if response.status_code != 200:
                return None
            for part in response.iter_content(65536):
                body += part
                if len(body) > MAX_BYTES:
                    return None
        return json.loads(body)
    except (RequestException, ValueError, RecursionError):
        return None


def _refuse_another(read: Read, granted: Granted) -> None:
    """Raise LaunchRefused unless all that was read is of the patient who is open."""
    patient, record = read["patient"], granted.record.name
    if not isinstance(patient, dict) or patient.get("resourceType") != "Patient":
        raise LaunchRefused("away")
    theirs = {patient.get("id")}
    for bundle in read.values():
        for kind, field in (
            ("Observation", "subject"),
            ("Condition", "subject"),
            ("AllergyIntolerance", "patient"),
            ("MedicationRequest", "subject"),
        ):
            theirs |= {_id_of(each.get(field)) for each in resources_in(bundle, kind)}
    if theirs != {granted.patient}:
        raise LaunchRefused("other patient", record=record)


def _id_of(reference: Any) -> str:
    """Return the id in a reference to a patient: `Patient/1`, absolute or of a version."""
    said = reference.get("reference") if isinstance(reference, dict) else None
    path = str(said).partition("/_history/")[0].split("/")
    return path[-1] if path[-2:-1] == ["Patient"] else ""


def _unknown(read: Read) -> set[str]:
    """Return what is not known until it is found, and lists that can't be read to their end."""
    lists = {name for name in _LISTS if not isinstance(read[name], dict) or _goes_on(read[name])}
    return {*WANTED} - {*_LISTS} | lists


def _goes_on(bundle: Mapping[str, Any]) -> bool:
    links = bundle.get("link")
    return isinstance(links, list) and any(
        isinstance(each, dict) and each.get("relation") == "next" for each in links
    )


def _facts(
    read: Read, name_of: NamesByCode, on: datetime.date
) -> Iterator[tuple[str, PatientFact]]:
    """Yield each fact with the name by which it would be told as not known."""
    told = infobutton_of(
        {"mainSearchCriteria.v.dn": "-"} | demographics(read["patient"], on), name_of
    )
    for fact in told.facts:
        name = "age" if "age.v.v" in fact.parameters else "sex"
        yield name, PatientFact(fact.text, None, "Patient", is_old=False, is_counted=True)
    for name, (codes, days) in OBSERVED.items():
        if found := newest(read[name], codes, on):
            day, observation = found
            is_old = on - day > datetime.timedelta(days)
            yield (
                _KIDNEYS.get(name, name),
                PatientFact(
                    clean_line(fact_of(observation)), day, "Observation", is_old, not is_old
                ),
            )
    allergies = allergies_in(read["allergies"], name_of)
    conditions = named_in(read["conditions"], "Condition", name_of)
    medicines = _medicines(read["medicines"], name_of)
    for name, since in allergies.items():
        yield "allergies", _named(ALLERGIC_TO + name, since, "AllergyIntolerance", is_counted=True)
    for name, since in conditions.items():
        yield "conditions", _named(name, since, "Condition")
    for name, since in medicines.items():
        is_old = bool(since and on - since > datetime.timedelta(MEDICINE_DAYS))
        yield "medicines", _named(f"takes {name}", since, "MedicationRequest", is_old=is_old)


def _named(
    text: str,
    day: datetime.date | None,
    source: str,
    *,
    is_old: bool = False,
    is_counted: bool = False,
) -> PatientFact:
    return PatientFact(clean_line(text), day, source, is_old, is_counted)


def _medicines(bundle: Any, name_of: NamesByCode) -> dict[str, datetime.date | None]:
    return {
        name: day_of(each.get("authoredOn"))
        for each in resources_in(bundle, "MedicationRequest")
        if each.get("status") == "active" and each.get("doNotPerform") is not True
        if (name := medicine_of(each, name_of))
    }


def _names_of(patient: Mapping[str, Any]) -> set[str]:
    """Return the words of a patient's names and numbers."""
    found: list[Any] = []
    for each in mappings_in(patient.get("name")):
        given = each.get("given")
        found += [each.get("family"), each.get("text"), *(given if type(given) is list else ())]
    found += [each.get("value") for each in mappings_in(patient.get("identifier"))]
    return {word for text in found if isinstance(text, str) for word in _words(text)}


def _words(text: str) -> list[str]:
    return _TYPED.findall(text.lower())
