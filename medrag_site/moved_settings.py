"""Map the names of former settings to what replaces them."""

from collections.abc import Mapping

_ROLES = {
    "GENERATE_LLM": "generate",
    "JUDGE_LLM": "judge",
    "REWRITE_LLM": "rewrite",
    "CONTEXT_LLM": "context",
    "TEACHER_LLM": "teacher",
    "RERANK": "rerank",
}
_LEFT_OUT = {
    "MEDRAG_GATE": "the gate always uses the calibration",
    "MEDRAG_GATE_COSINE": "the gate always uses the calibration",
    "MEDRAG_CHUNK_STRATEGY": "documents are always cut by section",
    "MEDRAG_CHUNK_CHARACTERS": "documents are always cut by section",
    "MEDRAG_CHUNK_OVERLAP_CHARACTERS": "documents are always cut by section",
    "MEDRAG_CSRF_TRUSTED_ORIGINS": "with https=true in MEDRAG_WEB, the hosts of "
    "MEDRAG_ALLOWED_HOSTS are trusted, each with its port",
}
_NOW_KEYS = {  # the setting that replaces each, and its key
    "MEDRAG_LOCKOUT_FAILURES": "MEDRAG_LOCKOUT failures",
    "MEDRAG_LOCKOUT_ADDRESS_FAILURES": "MEDRAG_LOCKOUT address_failures",
    "MEDRAG_LOCKOUT_MIN": "MEDRAG_LOCKOUT minutes",
    "MEDRAG_SESSION_HOURS": "MEDRAG_SESSION hours",
    "MEDRAG_SESSION_IDLE_MIN": "MEDRAG_SESSION idle_minutes",
    "MEDRAG_UPLOAD_MAX_MB": "MEDRAG_PARSING upload_mb",
    "MEDRAG_PARSE_TIMEOUT_S": "MEDRAG_PARSING timeout_s",
    "MEDRAG_PARSE_MEMORY_MB": "MEDRAG_PARSING memory_mb",
    "MEDRAG_PARSE_MAX_PAGES": "MEDRAG_PARSING pages",
    "MEDRAG_CHUNK_TOKENS": "MEDRAG_CHUNKS tokens",
    "MEDRAG_CHUNK_OVERLAP_TOKENS": "MEDRAG_CHUNKS overlap",
    "MEDRAG_OMISSIONS": "MEDRAG_CAVEATS omissions",
    "MEDRAG_CONFLICTS": "MEDRAG_CAVEATS conflicts",
    "MEDRAG_APPLICABILITY": "MEDRAG_CAVEATS applicability",
    "MEDRAG_AUDIT_HEADS_FILE": "MEDRAG_AUDIT_HEADS file",
    "MEDRAG_AUDIT_HEADS_COPY": "MEDRAG_AUDIT_HEADS copy",
    "MEDRAG_AUDIT_HEADS_URL": "MEDRAG_AUDIT_HEADS url",
    "MEDRAG_WEBHOOKS_LOOPBACK": "MEDRAG_WEBHOOKS loopback",
    "MEDRAG_WEBHOOKS_KEEP_DAYS": "MEDRAG_WEBHOOKS keep_days",
    "MEDRAG_DRIFT_DAYS": "MEDRAG_DRIFT days",
    "MEDRAG_DRIFT_REFERENCE_DAYS": "MEDRAG_DRIFT reference_days",
    "MEDRAG_WEB_WORKERS": "MEDRAG_WEB workers",
    "MEDRAG_WEB_THREADS": "MEDRAG_WEB threads",
    "MEDRAG_WORKERS": "MEDRAG_WORKER processes",
    "MEDRAG_JOB_LEASE_S": "MEDRAG_WORKER lease_s",
    "MEDRAG_WORKER_STALL_S": "MEDRAG_WORKER stall_s",
    "MEDRAG_HOST": "MEDRAG_WEB host",
    "MEDRAG_HTTPS": "MEDRAG_WEB https",
    "MEDRAG_PROXIES": "MEDRAG_WEB proxies",
    "MEDRAG_API_RATE": "MEDRAG_API rate",
    "MEDRAG_API_TOKEN_DAYS": "MEDRAG_API token_days",
    "MEDRAG_CORS_ORIGINS": "MEDRAG_API cors_origins",
    "MEDRAG_GATE_THRESHOLD": "MEDRAG_THRESHOLDS gate",
    "MEDRAG_CONFIDENCE_THRESHOLD": "MEDRAG_THRESHOLDS confidence",
    "MEDRAG_VERIFIER_THRESHOLD": "MEDRAG_THRESHOLDS verifier",
    "MEDRAG_ANSWER_TIMEOUT_S": "MEDRAG_QUESTIONS timeout_s",
    "MEDRAG_QUESTION_MAX_CHARS": "MEDRAG_QUESTIONS max_chars",
    "MEDRAG_ENCODER_BACKEND": "MEDRAG_COMPUTING backend",
    "MEDRAG_ENCODER_PRECISION": "MEDRAG_COMPUTING precision",
    "MEDRAG_ENCODER_THREADS": "MEDRAG_COMPUTING threads",
    "MEDRAG_LOG_FORMAT": "MEDRAG_LOG format",
    "MEDRAG_LOG_LEVEL": "MEDRAG_LOG level",
}


def _in_models(role: str, key: str) -> str:
    return f"`{key}` in [{role}] of the file that MEDRAG_MODELS names: see docs/operations.md"


# Each completes "NAME is now ...".
MOVED: Mapping[str, str] = {
    **{
        f"MEDRAG_{name}_{key.upper()}": _in_models(role, key)
        for name, role in _ROLES.items()
        for key in ("url", "model", "key")
    },
    "MEDRAG_GENERATE_LLM_PRICE": _in_models("generate", "price"),
    "MEDRAG_JUDGE_LLM_PRICE": _in_models("judge", "price"),
    "MEDRAG_JUDGE_MAY_GENERATE": _in_models("judge", "may_generate"),
    "MEDRAG_VERIFIER_MODEL": _in_models("verifier", "model"),
    **{
        f"MEDRAG_OIDC_{key.upper()}": (
            f"`{key}` in the file that MEDRAG_OIDC names: see docs/operations.md"
        )
        for key in ("issuer", "client_id", "client_secret", "groups_claim", "groups")
    },
    "MEDRAG_EMBEDDER": "MEDRAG_ENCODERS, which also accepts a folder",
    "MEDRAG_METRICS_TOKEN": "MEDRAG_METRICS: the token, or the path of a file that holds it",
    **{name: "the key `{1}=` of {0}".format(*place.split()) for name, place in _NOW_KEYS.items()},
    **{name: f"no longer needed, so remove it: {why}" for name, why in _LEFT_OUT.items()},
}
