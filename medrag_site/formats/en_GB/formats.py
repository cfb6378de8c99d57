"""Dates and times in Django's British format, with a 24-hour clock."""

DATETIME_FORMAT = "j M Y, H:i"
TIME_FORMAT = "H:i"
