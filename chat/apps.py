from django.apps import AppConfig


class ChatConfig(AppConfig):
    name = "chat"

    def ready(self) -> None:
        from chat import (
            checks_verifier,  # noqa: F401  late too: it registers the check
            receivers,  # late: models can't be imported before the apps are ready
        )

        receivers.connect()
