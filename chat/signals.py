"""Announce clinicians' reports inside the transaction that stores them.

A receiver that raises undoes what was stored. `gap_reported` carries `turn`, a refusal for lack of
evidence, when its asker first calls it unhelpful.
"""

from django.dispatch import Signal

gap_reported = Signal()
