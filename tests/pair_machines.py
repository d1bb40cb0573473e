# SPDX-License-Identifier: GPL-2.0-only
"""Both machines of a pair, played by two network namespaces: their roots, and a cable."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from vlag import ROOT
from vlag.lava import render
from vlag.lava.initramfs import applets
from vlag.model import Benchmark

BOOT = ROOT / "lava-jobs" / "boot"
ADDRESS = {"sut": "192.168.76.1", "loadgen": "192.168.76.2"}
OTHER = {"sut": "loadgen", "loadgen": "sut"}


@contextmanager
def cabled() -> Iterator[dict[str, str]]:
    """Give the namespaces of both roles, which a cable joins; nobody has given them addresses."""
    names = {role: f"vlag-{os.getpid()}-{role}" for role in ADDRESS}
    try:
        for name in names.values():
            _run("ip", "netns", "add", name)
            _run("ip", "-n", name, "link", "set", "lo", "up")
        _run("ip", "-n", names["sut"], "link", "add", "eth0", "type", "veth",
             "peer", "name", "eth0", "netns", names["loadgen"])  # fmt: skip
        yield names
    finally:
        for name in names.values():
            for pid in inside(name):
                with suppress(ProcessLookupError):  # it may have ended meanwhile
                    os.kill(pid, signal.SIGKILL)
            subprocess.run(["ip", "netns", "del", name], check=False)


def inside(namespace: str) -> list[int]:
    """Return the processes in a namespace."""
    found = subprocess.run(
        ["ip", "netns", "pids", namespace], capture_output=True, text=True, check=False
    )
    return [int(pid) for pid in found.stdout.split()]


def fill(root: Path, role: str, benchmark: Benchmark, values: Mapping[str, str | int]) -> None:
    """Make a root with busybox's programs and the entry that a board is given."""
    for folder in ("bin", "tmp", "out"):
        (root / folder).mkdir(parents=True)
    busybox = Path(str(shutil.which("busybox")))
    shutil.copy(busybox, root / "bin" / "busybox")
    for applet in applets(busybox):
        if applet != "busybox":
            (root / "bin" / applet).symlink_to("busybox")
    archive = render.entry(
        benchmark,
        render.argv(benchmark, {**benchmark.parameters, **values}),
        seed=1,
        knobs={},
        scripts=[BOOT / "pair.sh"],
        place={"ROLE": role, "PEER": ADDRESS[OTHER[role]], "ADDRESS": ADDRESS[role]},
    )
    subprocess.run(["cpio", "-idm", "--quiet"], input=archive, cwd=root, check=True)


def _run(*argv: str) -> None:
    subprocess.run(argv, check=True)
