"""Search the guidelines in force, without gate or answer."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from chat.api.problems import IdentifiersSeen
from chat.config import answer_config
from chat.errors import QuestionError
from chat.question.clean import narrowing_check
from chat.question.identifiers.guard import Guarded, question_guarded
from corpus.management.arguments import asker_named
from corpus.parsing.clean import clean_text
from retrieval.config import with_surroundings
from retrieval.configured import site_config
from retrieval.filters import add_filters, filters_from
from retrieval.hits.payload import hits_payload
from retrieval.pipeline import retrieve
from retrieval.types import Query


class Command(BaseCommand):
    help = "Print the best passages in force for a query."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("query")
        parser.add_argument("--json", action="store_true", help="print one JSON list")
        parser.add_argument("--k", type=int, default=10, help="passages to print, 1 to 50")
        parser.add_argument(
            "--surroundings", action="store_true", help="with its section around each passage"
        )
        parser.add_argument("--collection", action="append", default=[], metavar="SLUG")
        add_filters(parser)
        parser.add_argument("--user", help="whose rights count; only what is open to all without")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["k"] <= 50:
            raise CommandError("--k must be from 1 to 50.")
        reader = asker_named(options["user"])
        guarded = self._guarded(options)
        query = Query(
            text=guarded.text,
            on=timezone.localdate(),
            collections=tuple(options["collection"]),
            reader=reader.pk if reader else None,
            filters=filters_from(options),
        )
        config = replace(site_config(), k=options["k"])
        if options["surroundings"]:
            config = with_surroundings(config)
        evidence = retrieve(query, config)
        around = evidence.surroundings if options["surroundings"] else ()
        payload = hits_payload(evidence.hits, around)
        if options["json"]:
            self.stdout.write(json.dumps(payload, ensure_ascii=False, indent=2))
            return
        if not evidence.hits:
            self.stderr.write("No passage in force was found.")
        for hit, shown in zip(evidence.hits, payload, strict=True):
            self.stdout.write(f"{hit.rank}. {hit.title}, {hit.place}")
            self.stdout.write(f"   {' '.join(hit.text.split())[:300]}")
            if "surroundings" in shown:
                self.stdout.write(
                    f"   around it: {' '.join(shown['surroundings']['text'].split())}"
                )

    def _guarded(self, options: dict[str, Any]) -> Guarded:
        """Return what may be searched: the words may go to a model that rewords them."""
        config = answer_config()
        guarded = question_guarded(clean_text(options["query"]), config.identifiers)
        if guarded.is_blocked:
            raise CommandError(str(IdentifiersSeen(guarded.kinds).detail))
        try:
            narrowing_check(filters_from(options), options["collection"], config.identifiers)
        except QuestionError as error:
            raise CommandError(error.sentence) from error
        if guarded.kinds:
            self.stderr.write(_seen(guarded, config.identifiers))
        return guarded


def _seen(guarded: Guarded, policy: str) -> str:
    done = "replaced before the search" if policy == "redact" else "searched as they were typed"
    return f"The words seem to identify a patient ({', '.join(guarded.kinds)}); they were {done}."
