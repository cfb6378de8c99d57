from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "webhooks"

    def ready(self) -> None:
        # late: models can't be imported before the apps are ready
        from webhooks import receivers

        receivers.connect()
