"""Read clinical English. Pure."""
