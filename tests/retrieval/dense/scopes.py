"""Documents at every stage of the life cycle, all with the same content."""

import datetime

from django.utils import timezone

from corpus.models import Document, Lifecycle
from tests.corpora import publish

TODAY = datetime.date(2026, 5, 1)
TEXT = "# {title}\nThe dose of demonstracillin is 500 mg every 8 hours."
IN_FORCE = {"published", "effective today", "effective long ago", "past its review date"}
OUT_OF_DATE = {"superseded", "withdrawn", "effective tomorrow"}
NEVER = {"draft", "in review", "half indexed", "draft of the past"}


def one_of_each() -> dict[str, Document]:
    day = datetime.timedelta(days=1)
    fields = {
        "published": {},
        "effective today": {"effective_from": TODAY},
        "effective long ago": {"effective_from": TODAY - 999 * day},
        "past its review date": {"review_by": TODAY - day},
        "superseded": {"lifecycle": Lifecycle.SUPERSEDED},
        "withdrawn": {"lifecycle": Lifecycle.WITHDRAWN, "withdrawn_at": timezone.now()},
        "effective tomorrow": {"effective_from": TODAY + day},
        "draft": {"lifecycle": Lifecycle.DRAFT},
        "draft of the past": {"lifecycle": Lifecycle.DRAFT, "effective_from": TODAY - day},
        "in review": {"lifecycle": Lifecycle.REVIEW},
        "half indexed": {"indexed": False},
    }
    return {name: publish(TEXT.format(title=name), title=name, **kw) for name, kw in fields.items()}  # type: ignore[arg-type]
