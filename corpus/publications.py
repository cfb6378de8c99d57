"""Find a document's identifiers as a publication: PubMed number and DOI."""

from __future__ import annotations

import re

from corpus import files
from corpus.models import Document
from corpus.parsing import sniff
from corpus.parsing.published import jats, pubmed
from corpus.parsing.types import ParseError

_READERS = {sniff.PUBMED: pubmed.READER, sniff.JATS: jats.READER}
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_PMID_ADDRESS = re.compile(
    r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/(\d{1,12})\b"
)


def pmid_named(text: str) -> str:
    """Return `pmid:123` for a PubMed number; empty for anything else, 0 included."""
    digits = text.strip().lstrip("0")
    return f"pmid:{digits}" if digits.isdecimal() and len(digits) <= 12 else ""


def doi_named(text: str) -> str:
    """Return `doi:10.1000/x` for the first DOI in a text, in lower case; empty for none."""
    match = _DOI.search(text)
    return f"doi:{match.group().lower().rstrip('.,;')}" if match else ""


def publication_numbers(document: Document) -> frozenset[str]:
    """Return the identifiers in a document's address and, for PubMed or JATS records, its file.

    Reads the file; if that fails, only the address counts.
    """
    in_address = _PMID_ADDRESS.search(document.source_url)
    named = {doi_named(document.source_url), pmid_named(in_address.group(1) if in_address else "")}
    if reader := _READERS.get(document.media_type):
        try:
            with files.open_document(document.sha256) as stream:
                facts = reader.inspect(stream.read())
        except (OSError, ParseError, files.FilesUnavailable, files.FileDamaged):
            facts = {}
        named |= {doi_named(facts.get("doi", "")), pmid_named(facts.get("pmid", ""))}
    return frozenset(named - {""})
