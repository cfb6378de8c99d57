"""Write the software bill of materials: what is installed, and what stands inside it.

Packages are listed by cyclonedx-py; servers, scripts and weights inside them by `bundled`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from core.errors import MedragError
from medrag_site.assurance.bundled import ROOT, bundled, digest_of, located
from medrag_site.assurance.model_cards import weights

_TIMEOUT_S = 300


class SbomError(MedragError):
    """cyclonedx-py gave no inventory."""


def sbom() -> str:
    """Return the inventory as JSON of CycloneDX 1.6, the same for the same installation.

    Takes half a minute: the metadata of every installed package is read. What only development
    and tests need is left out. Raises SbomError and BundledError.
    """
    command = [
        *(sys.executable, "-m", "cyclonedx_py", "environment", "--pyproject", "pyproject.toml"),
        *("--output-reproducible", "--sv", "1.6", "--of", "JSON", "-o", "-", sys.executable),
    ]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=_TIMEOUT_S, check=True
        )
        inventory = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise SbomError(
            "The inventory of packages could not be made.",
            hint="Nothing else is missing from the folder. Run "
            "`.venv/bin/python -m cyclonedx_py environment` to see why.",
        ) from error
    _leave_out_tools(inventory)
    for package in inventory["components"]:
        _license(package)
    inventory["components"] += [*bundled(), *(_weights(name, file) for name, file in weights())]
    return json.dumps(inventory, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _license(package: dict[str, Any]) -> None:
    """Add the licence that the package's metadata states in words of its own, if none is known."""
    if package.get("licenses"):
        return
    metadata = distribution(package["name"]).metadata
    stated = next(iter(metadata.get_all("License") or ()), "").strip()
    if not stated:
        return
    name, _, rest = stated.partition("\n")
    license_: dict[str, Any] = {"name": name}
    if rest:
        license_["text"] = {"content": stated}
    package["licenses"] = [{"license": license_}]


def _leave_out_tools(inventory: dict[str, Any]) -> None:
    """Take out of packages and dependencies what only the extra `dev` leads to."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = dict(project["optional-dependencies"])
    tools = _needed(extras.pop("dev"))
    run = _needed(
        [*project["dependencies"], *(line for extra in extras.values() for line in extra)]
    )
    packages = inventory["components"]
    out = {p["bom-ref"] for p in packages if canonicalize_name(p["name"]) in tools - run}
    inventory["components"] = [p for p in packages if p["bom-ref"] not in out]
    kept = [each for each in inventory["dependencies"] if each["ref"] not in out]
    for each in kept:
        each["dependsOn"] = [ref for ref in each.get("dependsOn", ()) if ref not in out]
    inventory["dependencies"] = kept


def _needed(lines: Iterable[str]) -> set[str]:
    """Return the names of the installed packages that requirements lead to, by their extras."""
    waiting = [Requirement(line) for line in lines]
    seen: set[tuple[str, str]] = set()
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        for extra in {"", *wanted.extras} - {extra for known, extra in seen if known == name}:
            seen.add((name, extra))
            waiting += _requirements(name, extra)
    return {name for name, _ in seen}


def _requirements(name: str, extra: str) -> list[Requirement]:
    """Return what the package needs here with this extra; nothing where it is not installed."""
    try:
        lines = distribution(name).requires or []
    except PackageNotFoundError:
        return []
    needs = [Requirement(line) for line in lines]
    return [each for each in needs if not each.marker or each.marker.evaluate({"extra": extra})]


def _weights(name: str, file: str) -> dict[str, Any]:
    return {
        "type": "machine-learning-model",
        "bom-ref": f"weights:{file}",
        "name": name,
        "licenses": [{"license": {"id": "Apache-2.0"}}],
        "hashes": [{"alg": "SHA-256", "content": digest_of(located(file))}],
        "properties": [{"name": "path", "value": file}],
    }
