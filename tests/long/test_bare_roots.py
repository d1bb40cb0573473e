# SPDX-License-Identifier: GPL-2.0-only
"""The first verdict in a bare Debian 12 and a bare Debian 13, by README's commands alone.

Each root is made by mmdebstrap with git and make, the project is cloned into it, and `make run
FAST=1` does the rest.  This machine's package sources and its settings of apt and pip are copied
in, the suite changed.  Needs root and some 10 GB; an hour or less, the network included.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import field, frozen

from tests.long.root import apt_settings, sources
from tests.night.clone import runs_below
from tests.night.digests import samples_digest
from vlag import ROOT

pytestmark = pytest.mark.long

SUITES = ("bookworm", "trixie")
#: What README names; all else is installed by its command.
PACKAGES = ("ca-certificates", "git", "make")
#: What a machine that has met vlag already would have.
ABSENT = ("lava-run", "qemu-system-x86_64", "mmdebstrap", "gcc", "python3")
#: How a bare root reaches the network as this machine does.
_NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt", "/etc/pip.conf")
_VARIABLES = re.compile(r"PIP_|SSL_CERT|REQUESTS_CA|(?i:https?_proxy$|no_proxy$)")
#: A namespace of its own, which takes every process with it when it ends.
_INSIDE = (
    *("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-euc"),
    'mount -t proc proc "$0/proc"; mount --rbind /sys "$0/sys"; mount --rbind /dev "$0/dev";'
    ' root=$0; exec chroot "$root" "$@"',
)


def command() -> str:
    """Return README's command for the first look."""
    found = re.search(r"(?m)^    (make run FAST=1)\b", (ROOT / "README.md").read_text())
    assert found, "README no longer has the command"
    return found[1]


def variables() -> dict[str, str]:
    """Return the environment of a root's own shell, with what pip is told of the network."""
    told = {k: v for k, v in os.environ.items() if _VARIABLES.match(k)}
    told.pop("PIP_FIND_LINKS", None)  # a folder of this machine
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return {**told, "PATH": path, "HOME": "/root", "LANG": "C.UTF-8", "TERM": "dumb"}


@frozen(kw_only=True)
class Act:
    """What a bare root made of the command."""

    suite: str
    status: int
    output: str
    minutes: Mapping[str, float] = field(factory=dict)  # from the clone to a moment
    #: Samples by kernel, benchmark and seed; the version of the emulator is the key's first.
    digests: Mapping[tuple[Any, ...], str] = field(factory=dict)


#: Of this session, for the comparison of both.
ACTS: dict[str, Act] = {}


def bare(folder: Path, suite: str) -> Path:
    """Make a root with nothing but what README asks for."""
    listed = folder / f"{suite}.sources"
    listed.write_text(sources(suite))
    root = folder / suite
    subprocess.run(
        [
            "mmdebstrap", "--quiet", "--mode=root", "--variant=minbase",
            '--aptopt=APT::Install-Recommends "false"',
            *(f"--aptopt={line}" for line in apt_settings().splitlines()),
            f"--include={','.join(PACKAGES)}", suite, root, listed,
        ],
        check=True,
    )  # fmt: skip
    (root / "etc/apt/apt.conf.d/99network").write_text(apt_settings() + "\n")
    for path in filter(os.path.exists, _NETWORK):
        place = root / path.lstrip("/")
        place.unlink(missing_ok=True)
        shutil.copy(path, place)
    assert [p for p in ABSENT if shutil.which(p, path=str(root / "usr/bin"))] == []
    return root


def act_of(root: Path, suite: str) -> Act:
    """Clone the project into a root and run README's command in it."""
    begun = time.monotonic()
    clone = root / "root" / "vlag"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    inside = ["env", "-i", *(f"{k}={v}" for k, v in variables().items())]
    script = f"cd /root/vlag && exec {command()}"
    lines: list[str] = []
    minutes: dict[str, float] = {}
    with subprocess.Popen(
        [*_INSIDE, str(root), *inside, "sh", "-c", script],
        text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        for line in process.stdout or ():
            print(f"{suite}: {line}", end="", flush=True)
            lines.append(line)
            for name, mark in (("set-up", "setup: ready"), ("verdict", "] compared prebuilt ")):
                if mark in line:
                    minutes.setdefault(name, (time.monotonic() - begun) / 60)
    return Act(
        suite=suite, status=process.returncode, output="".join(lines), minutes=minutes,
        digests=digests(runs_below(clone / "var")),
    )  # fmt: skip


def digests(runs: Sequence[Mapping[str, Any]]) -> dict[tuple[Any, ...], str]:
    """Return the samples of complete runs by emulator, image, userland, benchmark and seed."""
    return {
        (
            r["board"]["emulator"]["version"], r["image_sha256"], r["userland"]["sha256"],
            r["benchmark"], r["seed"],
        ): samples_digest(r["bundle"], dict(r))
        for r in runs
        if r["outcome"] == "complete"
    }  # fmt: skip


@pytest.fixture(scope="module", params=SUITES)
def act(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    pytestconfig: pytest.Config,
) -> Iterator[Act]:
    suite = str(request.param)
    folder = tmp_path_factory.mktemp(suite)
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    try:
        with capture.global_and_fixture_disabled():
            ACTS[suite] = act_of(bare(folder, suite), suite)
        yield ACTS[suite]
    finally:
        shutil.rmtree(folder)


def test_the_command_gives_a_verdict_and_a_report(act: Act) -> None:
    assert act.status == 0, act.output[-2000:]
    assert "Traceback" not in act.output
    assert "no first look" not in act.output
    assert "in full, the report is " in act.output
    assert set(act.minutes) == {"set-up", "verdict"}
    print(f"{act.suite}: {act.minutes}")


def test_every_boot_was_complete(act: Act) -> None:
    assert len(act.digests) == 30
    assert len(set(act.digests.values())) == 30, "other seeds and kernels give other samples"


def test_both_releases_give_the_same_digits_where_all_else_is_equal() -> None:
    """With another emulator, image or userland the key differs, so it is no same boot."""
    one, other = (ACTS[suite].digests for suite in SUITES)
    same = set(one) & set(other)
    assert {k: one[k] for k in same} == {k: other[k] for k in same}
    versions = [{key[0] for key in found} for found in (one, other)]
    assert all(len(v) == 1 for v in versions)
    print(f"{len(same)} boots are the same in both; emulators: {versions}")
    # Otherwise what a board is says that it is another one.
    assert same or versions[0] != versions[1] or {k[2] for k in one} != {k[2] for k in other}


def test_a_root_is_told_of_its_own_suite_alone() -> None:
    for suite in SUITES:
        text = sources(suite)
        assert f"Suites: {suite}" in text
        assert "backports" not in text
        assert [other for other in SUITES if other != suite and other in text] == []
    assert not [v for v in variables() if v.startswith("VLAG_")]
    assert command() == "make run FAST=1"
