from django.apps import AppConfig


class ChatConfig(AppConfig):
    name = "chat"
    verbose_name = "Questions and answers"

    def ready(self) -> None:
        # late: models can't be imported before the apps are ready
        from chat import system_checks  # noqa: F401  importing registers
        from chat.audit import receivers
        from chat.sign_in import oidc, sessions  # noqa: F401  as above
        from chat.sign_in import receivers as sign_ins

        receivers.connect()
        sign_ins.connect()
        sessions.connect()
