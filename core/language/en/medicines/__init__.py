"""Read medicines, their brands and doses. Pure."""
