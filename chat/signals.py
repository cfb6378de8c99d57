"""What this app asks of those above it.

`questions_wanted` asks and announces nothing: a receiver that knows a test set of the name `name`
returns its questions, as a list of objects in the form of `chat.calibration_questions`, and every
other one None.
"""

from django.dispatch import Signal

questions_wanted = Signal()
