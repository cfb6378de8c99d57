"""What the queue calls: an id in, one service call."""

from corpus.services.indexing import document_index


def index_document(document_id: int) -> None:
    document_index(document_id)
