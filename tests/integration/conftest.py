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

from tests.integration import reports_template
from tests.integration.installation import Installation, copy_checkout
from tests.integration.masters import master
from tests.integration.server import Server
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="session")
def field_reports(
    cluster: str, template: str, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """Name of a database with all field reports, entered and compared."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    return reports_template.make(cluster, template, catalogue, shared)


@pytest.fixture
def vlag(monkeypatch: pytest.MonkeyPatch, dsn: str) -> Callable[..., Result]:
    """Run a command in this process on the test's own database."""
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    return lambda *arguments: CliRunner().invoke(main, arguments)


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
