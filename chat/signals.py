"""What clinicians report, announced inside the transaction that stores it.

A receiver that raises undoes what was stored. `gap_reported` carries `turn`, a refusal for want of
evidence, when its asker first says that it was not helpful.
"""

from django.dispatch import Signal

gap_reported = Signal()
