"""Know what wards write in a hurry: short forms, ages, spans and signs."""
