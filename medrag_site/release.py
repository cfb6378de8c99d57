"""Say which release this is, from `pyproject.toml` at the top of the checkout."""

import subprocess
import tomllib
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent


@cache
def release() -> str:
    """Return the release, such as `0.14.0`; between releases with its commit.

    `0.15.0.dev0+1f3a9c7`, or `0.15.0.dev0` where the checkout has no git.
    """
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = str(project["version"])
    commit = _commit() if ".dev" in version else ""
    return f"{version}+{commit}" if commit else version


def _commit() -> str:
    """Return the checkout's commit, shortened; empty if it can't be told."""
    command = ["git", "-C", str(_ROOT), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=5).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""
