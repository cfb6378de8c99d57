"""Read the statements of a parsed document, as they are cut when it is indexed."""

from dataclasses import asdict

from corpus.parsing.types import ParsedDocument
from corpus.statements import PageView, statements_of


def said_in(document: ParsedDocument) -> list[str]:
    """Return the text of every statement of a document."""
    pages = asdict(document)["pages"]
    views = {page["number"]: PageView(page["text"], page["blocks"]) for page in pages}
    whole = [((), [(page["number"], 0, len(page["text"]))]) for page in pages]
    return [one.text for found in statements_of(whole, views) for one in found]
