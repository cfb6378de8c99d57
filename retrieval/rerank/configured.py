"""Build the reranker that a configuration names, from the site's settings."""

from __future__ import annotations

from django.conf import settings
from django.utils.encoding import force_bytes

from retrieval.config import RetrievalConfig
from retrieval.rerank import cross_encoder, language_model
from retrieval.rerank.endpoint import EndpointReranker
from retrieval.rerank.language_model import LanguageModelReranker
from retrieval.rerank.types import Reranker


def reranker_for(config: RetrievalConfig) -> Reranker:
    """Return the reranker that `config` names; a cross-encoder is loaded once a process.

    Raises ImproperlyConfigured with the setting's name, and ValueError for `none`.
    """
    match config.reranker:
        case "cross-encoder":
            return cross_encoder.load(settings.MODELS.rerank.model)
        case "http":
            return EndpointReranker(settings.MODELS.rerank)
        case "llm":
            return LanguageModelReranker(settings.MODELS.rerank, force_bytes(settings.SECRET_KEY))
    raise ValueError(config.reranker)


def reranker_fingerprint(config: RetrievalConfig) -> str:
    """Identify weights, model and prompt for `RetrievalConfig.fingerprint`; empty for `none`.

    Loads no model; hashes the weights of a cross-encoder once a process.
    """
    match config.reranker:
        case "none":
            return ""
        case "cross-encoder":
            folder = cross_encoder.folder_of(settings.MODELS.rerank.model)
            return cross_encoder.folder_fingerprint(folder)
    return reranker_for(config).fingerprint


def reranker_fault(config: RetrievalConfig) -> str:
    """Return a sentence on what keeps the configured reranker from working; else empty."""
    if config.reranker == "none":
        return ""
    setting, rerank = f"reranker={config.reranker} of MEDRAG_RETRIEVAL", settings.MODELS.rerank
    if not rerank.model:
        return f"{setting} needs {rerank.place('model')}."
    if config.reranker == "cross-encoder":
        fault = cross_encoder.folder_fault(rerank.model)
        return f"{rerank.place('model')}: {fault}" if fault else ""
    if not rerank.url:
        return f"{setting} needs {rerank.place('url')}."
    if config.reranker == "llm" and (fault := language_model.PROMPT.fault()):
        return f"The prompt {fault}"
    return ""


def warm_up(config: RetrievalConfig) -> None:
    """Load what the first question would wait for. Raises ImproperlyConfigured."""
    if config.reranker == "cross-encoder":
        reranker_for(config)
