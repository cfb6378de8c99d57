"""Documents and everything derived from their bytes, one module for each kind of table."""

from corpus.models.documents import (
    Authority,
    Chunk,
    Collection,
    Correction,
    Document,
    Lifecycle,
    Page,
    PassageStatement,
    ReadWith,
    SourceType,
    StatementVector,
)
from corpus.models.encoders import Encoder, EncoderState, Storage
from corpus.models.jobs import Job, JobState, Stage, WorkerHeartbeat, share_finished
from corpus.models.sources import Source, SourceFile, SourceFolder
from corpus.models.statistics import IndexStatistics, Lexeme
from corpus.models.stops import AnsweringStop
from corpus.models.summaries import ContextLine, SectionSummary
from corpus.models.uploads import UploadKey

__all__ = [
    "AnsweringStop",
    "Authority",
    "Chunk",
    "Collection",
    "ContextLine",
    "Correction",
    "Document",
    "Encoder",
    "EncoderState",
    "IndexStatistics",
    "Job",
    "JobState",
    "Lexeme",
    "Lifecycle",
    "Page",
    "PassageStatement",
    "ReadWith",
    "SectionSummary",
    "Source",
    "SourceFile",
    "SourceFolder",
    "SourceType",
    "Stage",
    "StatementVector",
    "Storage",
    "UploadKey",
    "WorkerHeartbeat",
    "share_finished",
]
