"""Find printed tables, their labels, rows and notes; those of Office files have cells already."""
