"""Run the whole way in one process: ingest, parse, index, publish, search, ask, verify the log.

Prints the results as JSON. Runs where there is no network.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import django

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")


def everything(question: str) -> dict[str, Any]:
    # imported late, after the apps are ready
    from django.utils import timezone

    from chat.api.answers import turn_payload
    from chat.ask import turn_ask
    from chat.audit.verify import verify_chain
    from chat.models import Channel
    from chat.types import AskedQuestion
    from corpus.models import Document, Job
    from corpus.services.indexing import document_index
    from retrieval.pipeline import retrieve
    from retrieval.types import Query
    from tests.corpus.documents import ingest

    document = ingest()
    document_index(document.pk)
    Document.objects.filter(pk=document.pk).update(
        lifecycle="PUBLISHED", effective_from=timezone.localdate()
    )
    turn = turn_ask(AskedQuestion(question, user=None, channel=Channel.COMMAND))
    return {
        "job": Job.objects.get(document=document).state,
        "hits": len(retrieve(Query(question, on=timezone.localdate())).hits),
        "turn": turn_payload(turn),
        "verdicts": turn.trace["verdicts"],
        "log": verify_chain().ok,
    }


if __name__ == "__main__":
    django.setup()
    from medrag_site.processes.start import start_database
    from tests.chat.network.closed_network import closed_network

    start_database()
    with closed_network() as attempts:
        found = everything(sys.argv[1])
    print(json.dumps(found | {"refused": attempts.refused, "ports": sorted(attempts.local_ports)}))
