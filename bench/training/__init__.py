"""Train a checker or a reader on claims that were labelled by a teacher or by hand."""
