"""Names of codes from the site's own list."""

from __future__ import annotations

import csv
from functools import lru_cache
from pathlib import Path

from django.conf import settings

_SYSTEMS = {  # of a list or a record that names them otherwise
    "rxnorm": "2.16.840.1.113883.6.88",
    "snomed": "2.16.840.1.113883.6.96",
    "snomedct": "2.16.840.1.113883.6.96",
    "dm+d": "2.16.840.1.113883.2.1.3.2.4.15",
    "icd-10": "2.16.840.1.113883.6.3",
    "atc": "2.16.840.1.113883.6.73",
    "loinc": "2.16.840.1.113883.6.1",
    # As FHIR names them.
    "http://www.nlm.nih.gov/research/umls/rxnorm": "2.16.840.1.113883.6.88",
    "http://snomed.info/sct": "2.16.840.1.113883.6.96",
    "https://dmd.nhs.uk": "2.16.840.1.113883.2.1.3.2.4.15",
    "http://hl7.org/fhir/sid/icd-10": "2.16.840.1.113883.6.3",
    "http://www.whocc.no/atc": "2.16.840.1.113883.6.73",
    "http://loinc.org": "2.16.840.1.113883.6.1",
}


def name_of_code(system: str, code: str) -> str:
    """Return the name of a code of a system (OID, URI); empty where no list has it.

    Where the record names no system, the name counts if all systems agree.
    """
    if not (path := settings.RECORD.terminology):
        return ""
    names = _names(path, Path(path).stat().st_mtime_ns)
    if system := _SYSTEMS.get(system.lower(), system):
        return names.get((system, code), "") or names.get(("", code), "")
    found = names.get(("*", code), "")
    return "" if found == _SEVERAL else found


_SEVERAL = "\0"


@lru_cache(maxsize=2)
def _names(path: str, changed: int) -> dict[tuple[str, str], str]:
    """Read rows of system, code and name, or of code and name; `*` stands for any system."""
    names: dict[tuple[str, str], str] = {}
    with Path(path).open(encoding="utf-8-sig", newline="") as lines:
        for row in csv.reader(lines):
            *system, code, name = (cell.strip() for cell in row[-3:]) if len(row) > 1 else ("", "")
            if not code or not name:
                continue
            own = system[0].lower() if system else ""
            names[_SYSTEMS.get(own, own), code] = name
            before = names.get(("*", code), name)
            names["*", code] = name if before == name else _SEVERAL
    return names
