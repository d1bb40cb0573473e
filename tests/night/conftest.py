"""One real night, shared by all tests that need kernels.

`VLAG_TEST_NIGHT` names a folder to keep it in: a second session finds it there.  For
work on the tests; CI makes a new one.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext

import pytest

from tests.night.clone import Night, shared_night
from vlag import config
from vlag.operate.service import postgres


@pytest.fixture(scope="session")
def night(pytestconfig: pytest.Config) -> Iterator[Night]:
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    with ExitStack() as held:
        # Its progress is for whoever waits: a quarter of an hour of silence looks like a hang.
        with capture.global_and_fixture_disabled() if capture else nullcontext():
            shared = held.enter_context(shared_night())
        yield shared


@contextmanager
def database(night: Night) -> Iterator[None]:
    """Run the night's own PostgreSQL."""
    prepared = postgres.prepare(config.load(night.clone / "vlag.toml"))
    server = postgres.start(prepared, night.state / "log" / "test-postgresql.log")
    try:
        yield
    finally:
        postgres.stop(server)
