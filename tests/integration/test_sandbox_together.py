# SPDX-License-Identifier: GPL-2.0-only
"""All processes of a build together: their memory, number and CPU time, and that none is left.

Each bound has its control: the same where the machine has no groups.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from attrs import evolve

from tests import sandboxes
from tests.integration.sandboxed import Place
from tests.integration.sandboxed import place as place  # noqa: PLC0414 - a fixture
from tests.waiting import until
from vlag.sandbox import NONE, USER, Ended, Sandbox, cgroup

HERE = {name for of in cgroup.hierarchies() for name in of.controllers}


def needs(controller: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        controller not in HERE, reason=f"no group with {controller} can be made here"
    )


def no_groups(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(cgroup, "_mounts", dict)


def left() -> list[Path]:
    return [f for of in cgroup.hierarchies() for f in of.folder.glob(f"vlag-build-{os.getpid()}-*")]


def runs(pid: int) -> bool:
    """Return whether a process goes on; one that has ended may wait for whoever reaps it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


#: Four processes that have 60 MB or more each at the same time, and say so.
EAT = (
    "perl -e 'pipe(R, W); $$SIG{CHLD} = sub { kill 9, @p; exit 1 }; for (1..4) { $$p = fork;"
    ' if (!$$p) { $$x = "a" x 60_000_000; syswrite(W, "x"); sleep 600; exit } push @p, $$p }'
    ' for (1..4) { sysread(R, $$b, 1) } $$SIG{CHLD} = "DEFAULT"; print "all\\n"; kill 9, @p\''
)


@needs(cgroup.MEMORY)
def test_memory_that_no_single_process_has(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    ended, said = place.make(EAT, memory_mb=300, total_memory_mb=150, wall_s=20)
    assert "all" not in said.splitlines()
    sentence = "its processes together needed more than 150 MB of memory"
    assert sentence in str(ended.machine), said
    assert ended.stopped is not None
    # Control: so much as it needs; and, on a machine without groups, any number of them.
    assert "all" in place.make(EAT, memory_mb=300, total_memory_mb=500)[1].splitlines()
    no_groups(monkeypatch)
    assert "all" in place.make(EAT, memory_mb=300, total_memory_mb=150)[1].splitlines()


@needs(cgroup.PROCESSES)
def test_processes_of_root_are_counted_too(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel's limit for a user does not hold root, and counts others' processes."""
    forks = (
        "perl -e 'while ($$n < 90) { $$p = fork; last if !defined $$p;"
        ' if (!$$p) { sleep 600; exit } $$n++; push @p, $$p } print "forked $$n\\n"; kill 9, @p\''
    )
    _, said = place.make(forks, NONE, processes=40)
    assert 0 < int(said.partition("forked ")[2].split()[0]) < 40
    no_groups(monkeypatch)
    if os.geteuid() == 0:
        assert "forked 90" in place.make(forks, NONE, processes=40)[1]


@needs(cgroup.PROCESSES)
def test_a_build_takes_no_process_from_another(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel's limit for a user makes an honest build fail beside one that forks."""
    full, other = place.output / "full", evolve(place, source=tmp_path / "other")
    other.source.mkdir()
    forks = (
        "perl -e 'while (defined(my $$p = fork)) { if (!$$p) { sleep 600; exit } push @p, $$p }"
        f' open F, ">{full}"; close F; sleep 1 while -e "{full}"; kill 9, @p\''
    )

    def beside() -> int:
        with ThreadPoolExecutor() as pool:
            hostile = pool.submit(place.make, forks, processes=60)
            try:
                until(full.exists, lambda: str(hostile))
                return other.make("true & true & true & true", processes=60)[0].status
            finally:
                full.unlink()
                hostile.result()

    assert beside() == 0
    no_groups(monkeypatch)
    assert beside() != 0


@needs(cgroup.CPU)
def test_any_number_of_processes_weighs_as_one_for_each_processor(place: Place) -> None:
    found: list[str] = []

    def look(_line: str) -> None:
        found.extend(
            (folder / name).read_text().strip()
            for folder in left()
            for name in ("cpu.weight", "cpu.shares")
            if (folder / name).exists()
        )

    sandbox = Sandbox(rules=sandboxes.rules(), read=(place.source,), write=(place.output,))
    sandbox.prepare()
    assert sandbox.run(["echo", "on"], cwd=place.source, line=look) == Ended(status=0)
    assert found in ([str(100 * (os.cpu_count() or 1))], [str(1024 * (os.cpu_count() or 1))])
    assert left() == []


@needs(cgroup.PROCESSES)
def test_a_process_that_detaches_itself_ends_with_its_build(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where no namespace ends it: in a container."""
    pid = place.output / "pid"
    leaves = f"setsid sh -c 'echo $$$$ > {pid}; exec sleep 600' >/dev/null 2>&1 & "
    leaves += f"while ! [ -s {pid} ]; do :; done"
    assert place.make(leaves, USER)[0].status == 0
    assert not runs(int(pid.read_text()))
    assert left() == []
    pid.unlink()
    no_groups(monkeypatch)
    assert place.make(leaves, USER)[0].status == 0
    assert runs(int(pid.read_text()))  # control
    os.kill(int(pid.read_text()), signal.SIGKILL)


@needs(cgroup.PROCESSES)
def test_groups_of_a_service_that_was_killed_go_with_the_next_build(place: Place) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    [of] = [h for h in cgroup.hierarchies() if cgroup.PROCESSES in h.controllers]
    old, own = (of.folder / f"vlag-build-{pid}-7" for pid in (gone.pid, os.getppid()))
    old.mkdir()
    own.mkdir()
    orphan = subprocess.Popen(["sleep", "600"])
    try:
        (old / "cgroup.procs").write_text(str(orphan.pid))
        assert place.make("true")[0].status == 0
        assert orphan.wait(30) == -signal.SIGKILL
        until(lambda: not old.exists(), str)
        assert own.exists()  # control: that of a process which goes on
    finally:
        own.rmdir()
        orphan.kill()


def test_what_is_not_bounded_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if {cgroup.MEMORY, cgroup.PROCESSES, cgroup.CPU} == HERE:
        assert cgroup.bounds() == (
            "all processes of a build together are bounded in memory, number and CPU time"
        )
    # systemd runs, and gave this service no group to divide.
    (tmp_path / "cgroup.procs").touch()
    (tmp_path / "cgroup.controllers").write_text("memory pids\n")
    (tmp_path / "cgroup.subtree_control").write_text("memory pids\n")
    monkeypatch.setattr(cgroup, "_mounts", lambda: {"": ("/", tmp_path)})
    monkeypatch.setattr(cgroup, "_own", lambda: {"": "/"})
    monkeypatch.setattr(cgroup, "_BOOTED", tmp_path)
    assert cgroup.lacking() == (
        "the memory, number of processes and CPU time of all processes of a build together are"
        f" not bounded here: systemd has not delegated {tmp_path} (Delegate=yes)"
        " (docs/sandbox.md)"
    )
    # It did, but the kernel has no such controller.
    try:
        os.setxattr(tmp_path, "user.delegate", b"1")
    except OSError:
        monkeypatch.setattr(cgroup, "_BOOTED", tmp_path / "none")
    assert str(cgroup.lacking()).startswith("the CPU time of all processes")
    # No groups at all.
    no_groups(monkeypatch)
    assert cgroup.bounds() == cgroup.lacking()
    assert "the kernel gives this machine no such controllers" in str(cgroup.lacking())


@pytest.fixture
def second() -> Iterator[Path]:
    """A group of version 2 that is ours to divide."""
    mounts = cgroup._mounts()
    if "" not in mounts:
        pytest.skip("no groups of version 2 here")
    above = cgroup._folder(mounts[""], cgroup._own()[""])
    there = (above / "cgroup.controllers").read_text().split()
    folder, control = above / f"vlag-test-{os.getpid()}", above / "cgroup.subtree_control"
    if not there or not os.access(control, os.W_OK):
        pytest.skip("this user divides no group, or all controllers are of version 1")
    before = control.read_text().split()
    control.write_text(f"+{there[0]}")
    folder.mkdir()
    yield folder
    for one in (folder / "vlag-service", folder):
        if one.exists():
            one.rmdir()
    if there[0] not in before:
        control.write_text(f"-{there[0]}")


def test_a_group_of_version_2_is_divided_with_the_service_in_it(
    second: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A group that is divided has no process of its own; whichever controllers are left for it."""
    there = (second / "cgroup.controllers").read_text().split()
    monkeypatch.setattr(cgroup, "_WORDS", {there[0]: "whatever"})
    service = subprocess.Popen(["sleep", "600"])
    try:
        (second / "cgroup.procs").write_text(str(service.pid))
        with pytest.raises(OSError, match="busy"):  # control: as it is, the kernel refuses
            (second / "cgroup.subtree_control").write_text(f"+{there[0]}")
        assert cgroup._divided(second) == (there[0],)
        assert (second / "vlag-service" / "cgroup.procs").read_text().split() == [str(service.pid)]
        assert cgroup._divided(second) == (there[0],)  # again, as each build does
    finally:
        service.kill()
        service.wait()
