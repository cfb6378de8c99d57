"""List the forms of medicines: releases, types, salts, and what they are made as. Pure."""

from __future__ import annotations

import re

MODIFIED, _IMMEDIATE, _RESISTANT = "modified-release", "immediate-release", "gastro-resistant"
# Forms by the words for them. Those in capitals and the salts count only beside a medicine.
RELEASES = {
    MODIFIED: r"(?:modified|slow|sustained|prolonged|extended|controlled)[- ]release"
    r"|long[- ]acting|depot|M/?R|SR|XL|XR|ER|CR|LA|LAR|retard",
    _IMMEDIATE: r"(?:immediate|quick|fast|normal|standard)[- ]release|short[- ]acting"
    r"|rapid[- ]acting|IR",
    _RESISTANT: r"gastro-?[- ]?resistant|enteric[- ]coated|E/?C",
}
ANY_TYPE = {
    "pegylated liposomal": r"pegylated[- ]liposomal",
    "liposomal": r"liposomal|liposome",
    "lipid complex": r"lipid[- ]complex",
    "albumin-bound": r"(?:albumin|protein)[- ]bound",
    "pegylated": r"pegylated",
}
_TYPES = {
    "amphotericin": {"deoxycholate": r"d?e[sz]?oxycholate|conventional"},
    "insulin": {
        "isophane": "isophane|NPH",
        "soluble": "soluble|neutral|regular",
        "biphasic": r"biphasic|pre-?mixed|mix ?\d*",
    }
    | {each: each for each in "aspart degludec detemir glargine glulisine lispro".split()},
    "heparin": {
        "low molecular weight": r"low[- ]molecular[- ]weight",
        "unfractionated": "unfractionated",
    },
    "interferon": {
        f"{name}{kind}": rf"{words}[- ]?{kind}" if kind else words
        for name, words in (("alfa", "(?:alfa|alpha)"), ("beta", "beta"), ("gamma", "gamma"))
        for kind in ("1a", "1b", "2a", "2b", "")
    },
    "immunoglobulin": {
        "anti-D": r"anti[- ]D",
        "hepatitis B": r"hepatitis[- ]B",
        "tetanus": "tetanus",
        "rabies": "rabies",
        "varicella zoster": r"varicella(?:[- ]zoster)?",
    },
    "trastuzumab": {"emtansine": "emtansine", "deruxtecan": "deruxtecan"},
}
# Salts and esters. Those before a colon are doses and uses of their own, for all medicines or for
# those named; of the last line none is, unless both sides name one.
_SALTS = """
decanoate palmitate enanthate undecanoate cypionate propionate dipropionate furoate valerate:
butyrate acetonide hexacetonide mofetil disoproxil alafenamide mononitrate dinitrate butylbromide:
benzathine procaine pamoate lauroxil semisodium axetil pivoxil proxetil lactobionate stearate:
ethylsuccinate erbumine:
arginine: perindopril
carbonate: lithium
citrate: lithium
hydrobromide: hyoscine
acetate: zuclopenthixol methylprednisolone hydrocortisone
dihydrochloride: zuclopenthixol flupentixol
succinate tartrate: metoprolol
hydrochloride sulfate sodium maleate mesilate besilate phosphate fumarate bromide nitrate: -
"""
_SALT_SPELLINGS = {
    "sulphate": "sulfate", "mesylate": "mesilate", "besylate": "besilate",
    "enantate": "enanthate", "cipionate": "cypionate", "embonate": "pamoate",
}  # fmt: skip
SALT_OF = {
    salt: of.split()
    for names, of in (line.split(":") for line in _SALTS.strip().splitlines())
    for salt in names.split()
}
# What a plain name never means.
NEVER_PLAIN = frozenset(
    """
    decanoate palmitate enanthate pamoate lauroxil benzathine procaine emtansine deruxtecan
    """.split()
)
DEPOTS = frozenset("decanoate palmitate enanthate pamoate lauroxil".split())
_MADE = {
    "tablets": r"tab(?:let)?s?|cap(?:sule)?s?",
    "oral liquid": r"oral (?:solution|suspension|liquid|drops)|syrup|elixir",
}
RELEASE, SALT, TYPE, MADE_AS = "release", "salt", "type", "made as"
FORMS = (
    *((MADE_AS, value, words, "") for value, words in _MADE.items()),
    *((RELEASE, value, words, "") for value, words in RELEASES.items()),
    *((TYPE, value, words, "") for value, words in ANY_TYPE.items()),
    *((TYPE, value, words, of) for of, types in _TYPES.items() for value, words in types.items()),
    *((SALT, _SALT_SPELLINGS.get(salt, salt), salt, "") for salt in (*SALT_OF, *_SALT_SPELLINGS)),
)
FORM = re.compile(
    rf"\b(?:{'|'.join(f'(?P<f{n}>{words})' for n, (*_, words, _) in enumerate(FORMS))})\b", re.I
)
ABBREVIATION = re.compile(r"(?:M/?R|SR|XL|XR|ER|CR|IR|LA|LAR|E/?C)\Z", re.I)
CAPITALS = re.compile(r"ER\Z", re.I)
