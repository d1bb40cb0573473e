# SPDX-License-Identifier: GPL-2.0-only
"""Ways out of the sandbox that others have found, and a disk of its own that is filled.

Each has its control: the same act without the sandbox.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve

from tests import sandboxes
from tests.integration.hostile import small_disk
from tests.integration.sandboxed import Place
from tests.integration.sandboxed import place as place  # noqa: PLC0414 - a fixture
from vlag.sandbox import NONE, Ended, Sandbox, seccomp
from vlag.sandbox.space import remove

#: x86_64's numbers, with arguments that do nothing where the call is allowed.
CALLS = {
    "unshare a user namespace": (272, 0x10000000),
    "clone a user namespace": (56, 0x10000000 | 17, 0, 0, 0, 0),
    "setns": (308, -1, 0), "mount": (165, 0, 0, 0, 0, 0), "pivot_root": (155, 0, 0),
    "open_tree": (428, -100, 0, 0), "keyctl": (250, 0, -3, 0), "add_key": (248, 0, 0, 0, 0, 0),
    "request_key": (249, 0, 0, 0, 0), "bpf": (321, 99, 0, 0), "userfaultfd": (323, -1),
    "io_uring_setup": (425, 0, 0), "perf_event_open": (298, 0, 0, -1, -1, -1),
    "ptrace": (101, 99, 0, 0, 0), "open_by_handle_at": (304, -1, 0, 0),
    "init_module": (175, 0, 0, 0), "kexec_load": (246, 0, 0, 0, -1), "reboot": (169, 0, 0, 0),
    "process_vm_readv": (310, 0, 0, 0, 0, 0, 99),
}  # fmt: skip
TRY = """import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
for name, words in %r.items():
    ctypes.set_errno(0)
    status = libc.syscall(*map(ctypes.c_long, words))
    if name.startswith("clone a") and status == 0:
        os._exit(0)
    print(name, "=", ctypes.get_errno(), flush=True)
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86_64")
def test_no_call_by_which_others_have_left_is_made(place: Place) -> None:
    (place.source / "try.py").write_text(TRY % CALLS)
    recipe = f"{sys.executable} {place.source}/try.py"
    ended, said = place.make(recipe)
    assert ended.status == 0, said
    results = dict(line.split(" = ") for line in said.splitlines() if " = " in line)
    assert results == dict.fromkeys(CALLS, "1")  # EPERM
    # Control: without the sandbox the kernel answers each by itself, and some are granted.
    _, said = place.make(recipe, NONE)
    free = dict(line.split(" = ") for line in said.splitlines() if " = " in line)
    assert {"bpf", "ptrace", "setns", "open_by_handle_at"} <= {
        n for n, e in free.items() if e != "1"
    }


def test_no_namespace_of_a_user_is_made_by_a_program(place: Place) -> None:
    """Also by clone3, of which no filter sees the flags, and as root's sandbox has it."""
    _, said = place.make("unshare --user true && echo made")
    assert "made" not in said.splitlines()
    # What glibc starts by clone3 starts all the same.
    ended, said = place.make('perl -e \'system("true") == 0 and print "started"\'')
    assert (ended.status, "started" in said) == (0, True), said


def test_no_descriptor_is_inherited(place: Place, tmp_path: Path) -> None:
    secret = os.open(place.secret, os.O_RDONLY)
    try:
        os.set_inheritable(secret, True)
        _, said = place.make("for n in /proc/self/fd/*; do readlink $$n; done")
    finally:
        os.close(secret)
    assert "secret" not in said
    assert "seccomp" not in said


def test_every_call_that_is_named_is_one() -> None:
    """A misspelt name would be left out without a word."""
    library = __import__("ctypes").CDLL("libseccomp.so.2")
    names = [name for names in seccomp.DENIED.values() for name in names]
    assert len(names) == len(set(names))
    assert [n for n in names if library.seccomp_syscall_resolve_name(n.encode()) == -1] == []
    assert library.seccomp_syscall_resolve_name(b"no_such_call") == -1
    assert len(seccomp.program()) % 8 == 0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 MB."""
    folder = tmp_path / "disk"
    if os.geteuid() != 0:
        pytest.skip("only root mounts a file system")
    with small_disk(folder, 64):
        yield folder


FILLS = {
    "one file": "head -c 200M /dev/zero > {output}/a",
    "many files": "i=0; while head -c 1M /dev/zero > {output}/$$i; do i=$$((i+1)); done",
    "with the machine's words": "echo 'No space left on device'; i=0;"
    " while head -c 1M /dev/zero > {output}/$$i; do i=$$((i+1)); done",
    "in the cache": "i=0; while head -c 1M /dev/zero > {cache}/$$i; do i=$$((i+1)); done",
}


@pytest.mark.parametrize("fill", FILLS.values(), ids=FILLS)
def test_a_small_disk_is_not_filled(place: Place, disk: Path, fill: str) -> None:
    for name in ("output", "cache"):
        (disk / name).mkdir()
    here = evolve(place, output=disk / "output", cache=disk / "cache")
    recipe = fill.format(output=here.output, cache=here.cache)
    ended, _ = here.make(recipe, free_mb=24)
    if "a" in os.listdir(here.output):
        # No file is larger than what may be written.
        assert (ended.status, ended.machine) != (0, None)
        assert (here.output / "a").stat().st_size <= 40 << 20
    else:
        assert ended.stopped is not None
        assert "MB are free on the disk of" in ended.stopped
        assert ended.stopped.startswith("it wrote ")
    for folder in (here.output, here.cache):
        remove(folder)
        folder.mkdir()
    # Control: on an empty disk a build of some size ends well.
    ended, said = here.make(f"head -c 20M /dev/zero > {here.output}/a", free_mb=24)
    assert ended == Ended(status=0), said


def test_a_disk_that_others_have_filled_is_the_machines(place: Place, disk: Path) -> None:
    (disk / "output").mkdir()
    (disk / "of others").write_bytes(b"x" * (50 << 20))
    here = evolve(place, output=disk / "output")
    ended, said = here.make("echo ran", free_mb=24)
    assert said == ""
    assert ended.stopped is None
    assert ended.machine is not None
    assert "([sandbox] free_mb)" in ended.machine


def test_folders_deeper_than_python_goes_are_counted_and_removed(place: Place) -> None:
    deep = 'perl -e \'for (1..3000) { mkdir "d"; chdir "d" or die } open F, ">f"; chmod 0, "."\''
    ended, said = place.make(f"cd {place.output} && {deep}")
    assert ended == Ended(status=0), said
    sandbox = Sandbox(rules=sandboxes.rules(), read=(place.source,), write=(place.output,))
    assert sandbox.run(["true"], cwd=place.source, line=print) == Ended(status=0)
    remove(place.output)
    assert not place.output.exists()
