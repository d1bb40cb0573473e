"""One real night, shared by all tests of this folder."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.night.road import Road, made


@pytest.fixture(scope="session")
def road(cluster: str) -> Iterator[Road]:
    with ExitStack() as held:
        yield held.enter_context(made(cluster))
