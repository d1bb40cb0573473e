"""One real night, shared by all tests that need kernels.

`VLAG_TEST_NIGHT` names a folder to keep it in: a second session finds it there.  For
work on the tests; CI makes a new one.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.night.clone import Night, shared_night
from vlag.pipeline import cluster, settings


@pytest.fixture(scope="session")
def night() -> Iterator[Night]:
    with shared_night() as shared:
        yield shared


@contextmanager
def database(night: Night) -> Iterator[None]:
    """Run the night's own PostgreSQL."""
    prepared = cluster.prepare(settings.load(night.clone / "vlag.toml"))
    server = cluster.start(prepared, night.state / "log" / "test-postgresql.log")
    try:
        yield
    finally:
        cluster.stop(server)
