"""The type of the fixture `storing`, which stores rows once for all tests of a module."""

from collections.abc import Callable
from contextlib import AbstractContextManager

Storing = Callable[[Callable[[], object]], AbstractContextManager[None]]
