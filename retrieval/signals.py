"""What happens to the lexicon, announced inside the transaction that makes it happen.

A receiver that raises undoes the change: that is how nothing happens without its audit row.
`lexicon_changed` carries `entry`, `actor` (a user, or None for the system) and `fields`, the sorted
names of what differs; none where the entry is gone.
"""

from django.dispatch import Signal

lexicon_changed = Signal()
