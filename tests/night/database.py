# SPDX-License-Identifier: GPL-2.0-only
"""The PostgreSQL of a night whose service does not run."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.night.clone import Night
from vlag import config
from vlag.operate.service import postgres


@contextmanager
def database(night: Night) -> Iterator[None]:
    """Run the night's own PostgreSQL."""
    prepared = postgres.prepare(config.load(night.clone / "vlag.toml"))
    server = postgres.start(prepared, night.state / "log" / "test-postgresql.log")
    try:
        yield
    finally:
        postgres.stop(server)
