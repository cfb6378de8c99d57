"""A site whose configuration of encoders changes, and its state."""

from datetime import date
from pathlib import Path

from django.db import connection
from pytest_django import Settings

from corpus.encoders import vectors
from corpus.encoders.registry import searched_rows
from corpus.models import Chunk, Document, Encoder, EncoderState, Lifecycle
from corpus.services.indexing import document_index
from retrieval.config import RetrievalConfig, config_from
from retrieval.types import Query
from tests.corpus.documents import guideline, ingest

TEXT = "# Gentamicin\nGentamicin is given once daily.\n# Warfarin\nWarfarin for stroke in adults."
ASKED = Query("gentamicin once daily", on=date(2026, 5, 1))


class Site:
    """Write the file of a site's encoders, a new one for each change."""

    def __init__(self, settings: Settings, folder: Path, models: Path) -> None:
        self._settings, self._folder, self._models, self._count = settings, folder, models, 0

    def configure(self, **tables: str) -> None:
        """Configure an encoder for each keyword: `bundled`, or a model's folder and more TOML."""
        lines = []
        for name, said in tables.items():
            model, _, more = said.partition(" ")
            path = model if model == "bundled" else self._models / model
            pooling = "" if model == "bundled" else 'pooling = "mean"\n'
            lines.append(f'[{name}]\nmodel = "{path}"\n{pooling}{more}\n')
        self._count += 1
        path = self._folder / f"encoders-{self._count}.toml"
        path.write_text("\n".join(lines))
        self._settings.ENCODERS = str(path)


def states() -> dict[str, str]:
    return {f"{row.name}:{row.dimensions}": row.state for row in Encoder.objects.order_by("pk")}


def searched() -> list[str]:
    return [row.name for row in searched_rows()]


def tables() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class "
            "WHERE relname LIKE 'corpus\\_vectors\\_%' AND relkind = 'r'"
        )
        return {name for (name,) in cursor.fetchall()}


def indexed(sections: int = 3) -> Document:
    document = ingest(guideline(sections=sections))
    document_index(document.pk)
    Document.objects.update(lifecycle=Lifecycle.PUBLISHED)
    return Document.objects.get(pk=document.pk)


def building() -> Encoder:
    return Encoder.objects.get(state=EncoderState.BUILDING)


def has_index(encoder: Encoder) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_class WHERE relname = %s", [f"{encoder.table}_hnsw"])
        return cursor.fetchone() is not None


def everything(encoder: Encoder) -> dict[int, bytes]:
    ids = list(Chunk.objects.values_list("pk", flat=True))
    return {pk: vector.tobytes() for pk, vector in vectors.read(encoder, ids).items()}


def encoders_config(**said: str) -> RetrievalConfig:
    return config_from(" ".join(f"{name}={value}" for name, value in said.items()))
