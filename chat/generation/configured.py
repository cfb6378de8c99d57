"""Choose the site's generator by its settings."""

from __future__ import annotations

from django.conf import settings

from chat.generation.extractive import ExtractiveGenerator
from chat.generation.language_model import LanguageModelGenerator
from chat.generation.types import Generator
from core.llm import client as language_model


def site_generator() -> Generator:
    """Return the generator of MEDRAG_GENERATOR."""
    if settings.GENERATOR == "llm":
        return LanguageModelGenerator(settings.MODELS.generate)
    return ExtractiveGenerator()


def warm_up() -> None:
    """Load the language model client if a model is configured to write or judge answers."""
    if settings.MODELS.generate or settings.MODELS.judge:
        language_model.warm_up()
