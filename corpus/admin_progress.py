"""How far a document is, in a staff member's words."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.models import Document, JobState, Stage

RUNNING_STEP = {
    Stage.STORED: "Reading",
    Stage.PARSED: "Cutting into passages",
    Stage.CHUNKED: "Embedding",
    Stage.EMBEDDED: "Indexing",
    Stage.INDEXED: "Finishing",
}


@dataclass(frozen=True)
class JobCell:
    """`text` such as `Embedding 32/120`; `error` is the reason of the last failure."""

    document: Document
    state: str
    text: str
    done: int
    total: int
    error: str
    is_active: bool

    @classmethod
    def of(cls, document: Document) -> JobCell:
        job = document.job
        counted = job.state == JobState.RUNNING and job.total > 0
        text = job.get_state_display()
        if job.state == JobState.RUNNING:
            text = RUNNING_STEP[Stage(job.stage)] + (f" {job.done}/{job.total}" if counted else "")
        return cls(
            document=document,
            state=job.state.lower(),
            text=text,
            done=job.done if counted else 0,
            total=job.total if counted else 0,
            error="" if job.state == JobState.DONE else job.last_error,
            is_active=job.state in (JobState.PENDING, JobState.RUNNING),
        )
