"""Settings that earlier versions read, with what takes the place of each."""

from collections.abc import Mapping

_OIDC = "Write it into the TOML file that MEDRAG_OIDC names, see docs/operations.md."
_PLAIN_WINDOWS = "Leave it out: documents are cut by their sections alone."
_ORIGINS = (
    "Leave it out: where MEDRAG_HTTPS is true, the hosts of MEDRAG_ALLOWED_HOSTS are trusted, "
    "each with the port that stands there."
)
_NOW_KEYS = {  # of a setting that has several
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
    "MEDRAG_LOG_FORMAT": "MEDRAG_LOG format",
    "MEDRAG_LOG_LEVEL": "MEDRAG_LOG level",
}

OLD_NAMES: Mapping[str, str] = {
    "MEDRAG_GATE": "Leave it out: the gate is always the calibrated one.",
    "MEDRAG_GATE_COSINE": "Set MEDRAG_GATE_THRESHOLD, a probability.",
    "MEDRAG_CHUNK_STRATEGY": _PLAIN_WINDOWS,
    "MEDRAG_CHUNK_CHARACTERS": _PLAIN_WINDOWS,
    "MEDRAG_CHUNK_OVERLAP_CHARACTERS": _PLAIN_WINDOWS,
    "MEDRAG_CSRF_TRUSTED_ORIGINS": _ORIGINS,
    "MEDRAG_OIDC_ISSUER": _OIDC,
    "MEDRAG_OIDC_CLIENT_ID": _OIDC,
    "MEDRAG_OIDC_CLIENT_SECRET": _OIDC,
    "MEDRAG_OIDC_GROUPS_CLAIM": _OIDC,
    "MEDRAG_OIDC_GROUPS": _OIDC,
    "MEDRAG_METRICS_TOKEN": "Set MEDRAG_METRICS to the token, or to the path of the file with it.",
    **{
        name: 'Set {} to "{}=VALUE", beside its other keys.'.format(*place.split())
        for name, place in _NOW_KEYS.items()
    },
}
