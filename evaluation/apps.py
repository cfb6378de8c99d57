from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        # late: models can't be imported before the apps are ready
        from evaluation import checks  # noqa: F401  importing registers
