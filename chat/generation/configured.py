"""The generator of this site."""

from __future__ import annotations

from chat.generation.extractive import ExtractiveGenerator
from chat.generation.types import Generator


def site_generator() -> Generator:
    """What MEDRAG_GENERATOR names."""
    return ExtractiveGenerator()
