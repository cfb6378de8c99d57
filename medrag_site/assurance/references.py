"""Copy what the documents of the folder refer to into it, and mend its links. Pure but for reads.

A copy stands at its path of the release (`docs/evaluation.md`), so that its name leads to it in
texts of every form. Pages of `docs/safety` stand at the top of the folder.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from medrag_site.assurance.bundled import ROOT

_NAMED = re.compile(r"\b(?:docs|chat|corpus)(?:/[\w-]+)+\.md\b")
_LINK = re.compile(r"!?\[([^]]*)\]\(([^)\s]+)\)")
_SAFETY = "docs/safety/"


def named(texts: Iterable[str]) -> set[str]:
    """Return the documents of the release that texts name by their paths, and what these name."""
    found: set[str] = set()
    waiting = list(texts)
    while waiting:
        new = {name for name in _NAMED.findall(waiting.pop()) if not name.startswith(_SAFETY)}
        waiting += [_text(name) for name in new - found]
        found |= new
    return found


def linked(source: str) -> set[str]:
    """Return the documents of the release that the links of a page of it lead to."""
    targets = {_target(source, link) for _, link in _LINK.findall(_text(source))}
    return {path for path in targets if path.endswith(".md") and not path.startswith(_SAFETY)}


def copied(source: str, there: Iterable[str]) -> str:
    """Return a page of the release with links to what is `there`; others become its names."""
    kept = set(there)
    start = posixpath.dirname(_place(source)) or "."

    def mended(match: re.Match[str]) -> str:
        words, link = match.groups()
        target = _target(source, link)
        if not target:
            return match[0]
        if target not in kept and not target.startswith(_SAFETY):
            return f"{words} ({target} of the release)"
        _, hash_, anchor = link.partition("#")
        return f"[{words}]({posixpath.relpath(_place(target), start)}{hash_}{anchor})"

    return _LINK.sub(mended, _text(source))


def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _target(source: str, link: str) -> str:
    """Return the path in the release; empty for an anchor of the page and other sites."""
    path = link.partition("#")[0]
    if not path or "://" in path:
        return ""
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), path))


def _place(path: str) -> str:
    return path.removeprefix(_SAFETY)
