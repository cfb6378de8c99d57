"""Keep true what `docs/scaling.md` says stands against sharding by document (Citus)."""

import pytest
from django.db import connection

from tests.test_docs import ROOT

# What would be sharded; all other tables would be copied to each node or stay on one.
SHARDED = (
    *("corpus_document", "corpus_page", "corpus_chunk", "corpus_passagestatement"),
    *("corpus_statementvector", "corpus_sectionsummary", "corpus_correction"),
)
COLUMN = "document_id"
_CONSTRAINTS = """
SELECT k.contype::text, k.conrelid::regclass::text, k.confrelid::regclass::text,
       ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u(n, place)
             JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.n ORDER BY u.place)
FROM pg_constraint k
WHERE k.connamespace = 'public'::regnamespace AND k.contype IN ('p', 'u', 'f')
ORDER BY 2, 1 DESC, 4
"""


def obstacles() -> list[str]:
    """Return each constraint that Citus would refuse, as the page writes it."""
    with connection.cursor() as cursor:
        cursor.execute(_CONSTRAINTS)
        rows = cursor.fetchall()
    found = []
    for kind, table, other, columns in rows:
        column = "id" if table == "corpus_document" else COLUMN
        named = f"`{table}` ({', '.join(columns)})"
        vectors = table.startswith("corpus_vectors_")
        if table not in SHARDED and not vectors:
            if kind == "f" and other in SHARDED:
                found.append(f"{named} refers to the sharded `{other}` from outside")
        elif kind in "pu" and column not in columns:
            what = "primary key" if kind == "p" else "unique"
            found.append(f"{named}: {what} without the document")
        elif kind == "f" and other in SHARDED and column not in columns:
            found.append(f"{named} refers to `{other}` without the document")
    return [line.replace("corpus_vectors_1`", "corpus_vectors_N`") for line in found]


@pytest.mark.django_db
def test_the_page_lists_what_stands_against_sharding() -> None:
    page = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    section = page.split("\n## Citus\n")[1]
    listed = [line[2:] for line in section.splitlines() if line.startswith("- ")]
    assert listed == obstacles()
