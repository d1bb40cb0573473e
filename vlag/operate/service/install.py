# SPDX-License-Identifier: GPL-2.0-only
"""A unit of systemd for an installation on one machine: it comes back after a reboot."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from attrs import frozen

from vlag import ROOT
from vlag.config import Settings
from vlag.errors import InfrastructureError, UsageError, blame
from vlag.operate.service import prerequisites

log = logging.getLogger(__name__)

#: systemd runs where this is (sd_booted(3)).
BOOTED = Path("/run/systemd/system")
_SYSTEM = Path("etc/systemd/system")
_USER = Path("systemd/user")
#: First line of a unit that we wrote.
OURS = "# Written by `vlag service install`: changes here are not kept."

_UNIT = """{ours}
[Unit]
Description=vlag: the scheduler's performance, kernel by kernel ({state})
Documentation=file://{root}/docs/operate.md
Wants=network-online.target
After=network-online.target
RequiresMountsFor={mounts}
StartLimitIntervalSec=0

[Service]
Type=notify
TimeoutStartSec=infinity
WatchdogSec=5min
WorkingDirectory={root}
Environment="VLAG_SETTINGS={settings}" "LANG=C.UTF-8" "PATH={path}"
ExecStart="{program}" serve
ExecReload=/bin/kill -HUP $MAINPID
# A build gets a control group of its own below that of the service.
Delegate=cpu memory pids
Restart=always
RestartPreventExitStatus=2
RestartSec=2
# The service stops its parts itself; those that outlive it are killed at once.  A signal to all
# would make PostgreSQL wait for connections that nobody closes, and the restart for PostgreSQL.
KillMode=mixed
TimeoutStopSec=3min

[Install]
WantedBy={target}
"""


@frozen(kw_only=True)
class Unit:
    """A unit of the system, or of a user, below the root of a file system."""

    user: bool
    root: Path = Path("/")  # another one for a machine that does not run
    name: str = "vlag"

    @property
    def path(self) -> Path:
        """Return its file."""
        if not self.user:
            return self.root / _SYSTEM / self.file
        home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
        return Path(home) / _USER / self.file

    @property
    def file(self) -> str:
        """Return the name of its file."""
        return f"{self.name}.service"

    def manage(self, *words: str) -> None:
        """Call systemctl; InfrastructureError with its words if it fails."""
        where = ["--user"] if self.user else [f"--root={self.root}"] if self.is_elsewhere else []
        argv = ["systemctl", *where, *words]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        if done.returncode:
            message = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
            raise InfrastructureError(f"`{' '.join(argv)}` failed: {message}", retry=False)

    @property
    def is_elsewhere(self) -> bool:
        """Return whether it is of a machine that does not run."""
        return self.root != Path("/")

    @property
    def runs(self) -> bool:
        """Return whether the service manager of this unit runs."""
        return not self.is_elsewhere and BOOTED.is_dir()


def text_of(settings: Settings, *, user: bool) -> str:
    """Return the text of the unit; UsageError for a path that no unit can name."""
    program = Path(sys.executable).parent / "vlag"
    path = os.pathsep.join([str(program.parent), "/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
                            "/usr/bin", "/sbin", "/bin"])  # fmt: skip
    paths = (ROOT, settings.path, settings.state, program)
    for one in paths:
        if re.search(r'[\s"\\$%]', str(one)):
            raise UsageError(
                f"{one}: systemd cannot take a path with a space, a quote, a backslash, $ or %;"
                " move it"
            )
    return _UNIT.format(
        ours=OURS,
        root=ROOT,
        state=settings.state,
        mounts=f"{ROOT} {settings.state}",
        settings=settings.path,
        path=path,
        program=program,
        target="default.target" if user else "multi-user.target",
    )


def install(settings: Settings, unit: Unit) -> None:
    """Write the unit, let it start with the machine, and start it now where systemd runs.

    Raises UsageError for what prevents the service from running here, or for a file of that name
    that somebody else wrote.
    """
    _find_systemctl()
    text = text_of(settings, user=unit.user)
    _refuse_others(unit)
    before = unit.path.read_text(encoding="utf-8") if unit.path.exists() else None
    if before is None:
        # Where it runs already, its own ports are in use.
        for problem in (problems := prerequisites.check(settings))[:-1]:
            log.info(problem)
        if problems:
            raise UsageError(problems[-1])
    if before != text:
        try:
            unit.path.parent.mkdir(parents=True, exist_ok=True)
            unit.path.write_text(text, encoding="utf-8")
        except OSError as e:
            raise blame(e, f"{unit.path}: cannot be written ({e.strerror})") from e
        log.info(f"wrote {unit.path}")
    if not unit.runs:
        unit.manage("enable", unit.file)
        log.info("it starts with the machine; systemd does not run here now")
        return
    unit.manage("daemon-reload")
    unit.manage("enable", unit.file)
    log.info(
        f"starting {unit.file}; `journalctl {'--user ' * unit.user}-fu {unit.name}` follows it"
    )
    unit.manage("restart" if before not in (None, text) else "start", "--no-block", unit.file)
    log.info(f"it starts with the machine; its pages will be at {settings.url}")
    if unit.user:
        log.info("it stops when you sign out, unless `loginctl enable-linger` was called")


def remove(unit: Unit) -> None:
    """Stop the unit and take it away; the installation and its state stay."""
    _find_systemctl()
    if not unit.path.exists():
        raise UsageError(f"{unit.path} is not there: nothing was installed")
    _refuse_others(unit)
    unit.manage("disable", *(["--now"] if unit.runs else []), unit.file)
    unit.path.unlink()
    if unit.runs:
        unit.manage("daemon-reload")
    log.info(f"removed {unit.path}; kernels, runs and the database stay")


def _refuse_others(unit: Unit) -> None:
    """Raise UsageError if somebody else wrote a unit of that name."""
    if unit.path.exists() and not unit.path.read_text(encoding="utf-8").startswith(OURS):
        raise UsageError(
            f"{unit.path} was not written by `vlag service install`: move it away first, or give"
            " this one another --name"
        )


def _find_systemctl() -> None:
    if shutil.which("systemctl") is None:
        raise UsageError("the program systemctl is missing: only systemd's units can be installed")
