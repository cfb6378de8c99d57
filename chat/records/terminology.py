"""Names of codes from the site's own list."""

from __future__ import annotations

import csv
from functools import lru_cache
from pathlib import Path

from django.conf import settings

_OIDS = "2.16.840.1.113883."
_SYSTEMS = {  # of a list or a record that names them otherwise, as FHIR does
    **dict.fromkeys(("rxnorm", "http://www.nlm.nih.gov/research/umls/rxnorm"), f"{_OIDS}6.88"),
    **dict.fromkeys(("snomed", "snomedct", "http://snomed.info/sct"), f"{_OIDS}6.96"),
    **dict.fromkeys(("dm+d", "https://dmd.nhs.uk"), f"{_OIDS}2.1.3.2.4.15"),
    **dict.fromkeys(("icd-10", "http://hl7.org/fhir/sid/icd-10"), f"{_OIDS}6.3"),
    **dict.fromkeys(("atc", "http://www.whocc.no/atc"), f"{_OIDS}6.73"),
    **dict.fromkeys(("loinc", "http://loinc.org"), f"{_OIDS}6.1"),
}


def name_of_code(system: str, code: str) -> str:
    """Return the name of a code of a system (OID, URI); empty where no list has it.

    Where the record names no system, the name counts if all systems agree.
    """
    if not (path := settings.RECORD.terminology):
        return ""
    names = _names(path, Path(path).stat().st_mtime_ns)
    if system := _SYSTEMS.get(system.lower(), system):
        return names.get((system, code)) or names.get(("", code), "")
    return names.get(("*", code), "")


@lru_cache(maxsize=2)
def _names(path: str, changed: int) -> dict[tuple[str, str], str]:
    """Read rows of system, code and name, or of code and name; `*` stands for any system."""
    names: dict[tuple[str, str], str] = {}
    with Path(path).open(encoding="utf-8-sig", newline="") as lines:
        for row in csv.reader(lines):
            system, code, name = ("", "", *(cell.strip() for cell in row))[-3:]
            if code and name:
                own = system.lower()
                names[_SYSTEMS.get(own, own), code] = name
                same = names.get(("*", code), name) == name
                names["*", code] = name if same else ""  # several
    return names
