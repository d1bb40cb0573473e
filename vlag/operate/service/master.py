# SPDX-License-Identifier: GPL-2.0-only
"""Buildbot's master: its folder, its database, its start, and its first night."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from vlag import ROOT
from vlag.buildbot import Web, is_asked_again
from vlag.config import Settings
from vlag.errors import InfrastructureError, UsageError
from vlag.operate import buildbot_rows
from vlag.operate.service import folders, postgres, revisions
from vlag.operate.service.processes import Processes, program
from vlag.ownership import make_folder
from vlag.store.database import connect

#: Seconds until a master answers; each one in a row that did not leaves the next one twice as many,
#: so that a machine that is busy all day gets there.
MASTER_START_S, MASTER_START_MOST_S = 120, 3600
#: In a master's folder: where its server listens, for the process of the pages alone.
SOCKET = "web.sock"
#: File of a master's folder: each secret that it reads at its start alone, and which version.
_READ_SECRETS = "secrets-read.json"

#: Between these lines of its log Buildbot names what is wrong with its configuration.
_ERRORS, _HALTING = "Configuration Errors:", "Halting master."
#: With this the upgrade of its tables does.
_REFUSED = "Errors loading configuration"

_TAC = """# Written by `vlag serve` at each start.
from buildbot.master import BuildMaster
from twisted.application import service

configfile = {configuration!r}  # `buildbot upgrade-master` looks for this name
application = service.Application('buildmaster')
BuildMaster({basedir!r}, configfile).setServiceParent(application)
"""


def web_of(settings: Settings) -> Web:
    """Return the API of the master, as reached from its own machine."""
    return Web(settings.web_port, settings.web_host, settings.control_file)


def folder(settings: Settings) -> Path:
    """Return the folder of a master: each non-leading master has its own."""
    if settings.leads or settings.master is None:
        return settings.state / "master"
    return settings.state / f"master-{settings.master.name}"


def renewed(settings: Settings) -> list[Path]:
    """Return the secrets that a master has read at its start and that were written since."""
    try:
        read = json.loads((folder(settings) / _READ_SECRETS).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # no start yet, or not for whoever asks
        return []
    return [Path(path) for path, then in read.items() if _version(Path(path)) not in (None, then)]


def _version(path: Path) -> list[int] | None:
    """Return what tells a file from the one that takes its place, or None if it cannot be seen."""
    try:
        status = path.stat()
    except OSError:
        return None
    return [status.st_ino, status.st_mtime_ns, status.st_size]


def migrate(settings: Settings) -> None:
    """Migrate vlag's own tables.

    Raises InfrastructureError if they, or Buildbot's, are newer than this code.
    """
    from vlag.store.run_values import migrate as apply  # noqa: PLC0415 - needs numpy only now

    # Before either is changed: an older checkout must not migrate only one of them.
    revisions.refuse_newer({name: settings.dsn(name) for name in postgres.DATABASES})
    apply(settings.dsn())


def git_environment(settings: Settings) -> Mapping[str, str]:
    """Return the environment with which git trusts mirrors that another user owns.

    Workers make the mirrors, and only root can boot boards.  The git that serves a mirror
    accepts this setting only from a file, not from a command line.
    """
    path = settings.state / "master" / "gitconfig"
    own = os.environ.get("GIT_CONFIG_GLOBAL") or "~/.gitconfig"
    lines = [f"[include]\n\tpath = {own}\n[safe]\n"]
    lines += [f"\tdirectory = {settings.mirror(tree)}\n" for tree in settings.trees]
    path.write_text("".join(lines), encoding="utf-8")
    return {"GIT_CONFIG_GLOBAL": str(path)}


def start(processes: Processes, web: Web) -> int:
    """Start the master and wait until it answers; return the first build id of this start.

    Raises UsageError if Buildbot refuses its configuration, InfrastructureError
    if it does not answer.
    """
    settings = processes.settings
    basedir = folder(settings)
    make_folder(basedir)
    configuration = ROOT / "master" / "master.cfg"
    (basedir / "buildbot.tac").write_text(
        _TAC.format(basedir=str(basedir), configuration=str(configuration)), encoding="utf-8"
    )
    with folders.upgrading(settings.state):
        if not _is_current(settings):
            _upgrade(processes, basedir)
    with connect(settings.dsn("buildbot")) as conn, conn.transaction():
        if settings.leads:
            buildbot_rows.rename_pushes(conn)
        since = 1 + buildbot_rows.last_build(conn)  # before anything can begin
    for secret in (settings.control_file, settings.push_hook_file):
        folders.make_secret(settings, secret.name)
    # All other secrets are read where they are used.
    once = {str(path): _version(path) for path in (settings.worker_password_file,)}
    (basedir / _READ_SECRETS).write_text(json.dumps(once) + "\n", encoding="utf-8")
    # Of a master that was killed: no other would listen there.
    (basedir / SOCKET).unlink(missing_ok=True)
    # A killed master equals a crashed one, which its database survives; a worker needs
    # the time to kill its processes.
    processes.twistd("master", basedir, basedir / "buildbot.tac", "KILL")
    await_answer(processes, web.answers)
    if len(settings.masters) < 2:  # else master/multimaster/abandoned.py finds them
        _cancel_abandoned_requests(web, since)
    return since


def await_answer(processes: Processes, answers: Callable[[], bool]) -> None:
    """Wait until a master that was started answers; raise InfrastructureError if it does not."""
    limit_s = min(MASTER_START_S * 2**processes.unanswered, MASTER_START_MOST_S)
    deadline = time.monotonic() + limit_s
    while not answers():
        _refuse_errors(processes)
        processes.watch()
        if time.monotonic() > deadline:
            processes.unanswered += 1
            raise InfrastructureError(f"Buildbot did not answer within {limit_s} s")
        time.sleep(0.2)
    processes.unanswered = 0


def request(web: Web, name: str) -> int:
    """Return the request of what is due, a builder's: an interrupted one, or a new one."""
    there = waiting(web, name)
    if there is not None:
        return there
    answer = web.control(f"/forceschedulers/{name}-now", "force", reason="a first start")
    return int(next(iter(answer[1].values())))


def waiting(web: Web, name: str) -> int | None:
    """Return a builder's oldest request that is not over; None: it has none."""
    [builder] = web.get("/builders", name=name)
    requests = web.get(
        "/buildrequests",
        builderid=builder["builderid"],
        complete="false",
        order="buildrequestid",
    )
    return int(requests[0]["buildrequestid"]) if requests else None


def is_requested(settings: Settings, name: str) -> bool:
    """Return whether a builder has a request that is not over; the master need not run."""
    with connect(settings.dsn("buildbot")) as conn:
        return buildbot_rows.is_requested(conn, name)


def _is_current(settings: Settings) -> bool:
    """Return whether Buildbot's tables are up to date.

    Raises UsageError if they need an upgrade while other masters use them.
    """
    with connect(settings.dsn("buildbot")) as conn:
        if revisions.are_buildbots_newest(conn):
            if len(settings.masters) < 2:
                # As its upgrade does: no other master runs.
                buildbot_rows.end_masters(conn)
            return True
        if len(settings.masters) < 2 or not revisions.of(conn):
            return False
        # The upgrade would declare them dead.
        others = buildbot_rows.masters_at_work(conn, settings.takeover_s)
    if others:
        raise UsageError(
            f"Buildbot's tables must be upgraded, and {others} of its masters use them: stop all"
            f" masters (one that was killed counts for {settings.takeover_s} s more), then start"
            " this one"
        )
    return False


def _upgrade(processes: Processes, basedir: Path) -> None:
    done = subprocess.run(
        [program("buildbot"), "upgrade-master", "--quiet", str(basedir)],
        env=processes.environment(),
        cwd=basedir,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        message = " | ".join([li.strip() for li in done.stdout.splitlines() if li.strip()][-3:])
        if _REFUSED in done.stdout:
            raise UsageError(f"Buildbot refuses its configuration: {message}")
        # Nothing is lost: the next start upgrades the tables.
        raise InfrastructureError(f"Buildbot's tables were not upgraded: {message}")


def _refuse_errors(processes: Processes) -> None:
    """Raise UsageError if the master has ended because of its configuration."""
    if processes.running["master"].poll() is None:
        return
    lines = processes.log_of("master").read_text(encoding="utf-8", errors="replace").splitlines()
    messages = [line.partition("[-] ")[2].strip() for line in lines]
    if _ERRORS in messages:
        errors = itertools.takewhile(
            lambda line: line != _HALTING, messages[messages.index(_ERRORS) + 1 :]
        )
        raise UsageError(f"Buildbot refuses its configuration: {' | '.join(errors)}")


def _cancel_abandoned_requests(web: Web, since: int) -> None:
    """Cancel requests of an interrupted build from before this start: it will repeat them.

    Workers may be connected already: builds that began since are left alone.
    """
    for request in web.get("/buildrequests", complete="false"):
        for buildset in web.get(f"/buildsets/{request['buildsetid']}"):
            parent = buildset.get("parent_buildid")
            if parent is None or parent >= since:
                continue
            ended = (b["results"] for b in web.get(f"/builds/{parent}") if b["complete"])
            if is_asked_again(request, next(ended, None)):
                web.control(
                    f"/buildrequests/{request['buildrequestid']}",
                    "cancel",
                    reason="asked again",
                )
