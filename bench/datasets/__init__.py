"""Adapters that read published data sets into a `Dataset`. Pure: no Django.

To add a data set: an adapter here, its line below, tests in `tests/bench/datasets/`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bench.datasets.liveqa import read_medquad_liveqa
from bench.datasets.published import read_beir, read_scifact
from bench.datasets.types import Dataset
from evaluation.datasets.types import DatasetError

FORMATS = ("beir", "scifact", "medquad-liveqa")


def read_dataset(folder: Path, *, form: str, split: str = "", queries: str = "") -> Dataset:
    """Read the data set in `folder`. Empty `split` and `queries` mean the form's defaults.

    Raises DatasetError, also for an option that the form does not have.
    """
    if not folder.is_dir():
        raise DatasetError(f"{folder} is not a folder.", hint="Give the data set's folder.")
    options = {k: v for k, v in {"split": split, "queries": queries}.items() if v}
    reader, known = _READERS[form]
    if unknown := sorted(set(options) - known):
        raise DatasetError(f"The form {form} has no --{unknown[0]}.")
    return reader(folder, **options)


_READERS: dict[str, tuple[Callable[..., Dataset], set[str]]] = {
    "beir": (read_beir, {"split"}),
    "scifact": (read_scifact, {"split"}),
    "medquad-liveqa": (read_medquad_liveqa, {"queries"}),
}
