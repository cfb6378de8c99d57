"""Announce what happens to documents, inside the transaction that makes it happen.

A receiver that raises undoes the change: so nothing happens without its audit row. Every signal
carries `document` and `actor` (a user, or None for the system); `document_uploaded` also carries
the name of the `source` that was watched, if it comes from one, `document_failed`
`code`, `document_edited` `fields` (their names), the two of chunks `chunk` and `reason`,
`page_looked` and `page_look_taken_back` `page` (its number), and
`correction_made` `correction` and `reason`. Those of stops carry `stop`, `actor` and `reason`;
`source_settled` carries `source`, `settled` and, of one file, its key `file`.
`document_indexed` means that the document can be found from now on, once in force; it is sent on
every indexing.

`answers_citing` is a request: a receiver returns the answers that cited `document`, as a list of
`corpus.types.CitingAnswer`, newest first, with the statements that `reader` (a user or None) may
read.
"""

from django.dispatch import Signal

document_uploaded = Signal()
document_edited = Signal()
document_submitted = Signal()
document_returned = Signal()
document_published = Signal()
document_superseded = Signal()
document_withdrawn = Signal()
document_reinstated = Signal()
document_discarded = Signal()
document_failed = Signal()
document_retried = Signal()
document_reindexed = Signal()
document_indexed = Signal()
chunk_disabled = Signal()
chunk_enabled = Signal()
correction_made = Signal()
page_looked = Signal()
page_look_taken_back = Signal()
collection_changed = Signal()
source_settled = Signal()
answering_stopped = Signal()
answering_resumed = Signal()
answers_citing = Signal()
