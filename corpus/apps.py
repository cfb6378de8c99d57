from django.apps import AppConfig


class CorpusConfig(AppConfig):
    name = "corpus"
    verbose_name = "Guidelines"

    def ready(self) -> None:
        from corpus import checks  # noqa: F401  late: registering needs the app registry
