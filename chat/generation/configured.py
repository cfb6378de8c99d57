"""The generator of this site."""

from __future__ import annotations

from django.conf import settings

from chat.endpoints import generating_endpoints
from chat.generation.extractive import ExtractiveGenerator
from chat.generation.language_model import LanguageModelGenerator
from chat.generation.types import Generator


def site_generator() -> Generator:
    """What MEDRAG_GENERATOR names."""
    if settings.GENERATOR == "llm":
        return LanguageModelGenerator(generating_endpoints(), settings.GENERATE_LLM_PRICE)
    return ExtractiveGenerator()
