"""What the queue calls: an id in, one service call."""

from corpus.services.indexing import document_index


def index_document(document_id: int) -> None:
    """Do the job that is due first; the id says only whose wake-up it is."""
    document_index()
