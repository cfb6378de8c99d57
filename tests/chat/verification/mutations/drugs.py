"""Replace a medicine by another. Pure."""

import re
from collections.abc import Iterator

from tests.chat.verification.mutations.chance import digest

# Each is replaced by one of its own line: one easily confused with it, or listed beside it.
_LINES = (
    "gentamicin amikacin tobramycin vancomycin teicoplanin",
    "enoxaparin dalteparin tinzaparin fondaparinux heparin warfarin",
    "trimethoprim nitrofurantoin cefalexin pivmecillinam fosfomycin ciprofloxacin amoxicillin",
    "ceftriaxone cefotaxime cefuroxime meropenem aztreonam flucloxacillin levofloxacin",
    "clarithromycin metronidazole fluconazole amiodarone clindamycin erythromycin",
    "prednisolone hydrocortisone dexamethasone methylprednisolone",
    "salbutamol ipratropium aminophylline terbutaline",
    "chlordiazepoxide diazepam oxazepam lorazepam haloperidol midazolam",
    "thiamine pyridoxine folate cyanocobalamin",
    "paracetamol ibuprofen aspirin codeine naproxen",
    "acetaminophen ibuprofen aspirin codeine",
    "alteplase tenecteplase streptokinase",
    "labetalol metoprolol esmolol hydralazine",
    "adrenaline noradrenaline dopamine atropine",
    "naloxone flumazenil glucagon",
    "quinine quinidine",
    "insulin metformin gliclazide",
    "phytomenadione protamine idarucizumab",
    "spironolactone amiloride furosemide bumetanide",
    "magnesium calcium potassium",
    "cetirizine chlorphenamine promethazine",
    "lithium valproate carbamazepine phenytoin lamotrigine",
    "tamoxifen letrozole methotrexate azathioprine",
    "penicillin tetracycline doxycycline azithromycin",
    "piperacillin ticarcillin",
    "mannitol sorbitol",
    "digoxin verapamil diltiazem",
)
_OTHERS = {
    name: [other for other in line.split() if other != name]
    for line in _LINES
    for name in line.split()
}
_NAMES = "|".join(sorted(_OTHERS, key=lambda name: (-len(name), name)))
_DRUG = re.compile(rf"(?<![\w-])({_NAMES})(?![\w-])", re.IGNORECASE)


def swapped(text: str) -> Iterator[str]:
    """Replace one medicine by another, wherever the statement names it."""
    said = dict.fromkeys(match.group(1).lower() for match in _DRUG.finditer(text))
    for name in said:
        others = [other for other in _OTHERS[name] if other not in text.lower()]
        if others:
            other = others[digest("drug", text, name)[0] % len(others)]
            yield _renamed(text, name, other)


def _renamed(text: str, name: str, other: str) -> str:
    def one(match: re.Match[str]) -> str:
        return other.capitalize() if match.group()[0].isupper() else other

    return re.sub(rf"(?<![\w-]){name}(?![\w-])", one, text, flags=re.IGNORECASE)
