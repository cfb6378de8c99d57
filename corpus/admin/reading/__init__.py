"""Pages that show what was read of a document beside its picture."""
