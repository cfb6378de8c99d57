"""Formats of dates and times, where Django's own are not used."""
