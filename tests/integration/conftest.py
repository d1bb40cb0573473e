# SPDX-License-Identifier: GPL-2.0-only
"""What several test files need: a whole service, a server, a port that nobody should reach."""

import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from playwright.sync_api import Browser, sync_playwright

from tests.conftest import drop_database, fresh_database
from tests.integration import bundles, reports_template, started
from tests.integration.field_reports import FieldReports, opened_reports
from tests.integration.installation import Installation
from tests.integration.masters import Master, cancel_all, make_database, master
from tests.integration.server import Server
from tests.integration.websites import (
    CHROMIUM,
    LONG,
    MAY,
    Place,
    Template,
    make_template,
    place_of,
)
from tests.waiting import DEADLINE_S
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.store.database import Connection


@pytest.fixture(scope="session")
def checkout(session_folder: Path) -> Path:
    """Return a copy of the checkout, with the state after a first start beside it."""
    return started.make(session_folder)


@pytest.fixture(scope="session")
def session_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of all processes of the test session."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def field_reports(cluster: str, template: str, catalogue: Catalogue, session_folder: Path) -> str:
    """Name of a database with all field reports, entered and compared."""
    return reports_template.make(cluster, template, catalogue, session_folder)


@pytest.fixture(scope="module")
def reports(
    cluster: str, field_reports: str, catalogue: Catalogue, session_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[FieldReports]:  # fmt: skip
    """Return all field reports in a database of the module's own: they do not touch each other."""
    dsn = fresh_database(cluster, field_reports)
    yield from opened_reports(dsn, catalogue, tmp_path_factory.mktemp("state"), session_folder)
    drop_database(dsn)


@pytest.fixture(scope="session")
def branch_template(
    cluster: str, template: str, catalogue: Catalogue, session_folder: Path
) -> Template:
    """A database with a branch that got worse, to make others of."""
    return make_template(cluster, template, catalogue, session_folder, "linux-6.12")


@pytest.fixture(scope="session")
def long_template(
    cluster: str, template: str, catalogue: Catalogue, session_folder: Path
) -> Template:
    """The same of a branch with a long and odd name."""
    return make_template(cluster, template, catalogue, session_folder, LONG)


@pytest.fixture
def place(cluster: str, branch_template: Template) -> Iterator[Place]:
    """A filled database of the test's own."""
    found = place_of(cluster, branch_template)
    yield found
    drop_database(found.dsn)


@pytest.fixture(scope="session")
def buildbot_database(session_folder: Path) -> Path:
    return make_database(session_folder)


def one_master(
    cluster: str, of: Template, made: Path, folders: pytest.TempPathFactory, *, people: bool
) -> Iterator[Master]:
    with master(fresh_database(cluster, of.database), folders.mktemp("master"), made,
                people=people) as found:  # fmt: skip
        yield found


@pytest.fixture(scope="session")
def master_with_people(
    cluster: str, branch_template: Template, buildbot_database: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Master]:  # fmt: skip
    yield from one_master(
        cluster, branch_template, buildbot_database, tmp_path_factory, people=True
    )


@pytest.fixture(scope="session")
def master_without_people(
    cluster: str, branch_template: Template, buildbot_database: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Master]:  # fmt: skip
    yield from one_master(
        cluster, branch_template, buildbot_database, tmp_path_factory, people=False
    )


@pytest.fixture
def served_master(master_with_people: Master) -> Iterator[Master]:
    """The master of all tests with people who sign in, over a filled database.

    A test undoes what it changes but build requests, which are cancelled.
    """
    yield master_with_people
    cancel_all(master_with_people.url, MAY)


@pytest.fixture
def open_master(master_without_people: Master) -> Iterator[Master]:
    """The same for the users of this machine: nobody signs in."""
    yield master_without_people
    cancel_all(master_without_people.url)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a process; each has contexts of its own.

    It ends with the integration tests: while Playwright runs, nobody else can use asyncio.
    """
    if not Path(CHROMIUM).exists():
        pytest.fail(f"{CHROMIUM} is missing; `apt install chromium` brings what tests need")
    with sync_playwright() as playwright:
        playwright.selectors.set_test_id_attribute("data-bb-test-id")
        with playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]) as found:
            found.on("context", lambda context: context.set_default_timeout(DEADLINE_S * 1000))
            yield found


@pytest.fixture
def vlag(monkeypatch: pytest.MonkeyPatch, dsn: str) -> Callable[..., Result]:
    """Run a command in this process on the test's own database."""
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    return lambda *arguments: CliRunner().invoke(main, arguments)


@pytest.fixture
def fill(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Callable[..., None]:
    """Store a kernel with its boots; what is given is that of `bundles.side`."""

    def work(of: Mapping[str, Any], factors: Sequence[float] = (), **changes: Any) -> None:
        paths = bundles.side(tmp_path, of, catalogue, factors=factors, **changes)
        bundles.store(conn, catalogue, paths)

    return work


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
def url(served_master: Master) -> str:
    """Address of a master without workers, with people who sign in."""
    return served_master.url
