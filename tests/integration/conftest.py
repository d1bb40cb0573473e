"""What several test files need: a whole service, a server, a port that nobody should reach."""

import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.integration import reports_template, started
from tests.integration.installation import Installation
from tests.integration.masters import master
from tests.integration.server import Server
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue


def of_all_processes(factory: pytest.TempPathFactory) -> Path:
    """Return a folder that the processes of a test run share."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the checkout, with the state after a first start beside it."""
    return started.make(of_all_processes(tmp_path_factory))


@pytest.fixture(scope="session")
def field_reports(
    cluster: str, template: str, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """Name of a database with all field reports, entered and compared."""
    shared = of_all_processes(tmp_path_factory)
    return reports_template.make(cluster, template, catalogue, shared)


@pytest.fixture
def vlag(monkeypatch: pytest.MonkeyPatch, dsn: str) -> Callable[..., Result]:
    """Run a command in this process on the test's own database."""
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    return lambda *arguments: CliRunner().invoke(main, arguments)


@pytest.fixture
def installation(tmp_path: Path, checkout: Path) -> Iterator[Installation]:
    """A service that was started once, and has seen no night."""
    made = Installation(tmp_path, checkout)
    yield made
    made.end()


@pytest.fixture
def new_installation(tmp_path: Path, checkout: Path) -> Iterator[Installation]:
    """A service that was never started."""
    made = Installation(tmp_path, checkout, new=True)
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


@pytest.fixture
def listener() -> Iterator[tuple[int, list[str]]]:
    """A port of this machine, and who came."""
    came: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            while True:
                try:
                    connection, address = server.accept()
                except OSError:
                    return
                came.append(address[0])
                connection.close()

        thread = threading.Thread(target=accept)
        thread.start()
        yield server.getsockname()[1], came
        server.shutdown(socket.SHUT_RDWR)
        thread.join(10)


@pytest.fixture
def url(dsn: str, tmp_path: Path) -> Iterator[str]:
    """Address of a master without workers, with people who sign in."""
    with master(dsn, tmp_path) as address:
        yield address
