# SPDX-License-Identifier: GPL-2.0-only
"""The service in parts, on a PostgreSQL server of somebody else: master, two hosts, artifacts."""

from __future__ import annotations

import io
import os
import re
import signal
import stat
import subprocess
from pathlib import Path

import psycopg
import pytest

from tests.integration.installation import Installation, free_ports
from tests.integration.masters import asked
from tests.integration.parts import Parts
from tests.integration.server import Server
from tests.waiting import DEADLINE_S, until
from vlag import ROOT, config
from vlag.operate.service.parts import serve_part
from vlag.store.migrate import migrate

BOARDS = """
all:
  children:
    boards:
      hosts:
        sim2-1: {board_type: qemu-sim-2}
        sim2-2: {board_type: qemu-sim-2, worker: second}
        sim4-1: {board_type: qemu-sim-4, worker: second}
"""

HOSTS = """
[inventory]
boards = "boards.yml"
[[workers.hosts]]
name = "first"
slots = 2
takes = ["build", "run"]
[[workers.hosts]]
name = "second"
slots = 2
"""


class Several(Parts):
    """A master with two worker hosts and an artifact store."""

    def __init__(self, made: Installation, server: Server):
        artifacts = f"[ports]\nartifacts = {free_ports(1)[0]}"
        made.settings.write_text(made.settings.read_text().replace("[ports]", artifacts, 1))
        super().__init__(made, server, BOARDS, HOSTS)

    def refused(self, part: str, host: str | None = None) -> tuple[int, str]:
        """Start a part that cannot be, here; return its status and the last line that it says."""
        said = io.StringIO()
        settings = config.load(self.made.settings)
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("PATH", self.made.environment()["PATH"])  # with the stand-in
            status = serve_part(settings, part, host=host, until=None, wait_s=1, out=said)
        return status, said.getvalue().strip().splitlines()[-1]

    def all(self) -> None:
        for words in (("master",), ("worker", "--host", "first"), ("artifacts",)):
            self.start(*words)
        self.start("worker", "--host", "second")

    def stop(self) -> None:
        for process in self.running.values():
            process.send_signal(signal.SIGTERM)
        for name, process in self.running.items():
            assert process.wait(DEADLINE_S) == 0, self.said(name)
        until(lambda: not self.made.left(), lambda: f"left: {self.made.left()}")

    def words(self) -> str:
        return "\n".join(f"{name}: {self.said(name)}" for name in self.running)

    def refuses_what_is_there(self) -> None:
        """Start what runs already."""
        again = "already runs on {}, here or on another machine: stop it, or give this one another"
        for words, what in (
            (["master"], "another master"),
            (["worker", "second"], "another worker of host second"),
            (["artifacts"], "another artifact store"),
        ):
            status, said = self.refused(*words)
            assert (status, said[: len(what)]) == (2, what)
            assert again.format(self.made.state) in said
        status, said = self.made.finish(self.made.start())
        assert status == 2
        assert said.startswith(f"another service already runs on {self.made.state}: stop it")

    def betrays_no_password(self) -> None:
        """Look for the database's password in logs and in the folders of Buildbot."""
        secret = (self.server.secrets / "database").read_text().strip()
        state = self.made.state
        texts = [p for f in ("log", "master") for p in (state / f).rglob("*") if p.is_file()]
        assert texts
        for path in texts:
            assert secret not in path.read_text(errors="replace"), path
        path = state / "secrets" / f"pgpass-vlag-{os.geteuid()}"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def counts(self) -> dict[str, int]:
        """Rows of every table of both databases."""
        found = {}
        here = config.load(self.made.settings)
        for name in ("vlag", "buildbot"):
            with psycopg.connect(here.dsn(name)) as conn:
                tables = conn.execute(
                    "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
                ).fetchall()
                for (table,) in tables:
                    row = conn.execute(f'SELECT count(*) FROM "{table}"').fetchone()  # noqa: S608
                    found[f"{name}.{table}"] = row[0] if row else 0
        return found


@pytest.fixture
def parts(new_installation: Installation, server: Server) -> Several:
    return Several(new_installation, server)


@pytest.mark.long  # a minute and a half: CI has an hour for all
def test_a_night_on_two_hosts_that_is_cut_off_and_taken_up_again(parts: Several) -> None:
    made = parts.made
    made.behave(endless="run", build_s=3)
    parts.all()
    until(lambda: {e["host"] for e in made.log(verb="run")} == {"first", "second"}, parts.words)
    assert "waiting for the master: no master answers at 127.0.0.1" in parts.said("first")
    # Both kernels were built at the same time, each on a host of its own.
    spans: dict[str, dict[str, float]] = {}
    for what in ("begin", "end"):
        for e in made.log(what, "build"):
            spans.setdefault(e["host"], {})[what] = e["at"]
    assert set(spans) == {"first", "second"}
    one, other = spans.values()
    assert max(one["begin"], other["begin"]) < min(one["end"], other["end"])
    parts.refuses_what_is_there()
    parts.stop()

    made.behave()
    parts.all()
    until(lambda: "REPORT of 1, 2" in parts.said("master"), parts.words)
    runs = made.log("end", "run")
    assert len(runs) == 12
    assert {(e["host"], e["--board"]) for e in runs} == {
        ("first", "sim2-1"), ("second", "sim2-2"), ("second", "sim4-1"),
    }  # fmt: skip
    for words in (["database"], ["master"], ["artifacts"], ["worker", "--host", "first"]):
        status, said = parts.health(*words)
        assert status == 0, said
    parts.stop()
    before = parts.counts()
    assert before["buildbot.builds"] > 14
    assert parts.health("worker", "--host", "first") == (
        75, "vlag: no worker of host first runs on this machine"
    )  # fmt: skip
    assert [parts.health(part)[0] for part in ("master", "artifacts")] == [75, 75]

    # Once more: all is there, and no second night begins.
    parts.start("master")
    until(lambda: parts.health("master")[0] == 0, parts.words)
    assert parts.said("master").startswith("the last night's report is ")
    parts.stop()
    after = parts.counts()
    assert {table: n for table, n in before.items() if after[table] < n} == {}
    assert after["buildbot.buildrequests"] == before["buildbot.buildrequests"]
    assert made.log("end", "run") == runs
    parts.betrays_no_password()


def test_all_parts_at_once_use_the_same_server(parts: Several) -> None:
    made = parts.made
    made.settings.write_text(made.settings.read_text().replace(HOSTS, ""))
    made.behave(endless="build")
    process = made.start(once=False)
    until(lambda: made.log(verb="build"), made.said)
    assert "starting PostgreSQL" not in made.said()
    assert not (made.state / "postgres").exists()
    status, said = parts.health("worker")
    assert (status, said.partition("; ")[0]) == (0, "the worker of host local is connected")
    assert "all processes of a build together are " in said
    # So does Buildbot's page of the workers.
    url = f"http://127.0.0.1:{made.ports['web']}/"
    hosts = until(
        lambda: {w["workerinfo"].get("host") for w in asked(url, "workers")} - {None, ""}, made.said
    )
    assert {host.strip() for host in hosts} == {said.partition("; ")[2]}
    process.send_signal(signal.SIGTERM)
    assert made.finish(process)[0] == 0
    assert made.left() == []
    assert parts.counts()["buildbot.builds"] > 0


@pytest.mark.parametrize(
    ("change", "words", "status", "sentence"),
    [
        ("password", ["master"], 2, r"cannot use database vlag at 127\.0\.0\.1:\d+ \(.*password"
         r" authentication failed for user \"vlag\"\): see \[database\] in .*vlag\.toml$"),
        ("no password", ["master"], 2, r"secrets/none \(database\.password_file in .*vlag\.toml\): "
         r"cannot read the password \(No such file or directory\); make the file, one line$"),
        ("away", ["master"], 75, r"cannot use database vlag at 127\.0\.0\.1:\d+ \(.*"
         r"Connection refused.*\); waited 1 s for the database$"),
        ("away", ["worker", "first"], 75, r"waited 1 s for the database$"),
        ("", ["worker", "second"], 75, r"secrets/worker: is not there; the master "
         r"makes it; waited 1 s for a secret$"),
        ("secret", ["worker", "second"], 75, r"no master answers at 127\.0\.0\.1:\d+ "
         r"\(Connection refused\); set VLAG_MASTER_HOST to its host; waited 1 s for the master$"),
        ("worker file", ["worker", "first"], 2, r"secrets/none \(workers\.password_file "
         r"in .*vlag\.toml\): cannot be read; make the file, one line$"),
        ("worker file", ["master"], 2, r"secrets/none \(workers\.password_file in "),
        ("", ["worker"], 2, r"^which worker host is this\? Give --host NAME; there are: first"),
        ("", ["worker", "third"], 2, r"^no worker host 'third' under \[\[workers\.hosts"
         r"\]\] in .*vlag\.toml; there are: first, second$"),
        ("none", ["master"], 2, r"vlag\.toml: database: missing; parts of the service share a "),
    ],
)  # fmt: skip
def test_what_is_missing_is_one_sentence(
    parts: Several, change: str, words: list[str], status: int, sentence: str
) -> None:
    path = parts.made.settings
    text = path.read_text()
    wrong = parts.server.secrets / "wrong"
    wrong.write_text("wrong\n")
    path.write_text({
        "password": text.replace('secrets/database"', 'secrets/wrong"'),
        "no password": text.replace('secrets/database"', 'secrets/none"'),
        "away": text.replace(f"port = {parts.server.port}", f"port = {free_ports(1)[0]}"),
        "worker file": text.replace(
            "[inventory]",
            f'[workers]\npassword_file = "{parts.server.secrets}/none"\n[inventory]',
        ),
        "none": text.replace(parts.server.settings(), ""),
    }.get(change, text))  # fmt: skip
    if change == "secret":
        (parts.made.state / "secrets").mkdir(mode=0o700, parents=True)
        (parts.made.state / "secrets" / "worker").write_text("a password\n")
    found, said = parts.refused(*words)
    assert found == status, said
    assert re.search(sentence, said), said
    assert parts.made.left() == []


def test_a_part_that_is_refused_ends_its_command(parts: Several) -> None:
    status, said = parts.made.finish(parts.start("master", "--host", "first", wait_s=1))
    assert status == 2
    assert "--host first: only --part worker has a host name" in said
    assert "Traceback" not in said


def test_the_servers_script_makes_roles_that_are_limited(parts: Several) -> None:
    server = parts.server
    here = config.load(parts.made.settings)
    assert migrate(here.dsn())
    with psycopg.connect(here.reader_dsn()) as conn:
        assert conn.execute("SELECT current_user, count(*) FROM read_model.kernel").fetchone() == (
            "vlag_reader", 0,
        )  # fmt: skip
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute("SELECT * FROM public.kernel")
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(here.reader_dsn().replace("dbname=vlag", "dbname=buildbot"))
    with psycopg.connect(here.dsn()) as conn:
        row = conn.execute(
            "SELECT rolsuper, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
        assert row == (False, False, False)
    # Again, with another password and a LAVA server's database: the old password is no good.
    server.secret("database")
    old = dict(here_words.split("=", 1) for here_words in here.dsn().split() if "=" in here_words)
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(here.dsn())
    lava = "it's"
    assert server.make(**server.files, VLAG_LAVASERVER_PASSWORD=lava).returncode == 0
    with psycopg.connect(here.dsn()) as conn:
        assert conn.execute("SELECT count(*) FROM public.kernel").fetchone() == (0,)
    where = f"host=127.0.0.1 port={server.port} dbname=lavaserver"
    psycopg.connect(f"{where} user=lavaserver", password=lava).close()
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(f"{where} user=vlag passfile={old['passfile']}")
    # Without a password nothing is made.
    done = server.make(VLAG_DATABASE_PASSWORD=lava)
    assert done.returncode == 3
    assert "set VLAG_DATABASE_PASSWORD and VLAG_READER_PASSWORD" in done.stderr
    psycopg.connect(here.dsn()).close()


def test_the_artifact_store_needs_no_secret(tmp_path: Path) -> None:
    """With the settings of the containers, none of whose secrets is here."""
    text = (ROOT / "master/compose.toml").read_text()
    [port] = free_ports(1)
    for old, new in (
        ('"/var/lib/vlag"', f'"{tmp_path}/state"'), ('"0.0.0.0"', '"127.0.0.1"'),
        ("artifacts = 8020", f"artifacts = {port}"),
        ('"boards.yml"', f'"{ROOT}/ansible/inventory/boards.yml"'),
    ):  # fmt: skip
        assert old in text
        text = text.replace(old, new)
    settings = tmp_path / "vlag.toml"
    settings.write_text(text)
    env = {**os.environ, "VLAG_SETTINGS": str(settings)}
    with subprocess.Popen(
        ["vlag", "serve", "--part", "artifacts"], env=env, stdout=subprocess.PIPE, text=True
    ) as store:
        try:
            assert store.stdout is not None
            assert store.stdout.readline() == f"the artifact store is up: 127.0.0.1:{port}\n"
            health = ["vlag", "health", "artifacts"]
            done = subprocess.run(health, env=env, capture_output=True, text=True, check=True)
            assert done.stdout == "the artifact store answers\n"
        finally:
            store.terminate()
    assert not (tmp_path / "state" / "secrets").exists()
