from django.apps import AppConfig


class BenchConfig(AppConfig):
    """What developers measure with; a hospital's site does not need it."""

    name = "bench"
