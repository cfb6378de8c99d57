"""Reword faithfully: abbreviations, spellings, other names and usual words. Pure."""

import re
from collections.abc import Iterator, Sequence

Turn = tuple[str, str]

_ABBREVIATED: tuple[Turn, ...] = (
    (r"\bintravenously\b", "IV"),
    (r"\bintravenous\b", "IV"),
    (r"\bintravenous\b", "i.v."),
    (r"\bIntravenous\b", "IV"),
    (r"\bintramuscularly\b", "IM"),
    (r"\bintramuscular\b", "IM"),
    (r"\bsubcutaneous\b", "SC"),
    (r"\bby subcutaneous injection\b", "SC"),
    (r"\bby mouth\b", "PO"),
    (r"\bby mouth\b", "orally"),
    (r"\borally\b", "by mouth"),
    (r"\brectally\b", "PR"),
    (r"\b[Tt]wice daily\b", "BD"),
    (r"\b[Tt]wice daily\b", "b.d."),
    (r"\bthree times daily\b", "TDS"),
    (r"\bthree times daily\b", "tds"),
    (r"\bfour times daily\b", "QDS"),
    (r"\bfour times daily\b", "qds"),
    (r"\b[Oo]nce daily\b", "OD"),
    (r"\b[Oo]nce daily\b", "once a day"),
    (r"\btwice daily\b", "twice a day"),
    (r"\bmicrograms\b", "mcg"),
    (r"\bmicrograms\b", "µg"),
    (r"\bhours\b", "hrs"),
    (r"(?<=\d) hours\b", " h"),
    (r"(?<=\d) minutes\b", " min"),
    (r"(?<=\d) minutes\b", " mins"),
    (r"\bblood pressure\b", "BP"),
    (r"\b[Cc]reatinine clearance\b", "CrCl"),
    (r"\brespiratory rate\b", "RR"),
    (r"\bheart rate\b", "HR"),
    (r"\bGlasgow Coma Scale\b", "GCS"),
    (r"\bchest radiograph\b", "CXR"),
    (r"\bfull blood count\b", "FBC"),
    (r"\bvenous thromboembolism\b", "VTE"),
    (r"\bdiabetic ketoacidosis\b", "DKA"),
    (r"\burinary tract infection \(UTI\)", "UTI"),
    (r"\burinary tract infection \(UTI\)", "urinary tract infection"),
    (r"(?<!\()\bVTE\b", "venous thromboembolism"),
    (r"(?<!\()\bUTI\b", "urinary tract infection"),
    (r"(?<!\()\bDKA\b", "diabetic ketoacidosis"),
    (r"\bECG\b", "electrocardiogram"),
    (r"\bINR\b", "international normalised ratio"),
    (r"\bACE inhibitor", "ACEi"),
    (r"\bnon-steroidal anti-inflammatory drugs\b", "NSAIDs"),
    (r"\bintensive care\b(?! unit)", "ICU"),
    (r"\ba maximum of\b", "max"),
    (r"\bfor example\b", "e.g."),
)
_SPELLINGS: tuple[Turn, ...] = (
    (r"([Hh])aem(?=[a-z])", r"\1em"),
    (r"(?<=[a-z])aem(?=ia|ic)", "em"),
    (r"oedema\b", "edema"),
    (r"\boesophag", "esophag"),
    (r"\boestrogen", "estrogen"),
    (r"\b([Pp])aediatric", r"\1ediatric"),
    (r"\b([Aa])naesth", r"\1nesth"),
    (r"\bdiarrhoea", "diarrhea"),
    (r"\blitre", "liter"),
    (r"\b([Ff])aecal", r"\1ecal"),
    (r"\bapnoea", "apnea"),
    (r"\bdyspnoea", "dyspnea"),
    (r"\bnebuliser", "nebulizer"),
    (r"\bnebulised", "nebulized"),
    (r"\bnormalised", "normalized"),
    (r"\bpressurised", "pressurized"),
    (r"\bthrombolysed", "thrombolyzed"),
    (r"\bdialysed", "dialyzed"),
    (r"\brecognised", "recognized"),
    (r"\bnecrotising", "necrotizing"),
    (r"\bsulfate", "sulphate"),
    (r"\bcentre", "center"),
    (r"\b([Tt])umor", r"\1umour"),
    (r"\b([Aa])nemia", r"\1naemia"),
    (r"\b([Hh])emoglobin", r"\1aemoglobin"),
    (r"\b([Ll])eukemia", r"\1eukaemia"),
    (r"\bcolor\b", "colour"),
    (r"\bfetal\b", "foetal"),
    (r"\bfetus\b", "foetus"),
    (r"\bpediatric", "paediatric"),
    (r"\bdiarrhea", "diarrhoea"),
    (r"\bfiber\b", "fibre"),
    (r"\bcharacterized\b", "characterised"),
    (r"\brecognized\b", "recognised"),
    (r"\bestrogen\b", "oestrogen"),
    (r"\b([Hh])emo(?=phil|rrhag|lytic|lysis)", r"\1aemo"),
    (r"\banesthe", "anaesthe"),
    (r"\bcefalexin\b", "cephalexin"),
    (r"\bCefalexin\b", "Cephalexin"),
    (r"\bciclosporin\b", "cyclosporin"),
)
_NAMES: tuple[Turn, ...] = (
    (r"\badrenaline\b", "epinephrine"),
    (r"\bnoradrenaline\b", "norepinephrine"),
    (r"(?<!a )\bparacetamol\b(?!.* a paracetamol)", "acetaminophen"),
    (r"\bsalbutamol\b", "albuterol"),
    (r"\bphytomenadione \(vitamin K\)", "vitamin K"),
    (r"\bglyceryl trinitrate\b", "GTN"),
    (r"\bglyceryl trinitrate\b", "nitroglycerin"),
    (r"\bsodium chloride 0\.9%", "0.9% saline"),
    (r"\bsodium chloride 0\.9%", "normal saline"),
    (r"\bglucose (10|20|50|5)%", r"dextrose \1%"),
    (r"\bacetaminophen\b", "paracetamol"),
    (r"\bSteroids\b", "Corticosteroids"),
    (r"\bsoluble insulin\b", "regular insulin"),
    (r"\bunfractionated heparin\b", "UFH"),
    (r"\bprothrombin complex concentrate\b", "PCC"),
    (r"\bPiperacillin with tazobactam\b", "Piperacillin/tazobactam"),
    (r"\bpiperacillin with tazobactam\b", "piperacillin-tazobactam"),
)
_INTERVALS: tuple[Turn, ...] = (
    (r"\b[Tt]wice daily\b", "every 12 hours"),
    (r"\b[Tt]wice daily\b", "12-hourly"),
    (r"\bevery 12 hours\b", "twice daily"),
    (r"\bevery 12 hours\b", "12-hourly"),
    (r"\bevery 8 hours\b", "8-hourly"),
    (r"\bevery 8 hours\b", "three times daily"),
    (r"\bevery 6 hours\b", "6-hourly"),
    (r"\bevery 6 hours\b", "four times daily"),
    (r"\bevery 4 hours\b", "4-hourly"),
    (r"\bevery 2 hours\b", "2-hourly"),
    (r"\bEvery (24|36|48) hours\b", r"\1-hourly"),
    (r"\bevery 24 hours\b", "once daily"),
    (r"\bEvery 24 hours\b", "Once daily"),
    (r"\bonce daily\b", "every 24 hours"),
    (r"\bevery hour\b", "hourly"),
    (r"\beach day\b", "daily"),
    (r"\bevery day\b", "daily"),
    (r"\bonce a day\b", "daily"),
    (r"\btwice a week\b", "twice weekly"),
)
_USUAL: tuple[Turn, ...] = (
    (r"^Give\b(?! an? | every | patients | the patient)", "Administer"),
    (r"^Measure\b", "Check"),
    (r"^Request\b", "Arrange"),
    (r"^Call\b", "Contact"),
    (r"^Use\b", "You should use"),
    (r"^Stop\b", "Discontinue"),
    (r"^Start\b", "Begin"),
    (r"^Record\b(?! an? )", "Document"),
    (r"^Do not\b", "You should not"),
    (r"^Do not\b", "Don't"),
    (r"^Avoid\b(?! giving)", "Do not use"),
    (r"\babove (?=\d)", "greater than "),
    (r"\babove (?=\d)", "over "),
    (r"\babove (?=\d)", "> "),
    (r"\bbelow (?=\d)", "less than "),
    (r"\bbelow (?=\d)", "under "),
    (r"\bbelow (?=\d)", "< "),
    (r"\b([Ll])ess than (?=\d)", "<"),
    (r"\b([Mm])ore than (?=\d)", ">"),
    (r"\bmore than (?=\d)", "over "),
    (r"\bat least (?=\d)", "a minimum of "),
    (r"\bat least (?=\d)", "no less than "),
    (r"\bat most (?=\d)", "no more than "),
    (r"\bat most (?=\d)", "a maximum of "),
    (r"\b([\d.]+ (?:mmol/L|mL/min|mmHg|kg|years)) or more\b", r"at least \1"),
    (r"\b([\d.]+ (?:mmol/L|mL/min|mmHg|kg|years)) or more\b", r"≥ \1"),
    (r"\b([\d.]+ (?:mmol/L|mmHg)) or above\b", r"\1 or higher"),
    (r"\bwithout (?=advice|waiting)", "in the absence of "),
    (r"\bbefore (?=discharge|treatment|transfusion|each)", "prior to "),
    (r"\bis contraindicated\b", "must not be used"),
    (r"\bimmediately\b", "at once"),
    (r"\bat once\b", "immediately"),
    (r"\bdrug of choice\b", "first-line drug"),
    (r"\bis caused by\b", "results from"),
    (r"\bresults from\b", "is caused by"),
    (r"\bApproximately\b", "About"),
    (r"\bapproximately\b", "about"),
    (r"\busually\b", "generally"),
    (r"\bindividuals\b", "people"),
    (r"\bPeople with\b", "Patients with"),
    (r"\bphysician\b", "doctor"),
    (r"\bdoctor\b", "physician"),
    (r"\bnewborn\b", "neonate"),
    (r"\bevery patient\b(?= (?:with|on|in)\b)", "all patients"),
    (r"\bseveral\b", "a number of"),
    (r"\bbegins\b", "starts"),
    (r"\bbegin\b", "start"),
)


def abbreviated(text: str) -> Iterator[str]:
    """Abbreviate as in clinical writing, or write out abbreviations."""
    yield from _each(text, _ABBREVIATED)


def spelled(text: str) -> Iterator[str]:
    """Write American spellings for British, and British for American."""
    yield from _each(text, _SPELLINGS)


def renamed(text: str) -> Iterator[str]:
    """Call a medicine by another of its names."""
    yield from _each(text, _NAMES)


def intervals(text: str) -> Iterator[str]:
    """Write `twice daily` as `12-hourly`, and the like."""
    yield from _each(text, _INTERVALS)


def reworded(text: str) -> Iterator[str]:
    """Replace one word or phrase by a synonym."""
    yield from _each(text, _USUAL)


def _each(text: str, turns: Sequence[Turn]) -> Iterator[str]:
    """Apply each replacement wherever it fits, since a writer abbreviates throughout."""
    for pattern, replacement in turns:
        made = re.sub(pattern, replacement, text)
        if made != text:
            yield made[0].upper() + made[1:] if text[0].isupper() else made
