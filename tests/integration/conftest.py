"""The installation of a whole service, for the tests that start one."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.installation import Installation, copy_checkout
from tests.integration.server import Server


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture
def installation(tmp_path: Path, checkout: Path) -> Iterator[Installation]:
    made = Installation(tmp_path, checkout)
    yield made
    made.end()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A PostgreSQL server of somebody else."""
    folder = Path(tempfile.mkdtemp(prefix="vlag-server-"))
    folder.chmod(0o755)
    made = Server(folder / "server")
    try:
        made.start()
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder)
