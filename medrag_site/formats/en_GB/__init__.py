"""Dates and times in British form, with a 24-hour clock."""
