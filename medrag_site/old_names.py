"""Settings that earlier versions read, with what takes the place of each."""

from collections.abc import Mapping

_OIDC = "Write it into the TOML file that MEDRAG_OIDC names, see docs/operations.md."
_PLAIN_WINDOWS = "Leave it out: documents are cut by their sections alone."
_ORIGINS = (
    "Leave it out: where MEDRAG_HTTPS is true, the hosts of MEDRAG_ALLOWED_HOSTS are trusted, "
    "each with the port that stands there."
)

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
}
