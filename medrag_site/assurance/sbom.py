"""Write the software bill of materials: installed packages by cyclonedx-py, and bundled weights."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from core.errors import MedragError
from medrag_site.assurance.model_cards import ROOT, weights

_TIMEOUT_S = 300


class SbomError(MedragError):
    """cyclonedx-py gave no inventory."""


def sbom() -> str:
    """Return the inventory as JSON of CycloneDX 1.6, the same for the same installation.

    Takes half a minute: the metadata of every installed package is read. What only development
    and tests need has the scope `excluded`. Raises SbomError.
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
    for package in inventory["components"]:
        _license(package)
    _exclude_tools(inventory["components"])
    inventory["components"] += [_component(name, path) for name, path in weights()]
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


def _exclude_tools(packages: Iterable[dict[str, Any]]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = dict(project["optional-dependencies"])
    tools = _needed(extras.pop("dev"))
    run = _needed(
        [*project["dependencies"], *(line for extra in extras.values() for line in extra)]
    )
    for package in packages:
        if canonicalize_name(package["name"]) in tools - run:
            package["scope"] = "excluded"


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


def _component(name: str, path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "type": "machine-learning-model",
        "bom-ref": f"weights:{path.relative_to(ROOT).as_posix()}",
        "name": name,
        "licenses": [{"license": {"id": "Apache-2.0"}}],
        "hashes": [{"alg": "SHA-256", "content": digest}],
        "properties": [{"name": "path", "value": path.relative_to(ROOT).as_posix()}],
    }
