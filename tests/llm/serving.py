"""Make the fixture of an endpoint that most tests of a module ask."""

from collections.abc import Callable, Iterator

import pytest

from tests.llm.server import Answer, Endpoint, endpoint


def serving(default: Answer) -> Callable[[], Iterator[Endpoint]]:
    """Return a fixture that yields an endpoint which answers `default` until a test changes it."""

    @pytest.fixture
    def server() -> Iterator[Endpoint]:
        with endpoint(default) as state:
            yield state

    return server
