"""Find numbers that only look like identifiers: of publications, codes and doses. Pure.

They are masked before identifiers are searched for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.language.en.identifiers.types import Span

_WORDS = (
    "ISBN|ISSN|PMID|PMCID|PubMed(?: ID)?|DOI|ISRCTN|ACTRN|ChiCTR|EudraCT|CTRI|UMIN|DRKS|CRD|"
    "CAS(?: (?:no|number|registry number))?|ICD(?:-?(?:9|10|11)(?:-CM)?)?|ATC|SNOMED(?: CT)?|"
    "SCTID|LOINC|RxNorm|RxCUI|NDC|GTIN|OMIM|MIM|UMLS|CUI|MeSH|HGNC|dbSNP|GenBank|UniProt|PDB|"
    "lot|batch|grant|PROSPERO|arXiv|OPCS|CPT|HCPCS|DRG|EAN"
)
_UNITS = (
    r"%|‰|mg|mcg|µg|μg|ug|ng|pg|g|kg|gram(?:me)?s?|milligrams?|micrograms?|mL|ml|millilitres?|"
    r"milliliters?|dL|dl|L|litres?|liters?|mmol|µmol|μmol|umol|micromol|nmol|pmol|mEq|meq|mosm|"
    r"mOsm|units?|IU|iu|mmHg|cmH2O|kPa|kcal|kJ|Gy|cGy|mGy|Bq|MBq|mSv|Hz|kHz|bpm|cm|mm|nm|µm|"
    r"hours?|hrs?|minutes?|mins?|days?|weeks?|months?|years?|yrs?|yo|y/o|cells|copies|tablets?|capsules?|doses?|"
    r"x\s?10|×\s?10|patients?|people|participants|women|men|children|subjects|steps|pts"
)
_PATTERNS = (
    re.compile(
        rf"(?<!\w)(?:{_WORDS})(?:\s?(?:number|no|code|codes|ID|id))?[\s.:#-]{{0,3}}"
        r"[A-Z]{0,4}\d[\dA-Za-z.-]{0,30}",
        re.IGNORECASE,
    ),
    re.compile(r"(?<![\w.])10\.\d{4,9}/[^\s<>\"]{1,120}"),  # a DOI
    re.compile(
        r"(?<!\w)(?:NCT|ISRCTN|ACTRN|CRD|PMC|DRKS|CHEMBL|OMIM|rs|NM_|NP_|ENSG)\d{4,14}(?!\w)"
    ),
    re.compile(r"(?<!\w)\d{4}-\d{6}-\d{2}(?!\w)"),  # EudraCT
    re.compile(r"(?<![\w-])\d{2,7}-\d{2}-\d(?![\w-])"),  # CAS
    re.compile(r"(?<![\w-])97[89][- ]\d[\d -]{9,12}[\dX](?![\w-])"),  # ISBN-13
    re.compile(r"(?<!\w)https?://[^\s@]{1,200}(?![^\s]*@)", re.IGNORECASE),
    re.compile(
        rf"(?<![\w/.,-])\d{{1,7}}(?:[,./–:x×-]\d{{1,7}}){{0,5}}\s?(?:{_UNITS})(?![^\W_])",
    ),
)


def references(text: str) -> Iterator[Span]:
    """Yield the spans of such numbers, in no order; they may overlap."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield match.span()
