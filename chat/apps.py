from django.apps import AppConfig


class ChatConfig(AppConfig):
    name = "chat"

    def ready(self) -> None:
        from chat import receivers  # late: models can't be imported before the apps are ready

        receivers.connect()
