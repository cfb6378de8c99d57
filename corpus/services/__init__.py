"""The only writers of documents. Names begin with the entity, as in `document_ingest`.

Documents, indexing, lifecycle, metadata, collections, encoders, passages; summaries of sections are
off by default.
"""
