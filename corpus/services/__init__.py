"""The only writers of documents. Names begin with the entity, as in `document_ingest`."""
