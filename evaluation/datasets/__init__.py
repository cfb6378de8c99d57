"""Read files of published data sets completely, or reject them. Pure: no Django."""
