from django.apps import AppConfig


class BenchConfig(AppConfig):
    """Tools for developers to measure with; a hospital's site does not need them."""

    name = "bench"
