"""Look up published names of medicines: brands, generic names and their ingredients. Pure.

The names are those of DrugBank, MedlinePlus, the NHS, MeSH and Wikipedia, as the package
`drug-named-entity-recognition` bundles them. Only its dictionary is read: the package itself
prepares web look-ups when it is imported.
"""

from __future__ import annotations

import bz2
import io
import pickle
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

_PACKAGE, _FILE = "drug_named_entity_recognition", "drug_ner_dictionary.pkl.bz2"
_LISTS = ("medline_plus_id", "nhs_url")  # of medicines only
_SUBSTANCES = (*_LISTS, "drugbank_id")  # of medicines, reagents and what the body makes
_WORD = re.compile(r"[^\W\d_]{3,}")
_TWO = re.compile(r"[^\W\d_]{3,} [^\W\d_]{3,}")
_NO_MEDICINE = re.compile(r".*(?:vaccines?|supplements?|hormone|gland)|vitamin .*")
_SEVERAL = re.compile(r", | and |/")
_REMARK = re.compile(r"\s*\([^)]*\)")
# Names that mean other things as well: they count only in a medicine's place. They are those that
# `wordfreq` has seen in English, looked through by hand.
_ORDINARY = frozenset(
    """
    agit alli almora aman arima armour atpase atpases azor bicol biomet camila capex carwin cera
    cgrp cinna colgate copal cortisol corwin dagan dala deoxycholate dolin dops estrogen fiac folate
    gana generics hana hemel igfbp ivor kalma kaon kendrick longum luminal makena modus naca neca
    nicotinate ogen phospholipids planum potassium rela renova safra saha siga sone sunkist thein
    theon thyroid urso vals vestra vicks
    """.split()
)


@dataclass(frozen=True)
class Name:
    """What a published name stands for.

    `is_listed`: it is in a list of nothing but medicines. `is_ordinary`: it means other things too.
    """

    generic: str
    is_listed: bool
    is_ordinary: bool


def published(word: str) -> Name | None:
    """Return what a lower-case word, or two with a space, names; None if it names nothing."""
    return _loaded()[0].get(word)


def combined_generics() -> frozenset[str]:
    """Return the generic names of several medicines in one, as `valsartan and sacubitril`."""
    return _loaded()[1]


def single_generics() -> frozenset[str]:
    """Return the listed generic names that are one word."""
    names = _loaded()[0].values()
    return frozenset(each.generic for each in names if each.is_listed and each.generic.isalpha())


@lru_cache(maxsize=1)
def _loaded() -> tuple[dict[str, Name], frozenset[str]]:
    known = _read()
    facts = known["drug_canonical_to_data"]
    listed, substances = (
        {generic for generic, of in facts.items() if not of.keys().isdisjoint(lists)}
        for lists in (_LISTS, _SUBSTANCES)
    )
    names = {
        name: Name(_REMARK.sub("", generic).strip(" ,"), generic in listed, name in _ORDINARY)
        for name, (generic, *_) in known["drug_variant_to_canonical"].items()
        if generic in substances and not _NO_MEDICINE.fullmatch(name)
        if _WORD.fullmatch(name) or (generic in listed and _TWO.fullmatch(name))
    }
    return names, frozenset(filter(_SEVERAL.search, facts))


def _read() -> dict[str, dict]:  # type: ignore[type-arg]  # of strings, as the package has them
    spec = find_spec(_PACKAGE)  # found, not imported
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"The package {_PACKAGE.replace('_', '-')} is not installed.")
    packed = Path(spec.submodule_search_locations[0], _FILE).read_bytes()
    found: dict[str, dict] = _Plain(io.BytesIO(bz2.decompress(packed))).load()  # type: ignore[type-arg]
    return found


class _Plain(pickle.Unpickler):
    """Unpickle dictionaries, lists and strings, and nothing that could run."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"The dictionary of medicines holds a {module}.{name}.")
