"""Which reranker a configuration means, by this site's settings."""

from __future__ import annotations

from django.conf import settings
from django.utils.encoding import force_bytes

from core.llm.client import Endpoint
from retrieval.config import RetrievalConfig
from retrieval.rerank import cross_encoder, language_model
from retrieval.rerank.endpoint import EndpointReranker
from retrieval.rerank.language_model import LanguageModelReranker
from retrieval.rerank.types import Reranker


def reranker_for(config: RetrievalConfig) -> Reranker:
    """The one that `config` names; a cross-encoder is loaded with the first call in a process.

    Raises ImproperlyConfigured with the setting's name, and ValueError for `none`.
    """
    match config.reranker:
        case "cross-encoder":
            return cross_encoder.load(settings.RERANK_MODEL)
        case "http":
            return EndpointReranker(settings.RERANK_URL, settings.RERANK_MODEL, settings.RERANK_KEY)
        case "llm":
            endpoint = Endpoint(
                settings.RERANK_URL,
                settings.RERANK_MODEL,
                settings.RERANK_KEY,
                settings="MEDRAG_RERANK",
            )
            return LanguageModelReranker(endpoint, force_bytes(settings.SECRET_KEY))
    raise ValueError(config.reranker)


def reranker_fingerprint(config: RetrievalConfig) -> str:
    """Names weights, model and prompt for `RetrievalConfig.fingerprint`; empty for `none`.

    Loads nothing; the weights of a cross-encoder are read once a process.
    """
    match config.reranker:
        case "none":
            return ""
        case "cross-encoder":
            return cross_encoder.folder_fingerprint(cross_encoder.folder_of(settings.RERANK_MODEL))
    return reranker_for(config).fingerprint


def reranker_fault(config: RetrievalConfig) -> str:
    """What keeps the configured reranker from working, as a sentence; empty where nothing does."""
    if config.reranker == "none":
        return ""
    asked = f"reranker={config.reranker} of MEDRAG_RETRIEVAL"
    if not settings.RERANK_MODEL:
        return f"{asked} needs MEDRAG_RERANK_MODEL."
    if config.reranker == "cross-encoder":
        fault = cross_encoder.folder_fault(settings.RERANK_MODEL)
        return f"MEDRAG_RERANK_MODEL: {fault}" if fault else ""
    if not settings.RERANK_URL:
        return f"{asked} needs MEDRAG_RERANK_URL."
    if config.reranker == "llm" and (fault := language_model.PROMPT.fault()):
        return f"The prompt {fault}"
    return ""


def warm_up(config: RetrievalConfig) -> None:
    """Load what the first question would wait for. Raises ImproperlyConfigured."""
    if config.reranker == "cross-encoder":
        reranker_for(config)
