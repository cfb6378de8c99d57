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

from chat.records import resources as fhir
from chat.records.infobutton import ALLERGIC_TO, MOST, NamesByCode, infobutton_of
from chat.records.launch.authorization import Granted
from chat.records.launch.refusals import LaunchRefused
from chat.web.patients import PatientFact
from core.language.en.identifiers.find import identifiers_in
from corpus.parsing.clean import clean_line

MAX_BYTES = 4 * 1024**2  # of an answer
MEDICINE_GOOD = datetime.timedelta(365)  # an older prescription that runs is shown as old
PAGE = 100  # entries asked for at once; what is beyond is told as not known
_PATIENT = "{{context.patientId}}"
_LISTS = ("conditions", "allergies", "medicines")
_SEARCHES: Mapping[str, str] = {
    **fhir.PREFETCH,
    "medicines": f"MedicationRequest?patient={_PATIENT}&status=active",
}
_SINGLE = ("age", "kidney function", "weight", "pregnancy")
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
    patient, record = read["patient"], granted.record.name
    if not isinstance(patient, dict) or patient.get("resourceType") != "Patient":
        raise LaunchRefused("away")
    if fhir.patients_in(read) != {granted.patient}:
        raise LaunchRefused("other patient", record=record)
    facts: list[PatientFact] = []
    names, seen = _names_of(patient), Counter[str]()
    unknown = {*_SINGLE} | {name for name in _LISTS if not _is_whole(read[name])}
    for name, fact in _facts(read, name_of, on):
        seen[name] += 1
        is_named = bool(identifiers_in(fact.text)) or not names.isdisjoint(_words(fact.text))
        if is_named or seen[name] > MOST:
            unknown.add(name)
        else:
            facts.append(fact)
            unknown -= {name} & {*_SINGLE}
    if not any(fact.text == "female" for fact in facts):
        unknown.discard("pregnancy")
    return tuple(facts), tuple(each for each in (*_SINGLE, *_LISTS) if each in unknown)


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
            http.get(f"{granted.record.issuer}/{query}", headers=headers, stream=True) as response,
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


def _is_whole(bundle: Any) -> bool:
    """Tell whether a list was read to its end."""
    return isinstance(bundle, dict) and not any(
        each.get("relation") == "next" for each in fhir.mappings_in(bundle.get("link"))
    )


def _facts(
    read: Read, name_of: NamesByCode, on: datetime.date
) -> Iterator[tuple[str, PatientFact]]:
    """Yield each fact with the name by which it would be told as not known."""
    told = {"mainSearchCriteria.v.dn": "-"} | fhir.demographics(read["patient"], on)
    for said in infobutton_of(told, name_of).facts:
        name = "age" if "age.v.v" in said.parameters else "sex"
        yield name, PatientFact(said.text, None, "Patient", is_old=False, is_counted=True)
    for each in fhir.observations_in(read, on):
        fact = PatientFact(each.text, each.day, "Observation", each.is_old, not each.is_old)
        yield each.name, fact
    lists: tuple[tuple[str, str, str, Mapping[str, datetime.date | None]], ...] = (
        ("allergies", "AllergyIntolerance", ALLERGIC_TO, fhir.allergies_in(read, name_of)),
        ("conditions", "Condition", "", fhir.named_in(read["conditions"], "Condition", name_of)),
        ("medicines", "MedicationRequest", "takes ", _medicines(read["medicines"], name_of)),
    )
    for name, source, before, found in lists:
        for text, day in found.items():
            is_old = bool(name == "medicines" and day and on - day > MEDICINE_GOOD)
            fact_text = clean_line(before + text)
            yield name, PatientFact(fact_text, day, source, is_old, is_counted=name == "allergies")


def _medicines(bundle: Any, name_of: NamesByCode) -> dict[str, datetime.date | None]:
    return {
        name: fhir.day_of(each.get("authoredOn"))
        for each in fhir.resources_in(bundle, "MedicationRequest")
        if each.get("status") == "active" and each.get("doNotPerform") is not True
        if (name := fhir.medicine_of(each, name_of))
    }


def _names_of(patient: Mapping[str, Any]) -> set[str]:
    """Return the words of a patient's names and numbers."""
    found: list[Any] = []
    for each in fhir.mappings_in(patient.get("name")):
        given = each.get("given")
        found += [each.get("family"), each.get("text"), *(given if type(given) is list else ())]
    found += [each.get("value") for each in fhir.mappings_in(patient.get("identifier"))]
    return {word for text in found if isinstance(text, str) for word in _words(text)}


def _words(text: str) -> list[str]:
    return _TYPED.findall(text.lower())
