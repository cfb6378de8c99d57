"""What happens to a document, announced inside the transaction that makes it happen.

A receiver that raises undoes the change: that is how nothing happens without its audit row. Every
signal carries `document` and `actor` (a user, or None for the system); `document_failed` also
carries `code`.
"""

from django.dispatch import Signal

document_uploaded = Signal()
document_published = Signal()
document_superseded = Signal()
document_withdrawn = Signal()
document_failed = Signal()
