# SPDX-License-Identifier: GPL-2.0-only
"""systemd's own rating of the units that Ansible writes: how much a service could reach."""

from __future__ import annotations

import pwd
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import sandboxes
from tests.unit.units import ROLES, WORKER_UNIT, written
from vlag.sandbox import bubblewrap

UNITS = sorted(ROLES.glob("*/templates/vlag-*.service.j2"))
#: The highest exposure (10: no protection at all) that is allowed.
HIGHEST = 3.0
#: Runs a command that may not use a system call: EPERM, as systemd's filters say.
_FORBIDDING = """
import ctypes, os, struct, sys
rows = ((0x20, 0, 0, 0), (0x15, 0, 1, int(sys.argv[1])), (6, 0, 0, 0x50001), (6, 0, 0, 0x7fff0000))
program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))
told = struct.pack("HxxxxxxP", len(rows), ctypes.addressof(program))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, told) == 0
os.execvp(sys.argv[2], sys.argv[2:])
"""
#: Numbers of system calls: x86-64 only, like the farm.
_CALLS = {"reboot": 169, "sethostname": 170, "mount": 165, "capset": 126, "prlimit64": 302}
_REASON = re.compile(r"(?m)^# open: (\S+=\S*): (\S.{9,})$")


def exposure(folder: Path, template: Path, drop: str = "") -> float:
    """Return what `systemd-analyze security` says of a unit's file; no systemd has to run."""
    unit = folder / template.stem
    unit.write_text(written(template, drop))
    return rated(unit)[0]


def rated(unit: Path) -> tuple[float, set[str]]:
    """Return a unit's rating, and what it leaves open."""
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", unit],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert found, done.stderr
    return float(found[1]), set(re.findall(r"(?m)^✗ (\S+)", done.stdout))


@pytest.mark.parametrize("template", UNITS, ids=lambda path: path.name)
def test_a_unit_reaches_no_more_than_it_must(tmp_path: Path, template: Path) -> None:
    assert exposure(tmp_path, template) <= HIGHEST


@pytest.mark.parametrize(
    ("name", "drop"),
    [
        ("vlag-master.service.j2", "(?:Capability|System|Restrict)\\w+"),
        ("vlag-worker.service.j2", "CapabilityBoundingSet"),
        ("vlag-worker.service.j2", "User"),
    ],
)
def test_less_protection_is_seen(tmp_path: Path, name: str, drop: str) -> None:
    """Negative control."""
    [template] = [path for path in UNITS if path.name == name]
    assert exposure(tmp_path, template, drop) > HIGHEST


@pytest.mark.parametrize("drop", ["", "PrivateDevices", "RestrictRealtime"])
def test_what_the_worker_leaves_open_has_its_reason(tmp_path: Path, drop: str) -> None:
    """What is dropped is the negative control: nothing explains it."""
    unit = tmp_path / WORKER_UNIT.stem
    unit.write_text(written(WORKER_UNIT, drop))
    named = [name for name, _reason in _REASON.findall(unit.read_text())]
    assert len(named) == len(set(named))
    left_open = rated(unit)[1]
    assert bool(left_open - set(named)) == bool(drop)
    if not drop:
        assert set(named) == left_open, "closed meanwhile"


@pytest.mark.parametrize(
    ("forbidden", "said"),
    [
        ("reboot", ""),
        ("sethostname", "Can't set hostname"),  # as ProtectHostname= does
        ("mount", "Failed to make / slave"),
        ("capset", "cap"),
        ("prlimit64", "prlimit"),
    ],
)
def test_a_build_has_its_sandbox_with_what_the_worker_may_and_no_less(
    tmp_path: Path, forbidden: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An ordinary user without capabilities; what the unit leaves open is needed."""
    tmp_path.chmod(0o755)
    # This interpreter's home may be closed to others, and `true` needs none.
    monkeypatch.setattr(bubblewrap, "_python", list)
    rules, who = sandboxes.rules(), pwd.getpwnam(sandboxes.user())
    build = bubblewrap.command(
        ["true"], rules=rules, who=bubblewrap.Who(uid=who.pw_uid, gid=who.pw_gid, change=False),
        read=[], write=[], environment={}, cwd=Path("/"),
    )  # fmt: skip
    words = [
        sys.executable, "-c", _FORBIDDING, str(_CALLS[forbidden]), "setpriv",
        f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}", "--clear-groups",
        "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", *build,
    ]  # fmt: skip
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (said == ""), done.stderr
    assert said in done.stderr


def test_every_unit_of_ours_is_rated() -> None:
    services = {path for path in ROLES.glob("*/templates/*") if "ExecStart=" in path.read_text()}
    assert services == set(UNITS)
    assert len(UNITS) == 4
