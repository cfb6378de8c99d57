"""The base of all errors that the project raises on purpose."""


class MedragError(Exception):
    """An error that a person can act on.

    `retryable` says whether the same call may succeed later; `hint` says what the person at the
    keyboard can do next. `str(error)` never contains text of a document or a question.
    """

    retryable = False
    hint = ""

    def __init__(self, message: str, *, hint: str = "", retryable: bool | None = None) -> None:
        super().__init__(message)
        if hint:
            self.hint = hint
        if retryable is not None:
            self.retryable = retryable

    @property
    def sentence(self) -> str:
        """What happened and what to do, as one line for a screen."""
        return f"{self} {self.hint}".strip()
