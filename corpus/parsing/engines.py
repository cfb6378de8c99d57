"""Choose what reads the layout of a PDF: geometry and fonts, or docling's own models."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from core.errors import MedragError
from corpus.models import ReadWith


class ModelsMissing(MedragError):
    """A document is to be read with docling's models, which this site lacks."""

    code = "models_missing"
    hint = "Set DOCLING_ARTIFACTS_PATH, or parse the document again with geometry."


def artifacts_for(read_with: str) -> Path | None:
    """Return the folder of docling's models if they are to read a document, else None.

    A document without a choice of its own is read with the models if the site has them. Raises
    ModelsMissing.
    """
    folder = settings.DOCLING_ARTIFACTS_PATH
    if read_with == ReadWith.MODELS and not folder:
        raise ModelsMissing("Docling's layout models are not set up on this site.")
    return Path(folder) if folder and read_with != ReadWith.GEOMETRY else None
