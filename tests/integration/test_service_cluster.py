# SPDX-License-Identifier: GPL-2.0-only
"""The private PostgreSQL cluster, with real servers."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import stat
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest
import yaml

from tests.integration import saved
from tests.processes import commands
from tests.waiting import until
from vlag import config, progress_log
from vlag.errors import InfrastructureError, UsageError
from vlag.operate.service import borrowed, folders, grafana, health, postgres, prerequisites
from vlag.store.migrate import migrate

VERSION = postgres.find_programs().parent.name


@pytest.fixture
def mine(tmp_path: Path) -> config.Settings:
    made = saved.settings(tmp_path)  # as root's home: the server's user may not enter by itself
    made.state.mkdir()
    return made


class Servers:
    """Starts servers and stops each at the end."""

    def __init__(self, mine: config.Settings):
        self.mine = mine
        self.log = mine.state / "log"
        self.started: list[subprocess.Popen[bytes]] = []

    def start(self, *, first: bool = False) -> subprocess.Popen[bytes]:
        """Start the server; `first` as a first start does, which makes the cluster."""
        if not first:
            saved.ready(self.mine)
        server = postgres.start(postgres.prepare(self.mine), self.log)
        self.started.append(server)
        return server


@pytest.fixture
def servers(mine: config.Settings) -> Iterator[Servers]:
    made = Servers(mine)
    yield made
    for server in made.started:
        postgres.stop(server)


def using(mine: config.Settings) -> list[int]:
    data = str(mine.state / "postgres" / "data")
    return [pid for pid, line in commands() if data in line]


def test_starts_in_a_private_folder_with_both_databases(
    mine: config.Settings, servers: Servers
) -> None:
    servers.start(first=True)
    for database in postgres.DATABASES:
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


def test_nobody_enters_without_the_password(mine: config.Settings, servers: Servers) -> None:
    servers.start()
    for user in ("vlag", "postgres"):
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(
                f"host=127.0.0.1 port={mine.postgresql_port} user={user} password=wrong dbname=vlag"
            )


def test_survives_a_kill_and_keeps_what_was_written(
    mine: config.Settings, servers: Servers
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


def test_what_a_killed_server_has_left_at_work_is_ended(
    mine: config.Settings, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A statement that computes does not notice that its server is gone."""
    monkeypatch.setattr(postgres, "CHILDREN_S", 1)
    monkeypatch.setattr(postgres, "START_S", 20)
    first = servers.start()
    with psycopg.connect(mine.dsn()) as asking, psycopg.connect(mine.dsn()) as idle:
        pids = [asking.info.backend_pid, idle.info.backend_pid]
        computes = "DO $$ BEGIN LOOP END LOOP; END $$"
        thread = threading.Thread(target=lost, args=(asking, computes))
        thread.start()
        until(lambda: is_active(mine, pids[0]))
        first.kill()
        first.wait()
        until(lambda: not Path(f"/proc/{pids[1]}").exists())
        assert Path(f"/proc/{pids[0]}").exists()  # control: nothing else ends it
        servers.start()
        thread.join(60)
        assert not thread.is_alive()
    with psycopg.connect(mine.dsn()) as conn:
        assert conn.execute("SELECT 1").fetchone() == (1,)


def test_a_server_that_recovers_is_waited_for(
    mine: config.Settings, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it takes: started anew it would recover from the same point."""
    postgres.stop(servers.start())
    data = mine.state / "postgres" / "data"
    holds = "until test -e go; do sleep 0.1; done; false"
    with (data / "postgresql.auto.conf").open("a") as more:
        more.write(f"restore_command = '{holds}'\n")
    (data / "recovery.signal").touch()
    monkeypatch.setattr(postgres, "START_S", 15)
    seen: list[str] = []

    def hold() -> None:
        until(lambda: "starting up" in refused(mine))
        began = time.monotonic()
        until(lambda: time.monotonic() > began + 20)
        seen.append(refused(mine))
        (data / "go").touch()

    # Not the start itself: the server ends with the thread that has started it.
    thread = threading.Thread(target=hold)
    thread.start()
    servers.start()
    thread.join(60)
    assert "starting up" in seen[0]
    assert refused(mine) == ""


def test_a_server_that_does_not_say_so_is_given_up(
    mine: config.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control: one that nobody lets in is no server that recovers."""
    saved.ready(mine)
    cluster = postgres.prepare(mine)
    mine.passfile.write_text("")
    monkeypatch.setattr(postgres, "START_S", 3)
    with pytest.raises(InfrastructureError, match="PostgreSQL did not answer within 3 s"):
        postgres.start(cluster, mine.state / "log")


def refused(mine: config.Settings) -> str:
    try:
        psycopg.connect(mine.dsn()).close()
    except psycopg.OperationalError as e:
        return str(e)
    return ""


def lost(conn: psycopg.Connection[Any], statement: LiteralString) -> None:
    """Run a statement during which the server goes away."""
    with pytest.raises(psycopg.OperationalError):
        conn.execute(statement)


def is_active(mine: config.Settings, pid: int) -> bool:
    with psycopg.connect(mine.dsn()) as conn:
        active = "SELECT FROM pg_stat_activity WHERE pid = %s AND state = 'active'"
        return conn.execute(active, (pid,)).fetchone() is not None


def test_a_server_that_was_left_behind_is_stopped(mine: config.Settings, servers: Servers) -> None:
    left = servers.start()
    servers.start()
    assert left.wait(30) == 0


def test_lost_secrets_are_made_again(mine: config.Settings, servers: Servers) -> None:
    postgres.stop(servers.start())
    mine.passfile.unlink()
    servers.start()
    psycopg.connect(mine.dsn()).close()


def test_whoever_only_reads_has_a_role_and_a_password_of_its_own(
    mine: config.Settings, servers: Servers
) -> None:
    servers.start()
    migrate(mine.dsn())
    with psycopg.connect(mine.reader_dsn()) as connection:
        row = connection.execute("SELECT current_user, count(*) FROM read_model.kernel").fetchone()
        assert row == ("vlag_reader", 0)
    # As an older version left it: one role, one password.
    postgres.stop(servers.started[-1])
    own, _reader = mine.passfile.read_text().splitlines()
    mine.passfile.write_text(f"{own}\n")
    servers.start()
    assert mine.passfile.read_text().splitlines()[0] == own
    assert stat.S_IMODE(mine.passfile.stat().st_mode) == 0o600
    psycopg.connect(mine.reader_dsn()).close()
    psycopg.connect(mine.dsn()).close()


def test_stop_leaves_no_process(mine: config.Settings, servers: Servers) -> None:
    server = servers.start()
    assert using(mine)
    with psycopg.connect(mine.dsn()):  # an open session does not hold it up
        postgres.stop(server)
    assert server.returncode == 0
    assert using(mine) == []


def test_a_half_made_cluster_is_made_again(mine: config.Settings, servers: Servers) -> None:
    draft = mine.state / "postgres" / "draft"
    draft.mkdir(parents=True)
    (draft / "PG_VERSION").write_text("15\n")
    servers.start()
    psycopg.connect(mine.dsn()).close()


def test_a_port_in_use_is_named_with_its_setting(mine: config.Settings) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", mine.postgresql_port))
        taken.listen()
        with pytest.raises(UsageError) as e:
            postgres.prepare(mine)
    assert str(e.value) == (
        f"port {mine.postgresql_port} on 127.0.0.1 cannot be used (Address already in use): stop "
        f"what uses it, or change postgresql under [ports] in {mine.path}"
    )


def test_programs_of_the_clusters_own_version_are_asked_for(tmp_path: Path) -> None:
    for version in ("9.6", "15", "17"):
        program = tmp_path / version / "bin" / "initdb"
        program.parent.mkdir(parents=True)
        program.touch()
    assert postgres.find_programs(root=tmp_path) == tmp_path / "17" / "bin"
    assert postgres.find_programs("15", root=tmp_path) == tmp_path / "15" / "bin"
    with pytest.raises(UsageError, match="`make setup` installs postgresql-16"):
        postgres.find_programs("16", root=tmp_path)
    with pytest.raises(UsageError, match="install the Debian package postgresql "):
        postgres.find_programs(root=tmp_path / "none")


def test_health_says_what_an_upgrade_of_the_system_does(
    mine: config.Settings, servers: Servers, tmp_path: Path
) -> None:
    assert postgres.outlook(mine) is None
    servers.start()
    said = health.check(mine, "database", None)
    assert said.startswith(f"the database answers; it is of PostgreSQL {VERSION}, which another")
    there = tmp_path / "installed"
    for version, words in (
        (VERSION, "back up before you upgrade the system"),
        ("99", f"and 99 is installed: move it before {VERSION} is removed"),
    ):
        program = there / version / "bin" / "initdb"
        program.parent.mkdir(parents=True)
        program.touch()
        assert words in str(postgres.outlook(mine, root=there))
    shutil.rmtree(there / VERSION)
    words = f"PostgreSQL {VERSION}, which runs it, is no longer installed: back up now, while it"
    assert words in str(postgres.outlook(mine, root=there))


def test_no_terminal_signal_reaches_the_server(servers: Servers) -> None:
    server = servers.start()
    assert os.getpgid(server.pid) == server.pid != os.getpgid(0)


def grafana_program(folder: Path) -> Path:
    """Lay out what an archive of Grafana has, with a program that only says that it is there."""
    (folder / "public").mkdir(parents=True)
    (folder / "bin").mkdir()
    program = folder / "bin" / "grafana"
    program.write_text("#!/bin/sh\nexec true\n")
    program.chmod(0o755)
    return program


def test_grafana_gets_the_role_that_only_reads(
    mine: config.Settings, servers: Servers, tmp_path: Path
) -> None:
    servers.start()
    migrate(mine.dsn())
    program = grafana_program(tmp_path / "grafana")
    ready = grafana.prepare(mine, program, tmp_path / "password", "http://127.0.0.1:8010/")
    assert ready.argv == (str(program), "server", "--homepath", str(tmp_path / "grafana"))
    assert ready.environment["GF_SERVER_HTTP_ADDR"] == "127.0.0.1"
    assert ready.environment["GF_SECURITY_ADMIN_PASSWORD__FILE"] == str(tmp_path / "password")
    folder = Path(ready.environment["GF_PATHS_PROVISIONING"])
    path = folder / "datasources" / "vlag.yml"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    [source] = yaml.safe_load(path.read_text())["datasources"]
    host, port = source["url"].split(":")
    with psycopg.connect(
        host=host, port=port, user=source["user"], dbname=source["jsonData"]["database"],
        password=source["secureJsonData"]["password"].replace("$$", "$"),
    ) as conn:  # fmt: skip
        assert conn.execute("SELECT count(*) FROM read_model.kernel").fetchone() == (0,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute("SELECT count(*) FROM public.kernel")
    # Negative control: what is no Grafana is told by one sentence.
    (tmp_path / "grafana" / "public").rmdir()
    with pytest.raises(UsageError, match="its folder `public` is neither beside it nor in"):
        grafana.prepare(mine, program, tmp_path / "password", "http://127.0.0.1:8010/")


def test_grafana_is_found_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "grafana" / "bin"))
    assert grafana.program() is None
    made = grafana_program(tmp_path / "grafana")
    assert grafana.program() == made


def test_a_cluster_of_another_user_stays_theirs(
    mine: config.Settings, servers: Servers, tmp_path: Path
) -> None:
    """As root starts what another user has stopped."""
    postgres.stop(servers.start())
    data = mine.state / "postgres" / "data"
    other = pwd.getpwnam("nobody").pw_uid
    for path in (data.parent, *data.parent.rglob("*")):
        os.chown(path, other, -1)
    with pytest.raises(UsageError, match="belongs to nobody: run this as nobody, so that it"):
        postgres.prepare(mine)
    assert "belongs to nobody" in " ".join(prerequisites.check(mine))
    # So does a backup by root.
    done = saved.vlag(mine, "backup", str(tmp_path / "backups"))
    assert (done.returncode, "belongs to nobody" in done.stderr) == (2, True), done.stderr
    assert {path.stat().st_uid for path in (data.parent, *data.parent.rglob("*"))} == {other}
    # Negative control: its own user may.
    owner = pwd.getpwnam("postgres").pw_uid
    for path in (data.parent, *data.parent.rglob("*")):
        os.chown(path, owner, -1)
    servers.start()


def schema(of: config.Settings) -> int:
    """Return how many kernels a migrated database has."""
    with psycopg.connect(of.dsn()) as connection:
        row = connection.execute("SELECT count(*) FROM kernel").fetchone()
    assert row is not None
    return int(row[0])


def test_a_command_borrows_a_database_and_leaves_nothing_running(
    mine: config.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VLAG_DATABASE", raising=False)
    said: list[str] = []
    with socket.create_server(("127.0.0.1", mine.postgresql_port)):  # another installation's
        with progress_log.diverted(said.append), borrowed.database(mine, "a check") as own:
            assert own.postgresql_port != mine.postgresql_port
            assert schema(own) == 0
        assert using(mine) == []

    def interrupted() -> None:
        with progress_log.diverted(said.append), borrowed.database(mine, "a check") as own:
            assert own == mine
            assert schema(own) == 0
            # A service would find the tables in use by another one, and says so.
            with pytest.raises(UsageError, match="already runs on"), folders.whole(mine.state):
                pass
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert using(mine) == []


def test_a_command_takes_the_database_of_the_service(
    mine: config.Settings, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VLAG_DATABASE", raising=False)
    servers.log = mine.state / "postgresql.log"
    server = servers.start()
    running = using(mine)
    with (
        folders.whole(mine.state),  # as a service does
        borrowed.database(mine, "a check") as lent,
    ):
        assert lent == mine
    assert server.poll() is None
    assert set(using(mine)) & set(running)


def test_a_command_without_room_starts_nothing(
    mine: config.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(borrowed, "DISK_FREE_GB", 10**9)
    with (
        pytest.raises(InfrastructureError, match=r"are free under .*, a check needs"),
        borrowed.database(mine, "a check"),
    ):
        pytest.fail("it began")
    assert using(mine) == []
