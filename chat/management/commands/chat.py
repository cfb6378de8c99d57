"""Ask question after question in the terminal, as one conversation."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from chat.ask import turn_ask
from chat.config import answer_config, modes_here
from chat.conversations import conversation_create
from chat.management.asking import add_asking, asking_from
from chat.models import Conversation, Turn
from chat.question.clean import question_clean
from chat.terminal import as_text, opened
from chat.types import AskedQuestion
from core.errors import MedragError

HELP = """\
Type a question. The next one may refer to it. Other commands:
  open 2      show the page that [2] of the last answer cites
  mode NAME   change the mode for the next answers; without a name, show the mode
  history     list the questions so far
  new         start a new conversation, which does not refer to this one
  help, quit  show these lines; leave, as Ctrl-D and Ctrl-C do"""
_OPEN = re.compile(r"open\s+\[?(\d{1,6})\]?", re.IGNORECASE)
_MODE = re.compile(r"mode(?:\s+(\S+))?", re.IGNORECASE)


class Command(BaseCommand):
    help = "Hold a conversation: follow-up questions are understood, and cited pages can be opened."

    def add_arguments(self, parser: CommandParser) -> None:
        add_asking(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        talk = Talk(asking_from(options))
        is_typed = sys.stdin.isatty()
        if is_typed:
            with suppress(ImportError):
                import readline  # noqa: F401  late: lets `input` recall lines, and prints codes
            self.stdout.write(HELP)
        try:
            for line in _lines("\n> " if is_typed else ""):
                if line.lower() in ("quit", "exit"):
                    break
                self._say(talk, line)
        except KeyboardInterrupt:
            self.stdout.write("")  # the interrupted question is not stored

    def _say(self, talk: Talk, line: str) -> None:
        """Print the answer to a line, or the error; the conversation goes on."""
        try:
            self.stdout.write(talk.said(line))
        except MedragError as error:
            self.stderr.write(error.sentence)
        self.stdout.flush()


class Talk:
    """A conversation in the terminal. With a user it is stored, and listed on the site."""

    def __init__(self, asking: dict[str, Any]) -> None:
        self._asking = asking
        self._begin()

    def _begin(self) -> None:
        self._turns: list[Turn] = []
        self._conversation: Conversation | None = None

    def said(self, line: str) -> str:
        """Return the answer to a line. Raises MedragError, and then nothing was changed."""
        if match := _OPEN.fullmatch(line):
            return self._opened(int(match.group(1)))
        if match := _MODE.fullmatch(line):
            return self._mode(match.group(1))
        match line.lower():
            case "help":
                return HELP
            case "history":
                return self._history()
            case "new":
                self._begin()
                return "A new conversation has started."
        return self._asked(line)

    def _asked(self, line: str) -> str:
        question, user = question_clean(line), self._asking["user"]
        if user and self._conversation is None:
            self._conversation = conversation_create(user)
        earlier = () if user else tuple(turn.question for turn in self._turns)
        turn = turn_ask(
            AskedQuestion(
                question, conversation=self._conversation, earlier=earlier, **self._asking
            )
        )
        self._turns.append(turn)
        return as_text(turn)

    def _opened(self, number: int) -> str:
        if not self._turns:
            raise MedragError("Nothing was asked yet, so there is nothing to open.")
        return opened(self._turns[-1], number, user=self._asking["user"])

    def _mode(self, name: str | None) -> str:
        """Set the mode if one is named; return the mode in use, in words."""
        if name is not None:
            with_name = name.lower()
            try:
                answer_config(with_name)
            except ValueError:
                raise MedragError(f"There is no mode {name}. Modes: {_modes()}.") from None
            self._asking["mode"] = with_name
        return f"Mode: {answer_config(self._asking['mode']).mode}. Modes of this site: {_modes()}."

    def _history(self) -> str:
        if not self._turns:
            return "Nothing was asked yet."
        return "\n".join(
            f"  {number}. {turn.question} ({turn.get_status_display().lower()})"
            for number, turn in enumerate(self._turns, start=1)
        )


def _modes() -> str:
    return ", ".join(modes_here())


def _lines(prompt: str) -> Iterator[str]:
    """Yield the lines typed until the end of input, without empty ones."""
    with suppress(EOFError):
        while True:
            if line := input(prompt).strip():
                yield line
