"""Names of settings that are no more, with what takes the place of each."""

from collections.abc import Mapping

_ROLES = {
    "GENERATE_LLM": "generate",
    "JUDGE_LLM": "judge",
    "REWRITE_LLM": "rewrite",
    "CONTEXT_LLM": "context",
    "TEACHER_LLM": "teacher",
    "RERANK": "rerank",
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
}
