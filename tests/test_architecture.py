"""Arrows between the apps: who may import what. Read by `ast`, so nothing is run."""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ["corpus", "retrieval", "chat", "evaluation", "medrag_site"]  # the lowest first

# What may be imported from another app, below one's own.
OPEN = {"models", "types", "services", "selectors", "signals", "errors", "pipeline", "protocols"}
SHARED = {
    "corpus.away": "what of an error means that the database is away is one rule for all",
    "corpus.access": "who may search a collection is said in one place, for every page",
    "corpus.languages": "which configuration of full text a language has",
    "corpus.marks": "what weighs much in a passage is marked in the index",
    "corpus.search_vectors": "made passages are cut as read ones are",
    "corpus.statistics": "`bench` counts a made index as a loaded one is counted",
    "corpus.search_text": "what is indexed and what is asked must be cut into the same words",
    "corpus.sentences": "a sentence is the same for a passage and for a quotation",
    "corpus.encoders.registry": "the encoders in use, each loaded once a process",
    "corpus.encoders.rounding": "digits of a score that every processor agrees on",
    "corpus.encoders.specs": "an evaluation varies how an encoder's vectors are stored",
    "corpus.encoders.types": "the `Embedder` protocol",
    "corpus.encoders.folders": "`bench` compares what computes the site's encoder",
    "corpus.encoders.model_folders": "a trained model's card names the encoder that it began as",
    "corpus.encoders.openvino_runtime": "the one way to OpenVINO, for writing a model too",
    "corpus.encoders.pair_model": "a trained model is measured by what runs it",
    "corpus.encoders.pairs": "two texts are one input in training as they are when it runs",
    "corpus.encoders.torch_backend": "a trained model is compared with the encoder it began as",
    "corpus.encoders.query_cache": "durations are measured with no vector remembered",
    "retrieval.scope": "what is in force is one rule for a search and for a replay",
    "retrieval.dense": "`bench` compares the index of vectors with all of them",
    "corpus.encoders.local_models": "`bench` compares what computes the site's encoder",
    "corpus.positions": "how a place is told is one rule for a hit, a citation and a passage",
    "corpus.boxes": "where a span stands on a page: one rule for painting and for export",
    "corpus.management.arguments": "people are named the same way in every command",
    "corpus.parsing.published.medquad": "MedQuAD is read the same for search and evaluation",
    "corpus.parsing.published.xml_text": "published XML is never trusted",
    "corpus.summaries": "an index of the evaluation is named by what makes its summaries too",
    "evaluation.datasets": "`bench` compares rankings on a published set, read as any is",
    "evaluation.reading": "`bench` compares pages that it read with what people saw on them",
    "evaluation.metrics": "`bench` judges them by the one formula",
    "chat.admin": "`ReadOnly`: what is kept for the record is edited by nobody",
    "corpus.progress": "how far a command is looks the same in every command",
    "corpus.recipe": "`doctor` says how passages are cut for the encoder in use",
    "corpus.parsing.clean": "the one `clean_text` of every boundary",
    "corpus.parsing.sandbox.nurseries": "a queue process has one ready before the first document",
    "corpus.parsing.sandbox.parent": "`doctor` tries the parser's child process",
    "corpus.parsing.types": "what was read of a page is compared with what stands on it",
    "corpus.parsing.lists": "what introduces an item is the same to the reader and its judge",
    "corpus.parsing.sniff": "the media type of the file that `doctor` lets it read",
    "chat.audit": "the log's one door: `record`, `verify_chain`, `sign_head`",
    "chat.calibration_records": "`doctor` says which gate is in use, and what does not fit it",
    "chat.gate": "an evaluation takes the site's gate to the database that it measures in",
    "chat.looking": "an evaluation asks as the site does",
    "chat.lockouts": "the administration lists what is locked, and unlocks it",
    "chat.problems": "what is refused before the API's views has the API's form",
    "chat.api_urls": "the site's urls include the API's",
    "chat.endpoints": "a web process loads the language models' client at its start",
    "chat.reading": "evaluation learns from what it reads, and `bench` times it",
    "corpus.vectors": "how a vector is written for the database",
    "corpus.files": "where originals lie, for the pages that offer them",
    "corpus.pictures": "a page's picture is made, kept and excused in one place",
    "corpus.jobs": "the worker's watchdog and the status of jobs",
    "corpus.wakeups": "the worker wakes what the queue has lost",
    "corpus.time_limit": "nobody waits longer for a network than they are told to",
    "corpus.breaker": "an endpoint that is away is away for all who call it",
    "corpus.endpoints": "no call goes to a machine that nobody configured",
    "corpus.request_forms": "what a language model is asked is of one type",
    "corpus.prompt_files": "a prompt's file is read and checked in one way",
    "corpus.preference": "several endpoints are asked in one order, wherever answers come from",
    "corpus.language_model": "calls of a language model have one home",
    "retrieval.payload": "the command and the API print passages in one form",
    "retrieval.config": "a caller chooses how many passages it wants",
    "retrieval.filters": "what a search is narrowed to is read in one way",
    "retrieval.configured": "the configuration of this site, for whoever varies it",
    "retrieval.lexical": "rarity of the question's lexemes, for the generator's choice",
    "retrieval.analysis": "abbreviations are spelled out the same way everywhere",
    "retrieval.cross_encoders": "a verifier is loaded and timed as a reranker is",
    "chat.verification": "the web process loads a verifier, and an evaluation measures each",
    "chat.calibration_risk": "Brier and ECE have one formula",
    "retrieval.migrations": "other names of one thing, as the lexicon is installed with them",
    "retrieval.spellings": "British and American spellings are one word to a guard",
    "retrieval.words": "words and sentences are the same to every rule about a question or a claim",
    "retrieval.rerank": "a web process loads the reranker at its start, with the encoder",
    "chat.terminal": "an answer in the terminal reads the same in `ask` and in the demonstration",
}

PURE = [
    "corpus/importing/*.py",
    *("corpus/parsing/*.py", "corpus/parsing/selfcheck/*.py"),
    *("corpus/chunking/*.py", "corpus/sentences.py"),
    *("corpus/marks.py", "corpus/search_text.py", "corpus/twins.py", "corpus/boxes.py"),
    *("corpus/positions.py", "corpus/folders.py"),
    *("corpus/summaries/sections.py", "corpus/summaries/extractive.py"),
    *("corpus/versions.py", "corpus/disabling.py", "corpus/reading.py"),
    "corpus/progress.py",
    "corpus/encoders/[!r]*.py",  # all but the registry, which reads settings and rows
    *("corpus/languages.py", "corpus/endpoints.py", "retrieval/clauses.py"),
    *("corpus/time_limit.py", "corpus/replies.py", "corpus/request_forms.py"),
    *("corpus/language_model.py", "corpus/preference.py"),
    "retrieval/filters.py",
    *("chat/scales.py", "chat/calibration.py", "chat/calibration_curves.py"),
    "chat/calibration_risk.py",
    *(f"retrieval/rerank/{name}.py" for name in ("types", "weights", "extracts")),
    *("retrieval/rerank/endpoint.py", "retrieval/rerank/language_model.py"),
    *("evaluation/datasets/*.py", "evaluation/metrics/*.py", "evaluation/trec.py"),
    *("evaluation/reading/*.py", "evaluation/training/*.py"),
    *("evaluation/stats.py", "evaluation/sampling.py", "evaluation/pooling.py"),
    *("evaluation/configurations.py", "evaluation/ablation.py", "evaluation/errands.py"),
    *("evaluation/measured.py", "evaluation/tables.py", "evaluation/telling.py"),
    *("evaluation/folders.py", "evaluation/peers/turns.py"),
    *("evaluation/checking.py", "evaluation/checker_tables.py"),
    *("retrieval/fusion.py", "retrieval/types.py", "retrieval/config.py"),
    *("retrieval/analysis/[a-z]*.py", "retrieval/lexicon.py", "retrieval/words.py"),
    *("retrieval/rewording.py", "corpus/prompt_files.py", "corpus/breaker.py"),
    "retrieval/spellings.py",
    "chat/identifiers/*.py",
    "chat/usage.py",
    *("chat/verification/texts.py", "chat/verification/types.py"),
    "chat/following/*.py",
    *("chat/verification/guards/*.py", "chat/verification/entailment/types.py"),
    *("chat/people.py", "chat/limits.py", "chat/statements.py", "chat/topics.py"),
    *(f"chat/generation/{name}.py" for name in ("locating", "markup", "showing")),
    *(f"chat/verification/entailment/{name}.py" for name in ("labels", "windows", "judge")),
    *("chat/verification/atomic.py", "chat/verification/statements.py"),
    "chat/verification/quantities/*.py",
    "chat/verification/wording/*.py",
    *("chat/ranges.py", "chat/measures.py", "chat/confidence.py", "chat/audit_chain.py"),
]
# Imports of our own inside a function: where, what, and why there is no other way.
LATE = {
    (
        "evaluation/management/commands/train.py",
        "evaluation.training.runs",
    ): "torch, which other commands must not wait for",
    ("corpus/apps.py", "corpus.checks"): "models exist only when the apps are ready",
    ("retrieval/apps.py", "retrieval.configured"): "checks are registered when apps are ready",
    ("chat/apps.py", "chat.receivers"): "models exist only when the apps are ready",
    ("chat/apps.py", "chat.checks"): "as above",
    ("chat/apps.py", "chat.checks_verifier"): "checks are registered when apps are ready",
    (
        "corpus/parsing/pdf/document.py",
        "corpus.parsing.pdf.docling_models",
    ): "loads docling's own models",
    (
        "medrag_site/gunicorn_config.py",
        "corpus.encoders.registry",
    ): "Django is not set up before the fork",
    ("medrag_site/gunicorn_config.py", "chat.endpoints"): "as above",
    ("medrag_site/gunicorn_config.py", "retrieval.configured"): "as above",
    (
        "medrag_site/gunicorn_config.py",
        "chat.verification.entailment.configured",
    ): "as above",
    ("medrag_site/gunicorn_config.py", "retrieval.rerank"): "as above",
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


def test_across_apps_only_what_is_open_or_shared_on_purpose() -> None:
    wrong = []
    for found in OURS:
        own, other = found.path.split("/")[0], app_of(found.module)
        parts = found.module.split(".")
        if own == other:
            continue
        is_open = len(parts) == 1 or parts[1] in OPEN
        if not is_open and not any(is_below(found.module, name) for name in SHARED):
            wrong.append(str(found))
    assert not wrong, "\n".join(wrong)


def is_below(module: str, name: str) -> bool:
    return module == name or module.startswith(f"{name}.")


def test_pure_modules_know_nothing_of_django() -> None:
    paths = {p.relative_to(ROOT).as_posix() for pattern in PURE for p in ROOT.glob(pattern)}
    assert len(paths) > 20
    reached = reachable(paths)
    wrong = [str(f) for f in ALL if f.path in reached and app_of(f.module) in {"django", "rest_framework"}]  # noqa: E501  # fmt: skip
    assert not wrong, "\n".join(wrong)


def reachable(paths: set[str]) -> set[str]:
    """The files and all of our own that they import, however far down."""
    imported: dict[str, set[str]] = defaultdict(set)
    for found in OURS:
        if not found.is_for_types:
            imported[found.path].add(file_of(found.module))
    reached, open_ = set(paths), list(paths)
    while open_:
        new = imported[open_.pop()] - reached
        reached |= new
        open_ += new
    return reached


def file_of(module: str) -> str:
    path = ROOT.joinpath(*module.split("."))
    file = path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py"
    return file.relative_to(ROOT).as_posix()


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


def test_each_exception_is_still_needed() -> None:
    across = [found.module for found in OURS if app_of(found.module) != found.path.split("/")[0]]
    unused = [name for name in SHARED if not any(is_below(module, name) for module in across)]
    late = {(found.path, found.module) for found in OURS if found.is_late}
    assert not set(LATE) - late, set(LATE) - late
    assert not unused, unused


def test_no_module_hides_one_of_python() -> None:
    hidden = {"utils", "helpers", "managers", "process", "data", *dir(builtins)}
    wrong = [path.relative_to(ROOT).as_posix() for path in files() if path.stem in hidden]
    assert not wrong, "\n".join(wrong)
