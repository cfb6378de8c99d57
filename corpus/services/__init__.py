"""The only writers of documents. Entity first: `document_ingest`, `document_publish`."""
