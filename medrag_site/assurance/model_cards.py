"""Write the cards of the bundled models as XML of CHAI's Applied Model Card, schema v0.2."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from medrag_site.assurance.hazards import FOLDER
from medrag_site.release import release

ROOT = FOLDER.parents[1]
NAMESPACE = "https://mc.chai.org/v0.2/schema.xsd"
# The schema's elements in its order; a tuple holds what is nested.
_METRICS = ("UsefulnessUsabilityEfficacy", "FairnessEquity", "SafetyReliability")
_ORDER: Mapping[str, Any] = {
    "BasicInfo": ("ModelName", "ModelDeveloper", "DeveloperContact"),
    "ReleaseInfo": (
        "ReleaseStage", "ReleaseDate", "ReleaseVersion", "GlobalAvailability", "RegulatoryApproval",
    ),
    "ModelSummary": ("Summary", "Keywords"),
    "UsesAndDirections": (
        "IntendedUseAndWorkflow", "PrimaryIntendedUsers", "HowToUse", "TargetedPatientPopulation",
        "CautionedOutOfScopeSettings",
    ),
    "Warnings": (
        "KnownRisksAndLimitations", "KnownBiasesOrEthicalConsiderations", "ClinicalRiskLevel",
    ),
    "TrustIngredients": {
        "AISystemFacts": (
            "OutcomesAndOutputs", "ModelType", "FoundationModels", "InputDataSource",
            "OutputAndInputDataTypes", "DevelopmentDataCharacterization",
            "BiasMitigationApproaches", "OngoingMaintenance", "Security", "Transparency",
        ),
        "TransparencyInformation": ("FundingSource", "StakeholdersConsulted"),
    },
    "KeyMetrics": dict.fromkeys(_METRICS, ()),
    "Resources": ("PeerReviewedPublications", "PatientConsentOrDisclosure"),
}  # fmt: skip


def weights() -> Iterator[tuple[str, Path]]:
    """Yield the model's name and the path of each file of bundled weights."""
    for card in _cards():
        for file in card["files"]:
            yield card["ModelName"], ROOT / file


def model_cards() -> dict[str, str]:
    """Return each card as XML, by the name of its file. Raises KeyError for a missing element."""
    return {f"{card['name']}.xml": _xml(card) for card in _cards()}


def _cards() -> Iterator[dict[str, Any]]:
    said = tomllib.loads((FOLDER / "model_cards.toml").read_text(encoding="utf-8"))
    for card in said["card"]:
        dated = {"ReleaseVersion": release(), "ReleaseDate": "With the release"}
        yield {**dated, **said["common"], **card}


def _xml(card: Mapping[str, Any]) -> str:
    root = Element("AppliedModelCard", xmlns=NAMESPACE)
    _fill(root, _ORDER, card)
    digests = [f"{file}: sha256 {_digest(ROOT / file)}" for file in card["files"]]
    SubElement(root, "Bibliography").text = "; ".join(digests)
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _fill(parent: Element, order: Mapping[str, Any] | tuple[str, ...], card: Any) -> None:
    for name in order:
        element = SubElement(parent, name)
        if name in _METRICS:
            _metric(element, card[name], card)
        elif isinstance(order, Mapping):
            _fill(element, order[name], card)
        elif name == "Keywords":
            for word in card[name]:
                SubElement(element, "Keyword").text = word
        else:
            element.text = card[name]


def _metric(element: Element, metric: Mapping[str, str], card: Mapping[str, str]) -> None:
    SubElement(element, "MetricGoal").text = metric["MetricGoal"]
    result = SubElement(SubElement(element, "Results"), "MetricResult")
    SubElement(result, "Label").text = metric["Label"]
    SubElement(result, "ValueJson").text = metric.get("ValueJson", json.dumps(None))
    SubElement(element, "Interpretation").text = metric["Interpretation"]
    SubElement(element, "TestType").text = card["TestType"]
    SubElement(element, "TestingDataDescription").text = metric["TestingDataDescription"]
    name = "ValidationProcessAndJustification"
    SubElement(element, name).text = card[name]


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
