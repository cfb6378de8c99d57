"""What the fixture `storing` is: rows that are stored once for all tests of a module."""

from collections.abc import Callable
from contextlib import AbstractContextManager

Storing = Callable[[Callable[[], object]], AbstractContextManager[None]]
