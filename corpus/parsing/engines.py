"""Choose what reads the layout of a PDF: geometry and fonts, or docling's own models."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from django.conf import settings

from core.errors import MedragError
from corpus.models import ReadWith

# Below DOCLING_ARTIFACTS_PATH, as docling names them: layout, and structure of tables.
DOCLING_MODELS = ("docling-project--docling-layout-heron", "docling-project--docling-models")
LAYOUT_EXTRA = ("docling", "docling_ibm_models", "torchvision")  # what it brings


class ModelsMissing(MedragError):
    """A document is to be read with docling's models, which this site lacks."""

    code = "models_missing"
    hint = (
        "Nothing was lost: what was read of it before stays. Set up DOCLING_ARTIFACTS_PATH, or "
        "press Read again with the standard reader."
    )


def models_fault() -> str:
    """Return why docling's models can't read PDFs on this site; empty if they can."""
    name = settings.DOCLING_ARTIFACTS_PATH
    folder = Path(name)
    if not name:
        return "no folder is set."
    if not folder.is_dir():
        return f"there is no folder {name}."
    if not all(map(find_spec, LAYOUT_EXTRA)):
        return "docling's models need the extra `layout`: pip install '.[layout]'."
    for model in DOCLING_MODELS:
        if not any((folder / model).rglob("*.safetensors")):
            return f"{folder / model} holds no weights; docling-tools models download fills it."
    return ""


def require_models(read_with: str | None) -> None:
    """Raise ModelsMissing if docling's models are chosen and can't read PDFs on this site."""
    if read_with == ReadWith.MODELS and (wrong := models_fault()):
        raise ModelsMissing(
            f"Docling's layout models are not set up on this site: DOCLING_ARTIFACTS_PATH: {wrong}"
        )


def is_for_models(read_with: str) -> bool:
    """Tell whether docling's models are to read a PDF.

    One without a choice of its own is read with them if the site has them, and not only for the
    PDFs that choose them.
    """
    if read_with == ReadWith.DEFAULT:
        return bool(settings.DOCLING_ARTIFACTS_PATH) and settings.DOCLING_READS == "all"
    return read_with == ReadWith.MODELS


def artifacts_for(read_with: str) -> Path | None:
    """Return the folder of docling's models if they are to read a PDF, else None.

    Raises ModelsMissing where no folder is set.
    """
    if not is_for_models(read_with):
        return None
    if not settings.DOCLING_ARTIFACTS_PATH:
        require_models(read_with)
    return Path(settings.DOCLING_ARTIFACTS_PATH)
