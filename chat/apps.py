from django.apps import AppConfig


class ChatConfig(AppConfig):
    name = "chat"

    def ready(self) -> None:
        # late: models can't be imported before the apps are ready
        from chat import checks, checks_verifier, receivers  # noqa: F401  importing registers

        receivers.connect()
