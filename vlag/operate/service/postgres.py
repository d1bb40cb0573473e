# SPDX-License-Identifier: GPL-2.0-only
"""The private PostgreSQL cluster: its folder, its passwords, its server process.

The cluster lies in `state/postgres`, listens on 127.0.0.1 alone and belongs to
this installation.  PostgreSQL refuses to run as root, so root runs it as the
user `postgres`; anybody else runs it as oneself.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import pwd
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psycopg
from attrs import field, frozen

from vlag.config import Settings
from vlag.errors import AwayError, InfrastructureError, UsageError, blame, is_machines
from vlag.ownership import write_private
from vlag.store import views

DATABASES = ("vlag", "buildbot")
#: File beside the cluster: the digest of the statements that have bounded its reader.
_BOUNDED = "reader-bounds"
ROLE = "vlag"
#: The owner of all tables, and whoever may read the views.
ROLES = (ROLE, views.READER)

#: Folder of Debian's servers, one a major version.
_PROGRAMS = Path("/usr/lib/postgresql")

#: Seconds that a start may take, without its recovery, which replays the whole log.
START_S = 120
#: What a server says while it recovers.
_RECOVERS = "starting up"
#: Seconds a fast shutdown may take before the server is killed; the log heals that.
STOP_S = 30
#: Seconds that children of a killed server have to notice it.
CHILDREN_S = 5


@frozen(kw_only=True)
class Cluster:
    """A cluster that is ready to start."""

    data: Path
    port: int
    passfile: Path
    programs: Path
    prefix: tuple[str, ...]  # argv that becomes the cluster's user
    environment: Mapping[str, str] = field(repr=False)


def prepare(settings: Settings) -> Cluster:
    """Make folder, cluster, role and databases where they are missing.

    Raises UsageError for a port in use, missing programs or the cluster of another user,
    InfrastructureError with PostgreSQL's own words for anything else.
    """
    home = settings.state / "postgres"
    data = home / "data"
    programs = find_programs(_version_of(data))
    refuse_others(settings)
    owner = _owner()
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if owner is not None:
        os.chown(home, owner.pw_uid, owner.pw_gid)
    cluster = Cluster(
        data=data,
        port=settings.postgresql_port,
        passfile=settings.passfile,
        programs=programs,
        prefix=_become(owner, home),
        environment={"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"},
    )
    stop_leftover(settings)
    for draft in home.glob("draft*"):  # of killed starts
        shutil.rmtree(draft, ignore_errors=True)
    check_port(settings.postgresql_port, "postgresql", settings.path)
    known = _read_passwords(settings.passfile)
    passwords = {role: known.get(role) or secrets.token_urlsafe(24) for role in ROLES}
    if not data.exists():
        _make(cluster, home, passwords)
    elif lost := [role for role in ROLES if role not in known]:
        # The secrets are gone but the numbers are not: a new password costs nothing.
        # Nor has a cluster that an older version made the second role.
        _single_user(
            cluster, data, [s for role in lost for s in _role_statements(role, passwords[role])]
        )
        (home / _BOUNDED).unlink(missing_ok=True)  # the guard keeps the password of then
    _bound(cluster, home)
    _write_passwords(settings, passwords)
    return cluster


def _bound(cluster: Cluster, home: Path) -> None:
    """Bound the reader, once for each version of what bounds it."""
    statements = views.bounds()
    digest = hashlib.sha256("\n".join(statements).encode()).hexdigest()
    done = home / _BOUNDED
    if not done.exists() or done.read_text(encoding="ascii").strip() != digest:
        _single_user(cluster, cluster.data, statements, "vlag")
        done.write_text(digest + "\n", encoding="ascii")


def start(cluster: Cluster, log: Path) -> subprocess.Popen[bytes]:
    """Start the server in the foreground of its own process group; return when it answers.

    Raises InfrastructureError with the end of its log if it does not.
    """
    deadline = time.monotonic() + START_S
    while True:
        server = _spawn(cluster, log)
        try:
            while server.poll() is None:
                refusal = _refusal(cluster.port, cluster.passfile)
                if refusal is None:
                    return server
                if _RECOVERS in refusal:  # from the same point again, if it were started anew
                    deadline = time.monotonic() + START_S
                if time.monotonic() > deadline:
                    raise InfrastructureError(
                        f"PostgreSQL did not answer within {START_S} s; its log is {log}"
                    )
                time.sleep(0.1)
        except BaseException:  # a Ctrl-C too: nobody else knows of this process yet
            stop(server)
            raise
        message = tail(log)
        # Right after a kill the last children of the old server still hold its memory.
        if "pre-existing shared memory block" in message and time.monotonic() < deadline:
            time.sleep(0.5)
            continue
        raise InfrastructureError(f"PostgreSQL did not start; the end of {log}: {message}")


def stop(server: subprocess.Popen[bytes]) -> None:
    """Stop the server: fast shutdown, then the hard way."""
    for number, patience_s in ((signal.SIGINT, STOP_S), (signal.SIGQUIT, 5), (signal.SIGKILL, 5)):
        if server.poll() is not None:
            return
        server.send_signal(number)
        try:
            server.wait(patience_s)
        except subprocess.TimeoutExpired:
            continue


def find_programs(version: str | None = None, root: Path = _PROGRAMS) -> Path:
    """Return Debian's folder of server programs: of that major version, or the newest."""
    folders = {p.parent.parent.name: p.parent for p in root.glob("*/bin/initdb")}
    if version is not None:
        if version in folders:
            return folders[version]
        raise UsageError(
            f"the database under the state folder was made by PostgreSQL {version}, which is not "
            f"installed: `make setup` installs postgresql-{version}, from an older release of "
            "Debian where this one lacks it (docs/backup.md, A newer PostgreSQL)"
        )
    if not folders:
        raise UsageError(
            f"no PostgreSQL server under {root}: install the Debian package postgresql "
            f"(`make setup` does it)"
        )
    return folders[max(folders, key=lambda name: [int(part) for part in name.split(".")])]


def outlook(settings: Settings, root: Path = _PROGRAMS) -> str | None:
    """Return what an upgrade of the system does to the private cluster, or None without one."""
    version = _version_of(settings.state / "postgres" / "data")
    if settings.database is not None or version is None:
        return None
    read = "(docs/backup.md, A newer PostgreSQL)"
    there = {p.parent.parent.name for p in root.glob("*/bin/initdb")}
    if version not in there:
        return (
            f"PostgreSQL {version}, which runs it, is no longer installed: back up now, while it"
            f" runs {read}"
        )
    newer = sorted((v for v in there if float(v) > float(version)), key=float)
    if newer:
        return (
            f"it is of PostgreSQL {version}, and {newer[-1]} is installed: move it before"
            f" {version} is removed {read}"
        )
    return (
        f"it is of PostgreSQL {version}, which another release of Debian lacks: back up before you"
        f" upgrade the system {read}"
    )


def check_port(port: int, key: str, path: Path, address: str = "127.0.0.1") -> None:
    """Raise UsageError if something listens on that port of an address of this machine already."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as probe:
        # As servers do: connections of an earlier server that linger are no obstacle.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as e:
            raise blame(
                e,
                f"port {port} on {address} cannot be used ({e.strerror}): stop what uses it, or "
                f"change {key} under [ports] in {path}",
            ) from e


def tail(log: Path, lines: int = 3) -> str:
    """Return the last lines of a log in one line."""
    try:
        with log.open("rb") as f:
            f.seek(max(0, log.stat().st_size - 4096))
            text = f.read().decode(errors="replace")
    except OSError:
        return "(no log)"
    texts = [line.strip() for line in text.splitlines() if line.strip()]
    return " | ".join(texts[-lines:]) or "(empty log)"


def refuse_others(settings: Settings) -> None:
    """Raise UsageError if the cluster is there and belongs to another user than would run it."""
    data = settings.state / "postgres" / "data"
    try:
        there = data.stat().st_uid
    except FileNotFoundError:
        return
    except PermissionError:
        there = (settings.state / "postgres").stat().st_uid
    ours = owner.pw_uid if (owner := _owner()) else os.geteuid()
    if there == ours:
        return
    try:
        name = pwd.getpwuid(there).pw_name
    except KeyError:
        name = f"the user of number {there}"
    who = "root" if name == "postgres" else name
    raise UsageError(
        f"the database under {settings.state} belongs to {name}: run this as {who}, so that it"
        " stays theirs"
    )


def _owner() -> pwd.struct_passwd | None:
    """Return the user that root becomes; None: run as oneself."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        raise UsageError(
            "PostgreSQL refuses to run as root and there is no user postgres: install the Debian "
            "package postgresql (`make setup` does it)"
        ) from None


def _become(owner: pwd.struct_passwd | None, home: Path) -> tuple[str, ...]:
    """Return the argv prefix under which the cluster's programs run."""
    # Whatever kills us without a word must not leave a server behind.
    prefix = ["setpriv", "--pdeathsig", "INT"]
    if owner is not None:
        prefix += [f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"]
        if not all(_may_enter(folder, owner) for folder in home.parents):
            # A checkout in a folder of mode 0700 (root's home, mktemp -d): the server
            # must pass through folders that only root may enter.  This one capability
            # lets it search and read, not write, and its data stay its own.
            prefix += ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    return (*prefix, "--")


def _may_enter(folder: Path, user: pwd.struct_passwd) -> bool:
    """Tell whether a user without other groups may pass through a folder."""
    status = folder.stat()
    if status.st_uid == user.pw_uid:
        return bool(status.st_mode & stat.S_IXUSR)
    if status.st_gid == user.pw_gid:
        return bool(status.st_mode & stat.S_IXGRP)
    return bool(status.st_mode & stat.S_IXOTH)


def _make(cluster: Cluster, home: Path, passwords: Mapping[str, str]) -> None:
    """Make the cluster beside its final place, so that one that is half made is never used."""
    # A name of its own: what a killed start has left may still write into its draft for a moment.
    draft, superuser = home / f"draft-{secrets.token_hex(4)}", home / "superuser"
    # Nobody ever logs in as the superuser: administration is done in single-user mode.
    superuser.touch(mode=0o600)
    superuser.write_text(secrets.token_urlsafe(24) + "\n", encoding="ascii")
    status = home.stat()
    os.chown(superuser, status.st_uid, status.st_gid)
    _call(
        cluster,
        [
            "initdb",
            f"--pgdata={draft}",
            "--username=postgres",
            f"--pwfile={superuser}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            # A block that a failing disk has changed is an error, never a figure.
            "--data-checksums",
        ],
    )
    superuser.unlink()
    statements = [s for role in ROLES for s in _role_statements(role, passwords[role])]
    statements += [f"CREATE DATABASE {name} OWNER {ROLE}" for name in DATABASES]
    _single_user(cluster, draft, statements)
    draft.rename(cluster.data)


def _role_statements(role: str, password: str) -> list[str]:
    """Return what makes a role where it is missing, one line each, and sets its password."""
    create = f"CREATE ROLE {role} LOGIN"
    there = f"SELECT FROM pg_roles WHERE rolname = '{role}'"
    return [
        f"DO $$BEGIN IF NOT EXISTS ({there}) THEN {create}; END IF; END$$",
        f"ALTER ROLE {role} PASSWORD '{password}'",
        *(views.LIMIT_READER if role == views.READER else ()),
    ]


def _single_user(
    cluster: Cluster, data: Path, statements: Sequence[str], database: str = "postgres"
) -> None:
    """Run statements, one line each, as the superuser while no server runs."""
    output = _call(
        cluster,
        ["postgres", "--single", "-D", str(data), database],
        "".join(f"{statement};\n" for statement in statements),
    )
    # Single-user mode ends with 0 even where a statement failed.
    wrong = next((line for line in output.splitlines() if "ERROR:" in line), None)
    if wrong:
        message = f"PostgreSQL refused a statement: {wrong}"
        raise (
            AwayError(message) if is_machines(wrong) else InfrastructureError(message, retry=False)
        )


def _call(cluster: Cluster, argv: Sequence[str], text: str = "") -> str:
    done = subprocess.run(
        [*cluster.prefix, str(cluster.programs / argv[0]), *argv[1:]],
        input=text,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd="/",
        env=dict(cluster.environment),
        check=False,
    )
    if done.returncode:
        lines = done.stdout.strip().splitlines() or ["no message"]
        # What a program that fails does at last is of less use than why.
        why = next(filter(is_machines, lines), lines[-1])
        message = f"{argv[0]} in {cluster.data.parent} failed: {why}"
        raise AwayError(message) if is_machines(why) else InfrastructureError(message)
    return done.stdout


def _spawn(cluster: Cluster, log: Path) -> subprocess.Popen[bytes]:
    options = {
        "listen_addresses": "127.0.0.1",
        "port": str(cluster.port),
        "unix_socket_directories": "",  # their path is limited to 107 characters; nobody needs them
        "timezone": "UTC",
        "log_timezone": "UTC",
    }
    with log.open("ab") as out:
        return subprocess.Popen(
            [
                *cluster.prefix,
                str(cluster.programs / "postgres"),
                "-D",
                str(cluster.data),
                *(word for k, v in options.items() for word in ("-c", f"{k}={v}")),
            ],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=dict(cluster.environment),
            process_group=0,  # a Ctrl-C of the terminal is for us to pass on, in order
        )


def is_up(settings: Settings) -> bool:
    """Return whether the private cluster of an installation answers."""
    return settings.passfile.exists() and not _refusal(settings.postgresql_port, settings.passfile)


def _refusal(port: int, passfile: Path) -> str | None:
    """Return why the server does not answer; None: it does."""
    try:
        psycopg.connect(
            f"host=127.0.0.1 port={port} user={ROLE} dbname=vlag connect_timeout=5"
            f" passfile='{passfile}'"
        ).close()
    except psycopg.OperationalError as e:
        if (lacks := os.strerror(errno.EMFILE)) in str(e):  # it answers, and we cannot ask
            raise InfrastructureError(f"PostgreSQL cannot be asked: {lacks.lower()}") from e
        return str(e)
    return None


def _version_of(data: Path) -> str | None:
    try:
        return (data / "PG_VERSION").read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return None


def stop_leftover(settings: Settings) -> None:
    """Stop a server of this cluster that outlived a service that was killed, and its children.

    Its pid file alone proves nothing: after a kill and a reboot the number may
    belong to anybody, and PostgreSQL would refuse to start because of it.
    """
    data = settings.state / "postgres" / "data"
    _stop_server(data)
    _end_children(data)


def _stop_server(data: Path) -> None:
    pidfile = data / "postmaster.pid"
    try:
        text = pidfile.read_text(encoding="utf-8")
    except FileNotFoundError:
        return
    try:
        number = int(text.split("\n", 1)[0])
    except ValueError:  # a power cut left it without its content, which no server starts with
        number = next(filter(lambda pid: _is_server(pid, data), _processes()), 0)
    # Negative: it has no clients, and runs the statements of a start that was killed.
    pid, end = abs(number), signal.SIGINT if number > 0 else signal.SIGTERM
    if not _is_server(pid, data):
        pidfile.unlink()
        return
    for sent, patience_s in ((end, STOP_S), (signal.SIGKILL, 5)):
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            os.kill(pid, sent)
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline:
            if not _is_server(pid, data):
                return
            time.sleep(0.1)


def _end_children(data: Path) -> None:
    """End what a killed server has left: one that computes does not notice, and no server starts.

    It is lost already: the next start recovers.
    """
    deadline = time.monotonic() + CHILDREN_S
    while children := [pid for pid in _processes() if _is_child(pid, data)]:
        if time.monotonic() > deadline:
            for pid in children:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            deadline = time.monotonic() + CHILDREN_S
        time.sleep(0.1)


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()]


def _is_child(pid: int, data: Path) -> bool:
    """Return whether a process works for a server of the cluster: in its folder, by its name."""
    try:
        title = Path(f"/proc/{pid}/cmdline").read_bytes()
        return title.startswith(b"postgres: ") and Path(f"/proc/{pid}/cwd").samefile(data)
    except OSError:
        return False


def _is_server(pid: int, data: Path) -> bool:
    try:
        argv = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return Path(os.fsdecode(argv[0])).name in {"postgres", "setpriv"} and os.fsencode(data) in argv


def _read_passwords(passfile: Path) -> dict[str, str]:
    """Return the password of each role that the file has."""
    try:
        lines = passfile.read_text(encoding="ascii").splitlines()
    except FileNotFoundError:
        return {}
    fields = (line.strip().split(":") for line in lines)
    return {f[3]: f[4] for f in fields if len(f) == 5 and f[4]}


def _write_passwords(settings: Settings, passwords: Mapping[str, str]) -> None:
    """Write libpq's password file again: the port may have changed."""
    passfile = settings.passfile
    passfile.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    passfile.parent.chmod(0o700)
    at = f"127.0.0.1:{settings.postgresql_port}:*"
    write_private(passfile, "".join(f"{at}:{role}:{word}\n" for role, word in passwords.items()))
