"""The private PostgreSQL cluster, with real servers."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from vlag import ROOT
from vlag.errors import UsageError
from vlag.pipeline import cluster, settings


@pytest.fixture
def mine(tmp_path: Path) -> settings.Settings:
    tmp_path.chmod(0o700)  # as root's home: the server's user may not enter by itself
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    text = (ROOT / "vlag.toml").read_text().replace("5442", str(port))
    (tmp_path / "vlag.toml").write_text(text)
    made = settings.load(tmp_path / "vlag.toml")
    made.state.mkdir()
    return made


class Servers:
    """Starts servers and stops each at the end."""

    def __init__(self, mine: settings.Settings):
        self.mine = mine
        self.log = mine.state / "log"
        self.started: list[subprocess.Popen[bytes]] = []

    def start(self) -> subprocess.Popen[bytes]:
        server = cluster.start(cluster.prepare(self.mine), self.log)
        self.started.append(server)
        return server


@pytest.fixture
def servers(mine: settings.Settings) -> Iterator[Servers]:
    made = Servers(mine)
    yield made
    for server in made.started:
        cluster.stop(server)


def using(mine: settings.Settings) -> list[str]:
    data = os.fsencode(mine.state / "postgres" / "data")
    return [
        p.parent.name
        for p in Path("/proc").glob("[0-9]*/cmdline")
        if data in p.read_bytes().split(b"\0")
    ]


def test_starts_in_a_private_folder_with_both_databases(
    mine: settings.Settings, servers: Servers
) -> None:
    servers.start()
    for database in cluster.DATABASES:
        dsn = (
            f"host=127.0.0.1 port={mine.postgresql_port} user=vlag dbname={database}"
            f" passfile='{mine.passfile}'"
        )
        with psycopg.connect(dsn) as connection:
            row = connection.execute(
                "SELECT rolsuper, current_setting('listen_addresses')"
                " FROM pg_roles WHERE rolname = current_user"
            ).fetchone()
            assert row == (False, "127.0.0.1")
            connection.execute("CREATE TABLE t (i int)")
    assert stat.S_IMODE(mine.passfile.stat().st_mode) == 0o600
    assert stat.S_IMODE(mine.passfile.parent.stat().st_mode) == 0o700


def test_nobody_enters_without_the_password(mine: settings.Settings, servers: Servers) -> None:
    servers.start()
    for user in ("vlag", "postgres"):
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(
                f"host=127.0.0.1 port={mine.postgresql_port} user={user} password=wrong dbname=vlag"
            )


def test_survives_a_kill_and_keeps_what_was_written(
    mine: settings.Settings, servers: Servers
) -> None:
    first = servers.start()
    with psycopg.connect(mine.dsn()) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    first.kill()
    first.wait()
    pidfile = mine.state / "postgres" / "data" / "postmaster.pid"
    # The worst case: the number of the dead server belongs to somebody else by now.
    pidfile.write_text(f"{os.getpid()}\n" + pidfile.read_text().split("\n", 1)[1])
    servers.start()
    with psycopg.connect(mine.dsn()) as connection:
        assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)


def test_a_server_that_was_left_behind_is_stopped(
    mine: settings.Settings, servers: Servers
) -> None:
    left = servers.start()
    servers.start()
    assert left.wait(30) == 0


def test_lost_secrets_are_made_again(mine: settings.Settings, servers: Servers) -> None:
    cluster.stop(servers.start())
    mine.passfile.unlink()
    servers.start()
    psycopg.connect(mine.dsn()).close()


def test_stop_leaves_no_process(mine: settings.Settings, servers: Servers) -> None:
    server = servers.start()
    assert using(mine)
    with psycopg.connect(mine.dsn()):  # an open session does not hold it up
        cluster.stop(server)
    assert server.returncode == 0
    assert using(mine) == []


def test_a_half_made_cluster_is_made_again(mine: settings.Settings, servers: Servers) -> None:
    draft = mine.state / "postgres" / "draft"
    draft.mkdir(parents=True)
    (draft / "PG_VERSION").write_text("15\n")
    servers.start()
    psycopg.connect(mine.dsn()).close()


def test_a_port_in_use_is_named_with_its_setting(mine: settings.Settings) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", mine.postgresql_port))
        taken.listen()
        with pytest.raises(UsageError) as e:
            cluster.prepare(mine)
    assert str(e.value) == (
        f"port {mine.postgresql_port} on 127.0.0.1 cannot be used (Address already in use): stop "
        f"what uses it, or change postgresql under [ports] in {mine.path}"
    )


def test_programs_of_the_clusters_own_version_are_asked_for(tmp_path: Path) -> None:
    for version in ("9.6", "15", "17"):
        program = tmp_path / version / "bin" / "initdb"
        program.parent.mkdir(parents=True)
        program.touch()
    assert cluster.find_programs(root=tmp_path) == tmp_path / "17" / "bin"
    assert cluster.find_programs("15", root=tmp_path) == tmp_path / "15" / "bin"
    with pytest.raises(UsageError, match="install the Debian package postgresql-16"):
        cluster.find_programs("16", root=tmp_path)
    with pytest.raises(UsageError, match="install the Debian package postgresql "):
        cluster.find_programs(root=tmp_path / "none")


def test_no_terminal_signal_reaches_the_server(servers: Servers) -> None:
    server = servers.start()
    assert os.getpgid(server.pid) == server.pid != os.getpgid(0)
