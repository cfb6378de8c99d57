"""Make documents through the service that the site uses."""

from io import BytesIO

from corpus.models import Chunk, Document
from corpus.services.documents import collection_default, document_ingest
from tests.corpora import vector_of

GUIDELINE = """# Hyperkalaemia in adults

## Treatment

Give 10 mL of calcium gluconate 10 % over 5 minutes when the ECG has changed.

## Monitoring

Repeat the potassium after 1 hour. Record the ECG again.
"""


def guideline(first_line: str = "# Gentamicin", sections: int = 1) -> str:
    """Return a Markdown guideline; each section becomes one passage or two."""
    parts = [first_line, ""]
    for number in range(1, sections + 1):
        parts += [f"## Section {number}", ""]
        parts += [
            f"Give {number} mg per kg of gentamicin once daily, at most {number * 10} mg. "
            f"Measure the level after {number} hours. Stop after {number} days. "
            f"Ask microbiology when the creatinine has risen by {number} micromol per litre.",
            "",
        ]
    return "\n".join(parts)


def ingest(
    text: str | bytes = GUIDELINE, filename: str = "guideline.md", **fields: str
) -> Document:
    content = text.encode() if isinstance(text, str) else text
    document = Document(collection=collection_default(), **fields)
    return document_ingest(document, upload=BytesIO(content), uploaded_by=None, filename=filename)


def derived(document: Document) -> list[tuple[object, ...]]:
    """Return all data derived from a document, which must not depend on interruptions."""
    return [
        (
            chunk.key,
            chunk.text,
            chunk.context,
            chunk.spans,
            chunk.tokens,
            chunk.length,
            chunk.search_vector,
            vector_of(chunk).tobytes(),
            said_of(chunk),
        )
        for chunk in document.chunks.order_by("index")
    ]


def said_of(chunk: Chunk) -> list[tuple[object, ...]]:
    """Return the statements of a passage with their vectors, in order."""
    names = ("index", "kind", "text", "pieces", "caption", "table", "row", "vector__components")
    rows = chunk.statements.values_list(*names)
    return [(*said, bytes(vector or b"")) for *said, vector in rows]
