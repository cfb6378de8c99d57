"""Arrows between the apps: who may import what. Read by `ast`, so nothing is run."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ["core", "corpus", "retrieval", "chat", "evaluation", "medrag_site"]  # the lowest first

# Imports of our own inside a function: where, what, and why there is no other way.
LATE = {
    (
        "evaluation/management/commands/train.py",
        "evaluation.training.runs",
    ): "torch, which other commands must not wait for",
    ("corpus/apps.py", "corpus.checks"): "models exist only when the apps are ready",
    ("retrieval/apps.py", "retrieval.configured"): "checks are registered when apps are ready",
    ("chat/apps.py", "chat.audit.receivers"): "models exist only when the apps are ready",
    ("chat/apps.py", "chat.checks"): "as above",
    ("chat/apps.py", "chat.verification.checks"): "checks are registered when apps are ready",
    (
        "corpus/parsing/pdf/document.py",
        "corpus.parsing.pdf.docling_models",
    ): "loads docling's own models",
    (
        "medrag_site/web/gunicorn_config.py",
        "corpus.encoders.registry",
    ): "Django is not set up before the fork",
    ("medrag_site/web/gunicorn_config.py", "chat.endpoints"): "as above",
    ("medrag_site/web/gunicorn_config.py", "retrieval.configured"): "as above",
    (
        "medrag_site/web/gunicorn_config.py",
        "chat.verification.entailment.configured",
    ): "as above",
    ("medrag_site/web/gunicorn_config.py", "retrieval.rerank"): "as above",
}
HEAVY = {
    "docling",
    "docling_core",
    "openvino",
    "torch",
    "sentence_transformers",
    "transformers",
    "rapidocr",
}


@dataclass(frozen=True)
class Import:
    """One imported module of a file, whole: `from a.b import c` is a.b.c where that is one."""

    path: str
    module: str
    line: int
    is_late: bool
    is_for_types: bool

    def __str__(self) -> str:
        return f"{self.path}:{self.line} imports {self.module}"


def files() -> list[Path]:
    found = [p for app in LAYERS if (ROOT / app).is_dir() for p in sorted((ROOT / app).rglob("*.py"))]  # noqa: E501  # fmt: skip
    return [path for path in found if "migrations" not in path.parts]


def imports_of(path: Path) -> Iterator[Import]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    name = path.relative_to(ROOT).as_posix()
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    late = {id(n) for f in ast.walk(tree) if isinstance(f, functions) for n in ast.walk(f)}
    typed = {
        id(n)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for n in ast.walk(block)
    }
    for node in ast.walk(tree):
        for module in _modules(node, name):
            yield Import(name, module, node.lineno, id(node) in late, id(node) in typed)  # type: ignore[attr-defined]


def _modules(node: ast.AST, name: str) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    package = name.split("/")[: -node.level] if node.level else []
    base = ".".join([*package, *([node.module] if node.module else [])])
    return [f"{base}.{alias.name}" if _is_module(f"{base}.{alias.name}") else base for alias in node.names]  # noqa: E501  # fmt: skip


def _is_module(dotted: str) -> bool:
    path = ROOT.joinpath(*dotted.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def app_of(module: str) -> str:
    return module.split(".")[0]


ALL = [found for path in files() for found in imports_of(path)]
OURS = [found for found in ALL if app_of(found.module) in LAYERS]


def test_reads_every_kind_of_import() -> None:
    assert len(files()) > 80
    assert len(OURS) > 100
    assert any(found.is_late for found in ALL)


def test_no_arrow_points_upwards() -> None:
    wrong = [
        str(found)
        for found in OURS
        if LAYERS.index(app_of(found.module)) > LAYERS.index(found.path.split("/")[0])
    ]
    assert not wrong, "\n".join(wrong)


def test_no_import_of_our_own_hides_in_a_function() -> None:
    wrong = [str(f) for f in OURS if f.is_late and (f.path, f.module) not in LATE]
    assert not wrong, "\n".join(wrong)


def test_heavy_libraries_are_imported_late() -> None:
    """`manage.py check` and the web process must not wait for torch."""
    apart = ("corpus/parsing/", "evaluation/training/")  # imported late themselves, or by a child
    child_only = {f.path for f in ALL if f.path.startswith(apart)}
    wrong = [
        str(found)
        for found in ALL
        if app_of(found.module) in HEAVY
        and not found.is_late
        and not found.is_for_types
        and found.path not in child_only
    ]
    assert not wrong, "\n".join(wrong)


def test_no_module_hides_one_of_python() -> None:
    hidden = {"utils", "helpers", "managers", "process", "data", *dir(builtins)}
    wrong = [path.relative_to(ROOT).as_posix() for path in files() if path.stem in hidden]
    assert not wrong, "\n".join(wrong)
