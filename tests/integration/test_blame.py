# SPDX-License-Identifier: GPL-2.0-only
"""Who is to blame: status 2 is for what a person wrote, 75 for the infrastructure."""

from __future__ import annotations

import ast
import errno
import os
import re
import resource
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from tests.integration.server import Server
from tests.repositories import bare
from vlag import ROOT
from vlag.config import documents
from vlag.errors import ExitCode, InfrastructureError, UsageError, blame_program
from vlag.kernel import git, mirror
from vlag.operate.service.parts import refusal

#: Errors of the machine or of a server: whatever catches them does not know whose fault they are.
ANYBODYS = {"OSError", "psycopg.Error", "psycopg.OperationalError", "InfrastructureError"}
#: Ask by other means whose fault it is: PostgreSQL's own words; a library that cannot be loaded has
#: no error number, and its package is missing.
ASKS = {("operate/service/parts.py", "psycopg.Error"), ("sandbox/seccomp.py", "OSError")}


def hasty(text: str) -> Iterator[str]:
    """Yield each class of errors of `ANYBODYS` for which a person is blamed."""
    for handler in ast.walk(ast.parse(text)):
        if not isinstance(handler, ast.ExceptHandler) or handler.type is None:
            continue
        several = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        raised = {
            getattr(r.exc.func, "id", "")
            for r in ast.walk(handler)
            if isinstance(r, ast.Raise) and isinstance(r.exc, ast.Call)
        }
        if "UsageError" in raised:
            yield from {ast.unparse(one) for one in several} & ANYBODYS


def test_nobody_blames_a_person_for_what_the_machine_does() -> None:
    found = {
        (str(path.relative_to(ROOT / "vlag")), name)
        for path in (ROOT / "vlag").rglob("*.py")
        for name in hasty(path.read_text(encoding="utf-8"))
    }
    assert found == ASKS
    # Negative control.
    text = "try: f()\nexcept (ValueError, OSError) as e: raise UsageError(str(e)) from e"
    assert list(hasty(text)) == ["OSError"]


def hasty_about_programs(text: str) -> Iterator[str]:
    """Yield each test of a program's status after which a person is blamed whatever it was."""
    for test in ast.walk(ast.parse(text)):
        if not isinstance(test, ast.If) or "returncode" not in ast.unparse(test.test):
            continue
        asked = ast.unparse(test.test)
        blamed = any(
            isinstance(r, ast.Raise)
            and isinstance(r.exc, ast.Call)
            and getattr(r.exc.func, "id", "") == "UsageError"
            for r in ast.walk(test)
        )
        if blamed and not re.search(r"returncode (==|in)|> 1", asked):
            yield asked


#: Ask what it said first: Buildbot's own words; a status above 1 was asked about before.
ASK_PROGRAMS = {"operate/service/master.py", "kernel/mirror.py"}


def test_nobody_blames_a_person_for_a_program_that_was_killed() -> None:
    found = {
        str(path.relative_to(ROOT / "vlag"))
        for path in (ROOT / "vlag").rglob("*.py")
        if list(hasty_about_programs(path.read_text(encoding="utf-8")))
    }
    assert found == ASK_PROGRAMS
    # Negative control.
    text = "if done.returncode: raise UsageError(said)"
    assert list(hasty_about_programs(text)) == ["done.returncode"]


def test_a_program_that_failed() -> None:
    for status, said in (
        (-9, "no message"), (137, "no message"), (1, "bwrap: clone: Cannot allocate memory"),
        (1, "cp: error writing 'x': No space left on device\n"), (2, "x: Input/output error."),
        (1, "write /x: no space left on device"),
    ):  # fmt: skip
        assert isinstance(blame_program(status, said, "m"), InfrastructureError), said
    for said in ("bwrap: setting up uid map: Permission denied", "no such option", ""):
        assert isinstance(blame_program(1, said, "m"), UsageError), said


def test_a_package_list_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="is not installed"):
        mirror._package_version("no-such-package")
    monkeypatch.setenv("DPKG_ADMINDIR", str(tmp_path))
    (tmp_path / "status").mkdir()
    with pytest.raises(InfrastructureError, match="dpkg-query cannot look for"):
        mirror._package_version("dpkg")


def read(path: Path) -> object:
    return documents.contents(path, "YAML", bytes)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read(tmp_path / "none")
    with pytest.raises(UsageError, match="Is a directory"):
        read(tmp_path)
    # The kernel answers a read of page 0 with EIO, as a failing disk does.
    with pytest.raises(InfrastructureError, match="Input/output error") as e:
        read(Path("/proc/self/mem"))
    assert (e.value.exit_code, e.value.retry) == (ExitCode.INFRASTRUCTURE, True)


def test_a_process_without_descriptors(tmp_path: Path) -> None:
    path = tmp_path / "there"
    path.write_bytes(b"x")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.open(path, os.O_RDONLY)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, limits[1]))
    try:
        with pytest.raises(InfrastructureError, match=os.strerror(errno.EMFILE)):
            read(path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert read(path) == b"x"


def test_a_mirror_that_cannot_be_read_has_not_lost_a_commit(tmp_path: Path) -> None:
    mirror = bare(tmp_path / "tree.git")
    assert git.commit_of(mirror, "v6.6") is None
    assert not git.is_ancestor(mirror, "v6.6", "v6.7")
    (mirror / "HEAD").unlink()
    with pytest.raises(InfrastructureError, match="not a git repository"):
        git.commit_of(mirror, "v6.6")
    with pytest.raises(InfrastructureError, match="not a git repository"):
        git.is_ancestor(mirror, "v6.6", "v6.7")


def test_what_a_server_says(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "vlag.toml"
    password = (server.secrets / "administrator").read_text().strip()
    there = make_conninfo(host="127.0.0.1", port=server.port, user="postgres", password=password)
    with psycopg.connect(f"{there} dbname=postgres", autocommit=True) as conn:
        for statement in ("CREATE DATABASE closed ALLOW_CONNECTIONS false",
                          "CREATE ROLE busy LOGIN CONNECTION LIMIT 0", "CREATE ROLE shut LOGIN",
                          "CREATE DATABASE others", "CREATE ROLE idle",
                          "REVOKE CONNECT ON DATABASE others FROM PUBLIC"):  # fmt: skip
            conn.execute(statement.encode())
        for role in ("busy", "shut", "idle"):
            conn.execute(f"ALTER ROLE {role} PASSWORD '{'x' * 12}'".encode())
    assert refusal(f"{there} dbname=postgres", path) is None
    # Nobody wrote anything wrong: it passes.
    said = refusal(f"{there} dbname=closed", path)
    assert said is not None
    assert "not currently accepting connections" in said
    busy = make_conninfo(there, user="busy", password="x" * 12, dbname="postgres")
    said = refusal(busy, path)
    assert said is not None
    assert "too many connections" in said
    nobody = refusal(make_conninfo(there, port=1, dbname="postgres"), path)
    assert nobody is not None
    assert "Connection refused" in nobody
    # So does a name server that is away.
    nowhere = refusal(make_conninfo(there, host="none.invalid", dbname="postgres"), path)
    assert nowhere is not None
    assert "failed to resolve host 'none.invalid'" in nowhere
    # A person wrote it.
    for changed, word in (
        ({"password": "wrong"}, "password authentication failed"),
        ({"dbname": "none"}, "does not exist"),
        ({"user": "shut", "password": "x" * 12, "dbname": "others"}, "permission denied"),
        ({"user": "idle", "password": "x" * 12}, "is not permitted to log in"),
    ):
        with pytest.raises(UsageError, match=word) as e:
            refusal(make_conninfo(f"{there} dbname=postgres", **changed), path)
        assert str(e.value).endswith(f"see [database] in {path}")
