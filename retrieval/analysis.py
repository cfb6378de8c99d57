"""What a question says beyond its letters: abbreviations, spelled out. Pure.

A clinician types MAP, DKA or CrCl; a guideline may write the words. The words join the search,
and a passage that has all of them holds the abbreviation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Found in capitals only: in small letters each is a word, or stands for something else.
_CAPITALS = """
ACE angiotensin converting enzyme | AF atrial fibrillation | AKI acute kidney injury
ACS acute coronary syndrome | ARDS acute respiratory distress syndrome | BP blood pressure
CAP community acquired pneumonia | CKD chronic kidney disease | CPR cardiopulmonary resuscitation
CVC central venous catheter | DIC disseminated intravascular coagulation
DOAC direct oral anticoagulant | DVT deep vein thrombosis | FFP fresh frozen plasma
GCS Glasgow coma scale | GTN glyceryl trinitrate | HAP hospital acquired pneumonia
HF heart failure | HTN hypertension | ICH intracranial haemorrhage | IM intramuscular
IV intravenous | LP lumbar puncture | MAP mean arterial pressure | MI myocardial infarction
PE pulmonary embolism | PCC prothrombin complex concentrate | PEF peak expiratory flow
RSI rapid sequence induction | SC subcutaneous | TIA transient ischaemic attack
UTI urinary tract infection | VF ventricular fibrillation | VT ventricular tachycardia
VTE venous thromboembolism | WCC white cell count
"""
_ANY_CASE = """
COPD chronic obstructive pulmonary disease | CrCl creatinine clearance | CTPA pulmonary angiography
DKA diabetic ketoacidosis | eGFR estimated glomerular filtration rate | FBC full blood count
Hb haemoglobin | HbA1c glycated haemoglobin | hypo hypoglycaemia
INR international normalised ratio | IBD inflammatory bowel disease
LMWH low molecular weight heparin | MRSA meticillin resistant Staphylococcus aureus
NSTEMI non ST elevation myocardial infarction | STEMI ST elevation myocardial infarction
TPN total parenteral nutrition | tPA tissue plasminogen activator | UFH unfractionated heparin
"""


def _table(text: str) -> dict[str, str]:
    entries = text.replace("\n", " | ").split("|")
    return dict(entry.strip().split(" ", 1) for entry in entries if entry.strip())


_CAPITAL_FORMS = _table(_CAPITALS)
_FORMS = _table(_ANY_CASE)
_LOWER_FORMS = {short.lower(): words for short, words in _FORMS.items()}
_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9]*")


@dataclass(frozen=True)
class Expansion:
    """An abbreviation as it was typed, and its words."""

    short: str
    words: str


def expansions(question: str) -> tuple[Expansion, ...]:
    """The abbreviations of a question that are known, each once, in order."""
    found: dict[str, Expansion] = {}
    for token in _TOKEN.findall(question):
        words = _CAPITAL_FORMS.get(token) or _LOWER_FORMS.get(token.lower())
        if words and words.lower() not in question.lower():
            found.setdefault(token, Expansion(token, words))
    return tuple(found.values())


def spelled_out(question: str) -> str:
    """The question with the words of each abbreviation in brackets behind it; for the encoder."""
    for expansion in expansions(question):
        question = re.sub(
            rf"\b{expansion.short}\b", f"{expansion.short} ({expansion.words})", question, count=1
        )
    return question
