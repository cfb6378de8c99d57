"""How dates and times are written: Django's of British English, by a clock of 24 hours."""

DATETIME_FORMAT = "j M Y, H:i"
TIME_FORMAT = "H:i"
