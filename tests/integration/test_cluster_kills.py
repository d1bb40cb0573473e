# SPDX-License-Identifier: GPL-2.0-only
"""A first start that is killed anywhere, by itself or with PostgreSQL: the next one goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.integration import saved
from tests.processes import commands
from tests.waiting import until
from vlag.config import Settings
from vlag.operate.service import postgres
from vlag.store import views

#: Moments of a first start, in seconds, at which it is killed: half of them with all its children.
MOMENTS_S = (0.05, 0.2, 0.4, 0.7, 1.0, 1.4, 1.8, 2.4, 3.0, 4.0)

#: What roles may do and have, and which databases there are.
DEFINED = (
    "SELECT rolname, rolsuper, rolcanlogin, rolconnlimit, rolconfig::text FROM pg_roles"
    " WHERE rolname IN ('vlag', 'vlag_reader') ORDER BY 1",
    "SELECT datname, pg_get_userbyid(datdba) FROM pg_database ORDER BY 1",
    "SELECT proname, pg_get_functiondef(oid), proacl::text FROM pg_proc"
    " WHERE pronamespace = to_regnamespace('reader_guard') ORDER BY 1",
)


def in_a_process(made: Settings) -> int:
    """Begin `prepare` in a process with a group of its own."""
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        postgres.prepare(made)
    finally:
        os._exit(0)


def defined(made: Settings, tmp_path: Path) -> list[list[tuple[Any, ...]]]:
    """Start the server, log in as each role, and return what is defined."""
    server = postgres.start(postgres.prepare(made), tmp_path / "log")
    try:
        with psycopg.connect(made.reader_dsn()):
            pass
        with psycopg.connect(made.dsn()) as conn:
            return [conn.execute(asked.encode()).fetchall() for asked in DEFINED]
    finally:
        postgres.stop(server)


def left(made: Settings) -> list[str]:
    home = str(made.state / "postgres")
    return [line for _, line in commands() if home in line]


def test_a_first_start_that_is_killed_at_any_moment(tmp_path: Path) -> None:
    made = saved.settings(tmp_path / "killed")
    made.state.mkdir()
    killed = 0
    for number, after_s in enumerate(MOMENTS_S):
        pid = in_a_process(made)
        deadline = time.monotonic() + after_s
        while time.monotonic() < deadline and os.waitpid(pid, os.WNOHANG) == (0, 0):
            time.sleep(0.01)
        try:
            if number % 2:
                os.killpg(pid, signal.SIGKILL)
            else:
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            killed += 1
        except (ProcessLookupError, ChildProcessError):
            break  # it came to its end
    assert killed >= 3
    whole = saved.settings(tmp_path / "whole")
    whole.state.mkdir()
    assert defined(made, tmp_path) == defined(whole, tmp_path)
    until(lambda: not left(made), lambda: str(left(made)))
    # What a killed start had begun may end after the next one: the one after that clears it away.
    postgres.prepare(made)
    assert [p.name for p in (made.state / "postgres").glob("draft*")] == []


def killed_after(
    cluster: postgres.Cluster, statements: Sequence[str], database: str, *, leave: bool
) -> subprocess.Popen[str]:
    """Run statements in single-user mode and kill the server, or leave it waiting for more."""
    process = subprocess.Popen(
        [*cluster.prefix, str(cluster.programs / "postgres"), "--single", "-D",
         str(cluster.data), database],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        cwd="/", env=dict(cluster.environment),
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    for statement in statements:
        process.stdin.write(f"{statement};\n")
    process.stdin.write("SELECT 'all ' || 'done';\n")
    process.stdin.flush()
    said = ""
    while "all done" not in said:
        said = process.stdout.readline()
        assert said, "the server has ended"
    if not leave:
        process.kill()
        process.wait()
    return process


@pytest.mark.parametrize("part", ["roles", "bounds"])
def test_a_server_that_is_killed_after_any_statement(tmp_path: Path, part: str) -> None:
    made = saved.settings(tmp_path / "killed")
    made.state.mkdir()
    before = defined(made, tmp_path)
    cluster = postgres.prepare(made)
    if part == "roles":
        database, again = "postgres", made.passfile
        every = [s for r in postgres.ROLES for s in postgres._role_statements(r, "x" * 20)]
    else:
        database, again = "vlag", made.state / "postgres" / "reader-bounds"
        every = views.bounds()
    for number in range(1, len(every) + 1):
        again.unlink()
        killed_after(cluster, every[:number], database, leave=False)
        postgres.prepare(made)
    assert defined(made, tmp_path) == before


def test_what_a_killed_start_left_running_is_ended_first(tmp_path: Path) -> None:
    made = saved.settings(tmp_path / "killed")
    made.state.mkdir()
    before = defined(made, tmp_path)
    cluster = postgres.prepare(made)
    made.passfile.unlink()
    alive = killed_after(cluster, ["ALTER ROLE vlag PASSWORD 'x'"], "postgres", leave=True)
    try:
        assert alive.poll() is None
        reaper = threading.Thread(target=alive.wait, daemon=True)  # as init does
        reaper.start()
        assert defined(made, tmp_path) == before
        reaper.join(60)
        assert not reaper.is_alive()
    finally:
        alive.kill()


def test_a_pid_file_without_its_content(tmp_path: Path) -> None:
    """As a power cut leaves it; PostgreSQL refuses to start beside it."""
    made = saved.settings(tmp_path / "cut")
    made.state.mkdir()
    before = defined(made, tmp_path)
    pidfile = made.state / "postgres" / "data" / "postmaster.pid"
    pidfile.touch()
    assert defined(made, tmp_path) == before
    # With its server running it is that one which ends first.
    server = postgres.start(postgres.prepare(made), tmp_path / "log")
    pidfile.write_text("")
    assert defined(made, tmp_path) == before
    assert server.wait(60) is not None
