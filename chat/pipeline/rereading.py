"""Answer again where documents that a question needs were read again meanwhile.

Reading a document again replaces its passages in one transaction; an answer takes many. Between
two of them a passage that was found is gone, with its statements and what warns beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.db import Error

from chat.models import Reason
from chat.pipeline.refusals import failed
from chat.pipeline.run import AnswerRun
from chat.types import Outcome
from corpus.models import Chunk

TRIES = 10  # each searches anew, while there is time: all of a small site may be read again
Answering = Callable[[], tuple[AnswerRun, Outcome]]


class PassagesReplaced(Exception):
    """Passages that were found are gone, however often one searches."""


def settled(runs: Sequence[AnswerRun], answering: Answering) -> tuple[AnswerRun, Outcome]:
    """Answer until no passage found in any of the runs is gone at the end; else refuse."""
    prepared = [(run.understood, list(run.cautions)) for run in runs]
    for again in range(TRIES):
        if again and not all(run.left_s for run in runs):
            break
        for run, (understood, cautions) in zip(runs, prepared, strict=True):
            run.start_over(understood, cautions)
        run, outcome = answering()
        try:
            if not _are_replaced(runs):
                return run, outcome
        except Error as error:
            return run, failed(run, Reason.SEARCH_UNAVAILABLE, error)
    return run, failed(run, Reason.SEARCH_UNAVAILABLE, PassagesReplaced())


def _are_replaced(runs: Sequence[AnswerRun]) -> bool:
    """Tell whether any passage that the searches ranked is gone. Runs one query, none for none."""
    traces = [search.evidence.trace for run in runs for search in run.searches.taken]
    ranked = {entry.chunk_id for trace in traces for entry in trace.fused}
    return bool(ranked) and Chunk.objects.filter(pk__in=ranked).count() < len(ranked)
