"""One service for all tests that do not need limits of their own."""

from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi", reason="the service needs the default install")
from tests.support.service_process import Running, running


@pytest.fixture(scope="session")
def service() -> Iterator[Running]:
    with running() as found:
        yield found
