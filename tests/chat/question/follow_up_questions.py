"""Follow-up questions, and questions of the golden sets, which are all complete by themselves."""

import json
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[2] / "golden"

CHILD = "What is the dose of cefalexin for a child with pyelonephritis?"
CLEARANCE = "What gentamicin dosing interval should I use if the creatinine clearance is 45 mL/min?"
STROKE = "What is the total alteplase dose for a 70 kg patient with acute stroke?"
CHOICE = "What is the second choice antibiotic for lower UTI in adults?"
CYSTITIS = "What is the dose of nitrofurantoin for cystitis?"
TRIMESTER = "Can trimethoprim be used for UTI in the first trimester of pregnancy?"
CODEINE = "Can a child have codeine?"
BOTH = "Amoxicillin or doxycycline for pneumonia in adults?"


def golden() -> list[str]:
    return [
        item["question"]
        for name in ("questions.json", "development.json")
        for item in json.loads((GOLDEN / name).read_text())
    ]
