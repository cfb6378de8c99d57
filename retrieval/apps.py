from django.apps import AppConfig


class RetrievalConfig(AppConfig):
    name = "retrieval"
    verbose_name = "Search"

    def ready(self) -> None:
        from retrieval import configured  # noqa: F401  registers the check
