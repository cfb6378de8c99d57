"""Write the cards of the models and the system as XML of CHAI's Applied Model Card, schema v0.2.

What a card says goes by the settings in force: a table of a card named in `_WHERE` replaces its
keys where its condition holds. Its figures are those of `release_figures`, or of this site's runs.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from django.conf import settings

from corpus.encoders.registry import configured_specs
from corpus.encoders.specs import BUNDLED
from evaluation.metrics.statistics import Interval, interval
from evaluation.models import QuestionRun
from medrag_site.assurance.bundled import digest_of, located
from medrag_site.assurance.figures import measured_here
from medrag_site.assurance.hazards import FOLDER
from medrag_site.assurance.release_figures import release_figures, with_figures
from medrag_site.release import release

NAMESPACE = "https://mc.chai.org/v0.2/schema.xsd"
_WHERE: Mapping[str, Callable[[], bool]] = {
    "language_model_writes": lambda: settings.GENERATOR == "llm",
    "another_judges_claims": lambda: (
        settings.VERIFIER != "checker" or bool(settings.MODELS.checker.model)
    ),
}
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


def weights() -> Iterator[tuple[str, str]]:
    """Yield the model's name and each file of its weights, as `located` takes it."""
    for card in _cards():
        for file in card["files"]:
            yield card["ModelName"], file


def model_cards() -> dict[str, str]:
    """Return each card as XML, by the name of its file. Raises KeyError for a missing element."""
    return {f"{card['name']}.xml": _xml(_in_force(card)) for card in _cards()}


def _cards() -> Iterator[dict[str, Any]]:
    said = tomllib.loads((FOLDER / "model_cards.toml").read_text(encoding="utf-8"))
    for card in said["card"]:
        dated = {"ReleaseVersion": release(), "ReleaseDate": "With the release"}
        yield {**dated, **said["common"], **card}


def _in_force(card: Mapping[str, Any]) -> dict[str, Any]:
    """Return the card with what this site's settings and its own runs change in it."""
    now = dict(card)
    for name, holds in _WHERE.items():
        if (changed := now.pop(name, None)) and holds():
            now |= changed
    if now["name"] == "system":
        models = ", ".join(_own_models()) or "none"
        now["FoundationModels"] += f". Other models that this site configures: {models}"
    return now | {name: _measured(now[name]) for name in _METRICS}


def _own_models() -> Iterator[str]:
    """Yield each model that the site names itself, with what it does."""
    for spec in configured_specs():
        if spec.model != BUNDLED:
            yield f"{spec.model} (encoder)"
    for field in fields(settings.MODELS):
        named = getattr(settings.MODELS, field.name)
        for endpoint in named if isinstance(named, tuple) else (named,):
            if endpoint.model:
                yield f"{endpoint.model} ({field.name})"


def _measured(metric: Mapping[str, str]) -> Mapping[str, str]:
    """Return the metric with this site's last run in force, else with the release's figure."""
    if found := measured_here(metric["measure"]) if "measure" in metric else None:
        return {**metric, **_of_a_run(metric["measure"], *found)}
    if "figure" in metric:
        return {**metric, **_of_the_release(metric)}
    return metric


def _of_a_run(measure: str, run: QuestionRun, figure: Interval) -> Mapping[str, str]:
    return {
        "ValueJson": json.dumps(round(figure.mean, 3)),
        "Label": f"{measure}, of {figure.n} questions, {_told(figure)}",
        "TestingDataDescription": f"Run {run.pk} here, of the set {run.question_set}, with the "
        "configuration in force; figures.md has all of it",
    }


def _of_the_release(metric: Mapping[str, str]) -> Mapping[str, str]:
    figure = release_figures()[metric["figure"]]
    label = figure.what
    if figure.of:
        counted = interval([1.0] * figure.count + [0.0] * (figure.of - figure.count))
        label += f": {figure.count} of {figure.of}, {_told(counted)}"
    whose = "Of the release, not of this site: " if "measure" in metric else ""
    return {
        "ValueJson": json.dumps(round(figure.value, 3)),
        "Label": label,
        "TestingDataDescription": f"{whose}{figure.on} ({figure.state}). {figure.at}",
    }


def _told(figure: Interval) -> str:
    return f"95 % interval {figure.low:.3f} to {figure.high:.3f}"


def _xml(card: Mapping[str, Any]) -> str:
    root = Element("AppliedModelCard", xmlns=NAMESPACE)
    _fill(root, _ORDER, card)
    digests = [f"{file}: sha256 {digest_of(located(file))}" for file in card["files"]]
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
            element.text = with_figures(card[name])


def _metric(element: Element, metric: Mapping[str, str], card: Mapping[str, str]) -> None:
    SubElement(element, "MetricGoal").text = metric["MetricGoal"]
    result = SubElement(SubElement(element, "Results"), "MetricResult")
    SubElement(result, "Label").text = metric["Label"]
    SubElement(result, "ValueJson").text = metric.get("ValueJson", json.dumps(None))
    SubElement(element, "Interpretation").text = with_figures(metric["Interpretation"])
    SubElement(element, "TestType").text = card["TestType"]
    SubElement(element, "TestingDataDescription").text = metric["TestingDataDescription"]
    name = "ValidationProcessAndJustification"
    SubElement(element, name).text = card[name]
