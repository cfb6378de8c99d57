"""Write the folder of documents that procurement and clinical safety ask for."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from core.errors import MedragError
from medrag_site.assurance import documents, hazards
from medrag_site.assurance.bundled import BundledError
from medrag_site.assurance.changed_settings import changed_settings
from medrag_site.assurance.data_flows import data_flows
from medrag_site.assurance.figures import figures
from medrag_site.assurance.model_cards import model_cards
from medrag_site.assurance.references import copied, linked, named
from medrag_site.assurance.sbom import SbomError, sbom
from medrag_site.release import release

_TITLE = "# Assurance, MedRAG"
_CASE = "docs/safety/case.md"
# What each file is, and what it can't know.
_ABOUT = {
    "hazards.md": ("Hazard log", "whether the ratings hold here: no clinician has reviewed them"),
    "case.md": ("Frame of a safety case report", "everything in italics"),
    "security.md": ("Controls by OWASP's lists", "what a penetration test would find"),
    "dtac.md": ("Sections of DTAC", "company, officer, registrations"),
    "settings.md": ("Settings that differ from the defaults", "what their files hold"),
    "data-flows.md": ("What is kept and what leaves", "who reads disks, backups and services"),
    "accessibility.md": ("WCAG 2.1, A and AA", "how it is with assistive technology"),
    "accessibility.yaml": ("The same as OpenACR", "the address of who publishes it"),
    "figures.md": ("Evaluations of this site", "how people use the answers"),
    "sbom.cdx.json": (
        "Packages, the embedded PostgreSQL, scripts and weights, CycloneDX 1.6",
        "known vulnerabilities; the system's; libraries inside packages",
    ),
    "model-cards/": ("CHAI's Applied Model Card, XML of v0.2", "how well by patient group"),
    "docs/": ("Documents of the release that the others name", "this site"),
    "chat/": ("Cards of the release that the others name", "this site"),
}


class FolderError(MedragError):
    """The folder can't be written, or holds something else."""


def folder_write(folder: Path, day: datetime.date) -> Iterator[tuple[str, str]]:
    """Write each file and yield its name with an empty string, or with what kept it from being.

    An older folder of this command is replaced file by file. Raises FolderError where the folder
    can't be written or is not one of this command's.
    """
    if not _is_ours(folder):
        raise FolderError(
            f"{folder} holds other files.", hint="Nothing was written. Name an empty folder."
        )
    _write(folder / "README.md", _index(day))
    yield "README.md", ""
    written = []
    for name, text in _texts(day).items():
        try:
            written.append(text())
        except (SbomError, BundledError) as error:
            yield name, error.sentence
        else:
            _write(folder / name, written[-1])
            yield name, ""
    there = _documents(written)
    for name in there:
        _write(folder / name, copied(name, there))
        yield name, ""


def _is_ours(folder: Path) -> bool:
    """Tell whether the folder is empty, not there, or written by this command."""
    index = folder / "README.md"
    try:
        return index.read_text(encoding="utf-8").startswith(_TITLE)
    except OSError:
        return not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))


def _texts(day: datetime.date) -> dict[str, Callable[[], str]]:
    cards = {f"model-cards/{name}": partial(str, text) for name, text in model_cards().items()}
    return {
        "hazards.md": hazards.page,
        "case.md": lambda: copied(_CASE, linked(_CASE)),
        "security.md": documents.security,
        "dtac.md": documents.dtac,
        "settings.md": changed_settings,
        "data-flows.md": data_flows,
        "accessibility.md": documents.accessibility_page,
        "accessibility.yaml": lambda: documents.accessibility_yaml(day),
        "figures.md": figures,
        **cards,
        "sbom.cdx.json": sbom,  # the slowest
    }


def _documents(written: Iterable[str]) -> list[str]:
    """Return the documents of the release that the folder's files name or link to, sorted."""
    linked_to = linked(_CASE)
    return sorted(linked_to | named([*written, *linked_to]))


def _index(day: datetime.date) -> str:
    lines = [
        f"{_TITLE} {release()}, {day.isoformat()}\n",
        "Made by `manage.py assurance` from this installation. Each file and what it can't know:\n",
        "| file | what it is | it can't know |\n|---|---|---|",
        *(f"| {name} | {what} | {unknown} |" for name, (what, unknown) in _ABOUT.items()),
    ]
    return "\n".join(lines) + "\n"


def _write(path: Path, text: str) -> None:
    """Write the file whole or not at all."""
    new = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(text, encoding="utf-8")
        new.replace(path)
    except OSError as error:
        raise FolderError(
            f"{path} could not be written: {error.strerror}.",
            hint="What was written before is whole. Name another folder, or make room.",
        ) from error
