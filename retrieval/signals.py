"""Announce changes to the lexicon inside the transaction that makes them.

A receiver that raises undoes the change: so nothing happens without its audit row.
`lexicon_changed` carries `entry`, `actor` (a user, or None for the system) and `fields`, the sorted
names of the changed fields; none for a deleted entry.
"""

from django.dispatch import Signal

lexicon_changed = Signal()
