"""Write the software bill of materials: installed packages by cyclonedx-py, and bundled weights."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from core.errors import MedragError
from medrag_site.assurance.model_cards import ROOT, weights

_TIMEOUT_S = 300


class SbomError(MedragError):
    """cyclonedx-py gave no inventory."""


def sbom() -> str:
    """Return the inventory as JSON of CycloneDX 1.6, the same for the same installation.

    Takes half a minute: the metadata of every installed package is read. Raises SbomError.
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
    inventory["components"] += [_component(name, path) for name, path in weights()]
    return json.dumps(inventory, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


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
