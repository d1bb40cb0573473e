# SPDX-License-Identifier: GPL-2.0-only
"""Control groups of version 2 under a real systemd, in an emulated machine with Debian's kernel.

A machine whose kernel has the controllers in version 1, or no systemd, cannot show it.  Needs root,
mmdebstrap and the network for packages; the machine takes minutes to boot.
"""

from __future__ import annotations

import subprocess
import sysconfig
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import frozen

from tests.long import root
from vlag import ROOT

pytestmark = pytest.mark.long

PACKAGES = ("bubblewrap", "git", "initramfs-tools", "linux-image-amd64", "make", "perl")
#: Seconds for a boot and the tests, on a busy machine.
MOST_S = 1800
#: Runs in the machine; `share` is the folder of this test, `checkout` and `packages` are read only.
TRIAL = """
for name in checkout packages; do
	mkdir -p /opt/$name
	mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144 $name /opt/$name
done
systemctl start dbus  # such a command comes before it
unit() {
	systemd-run --wait --pipe --collect --working-directory=/opt/checkout \\
		--setenv=PYTHONPATH=/opt/checkout:/opt/packages --setenv=PYTHONDONTWRITEBYTECODE=1 "$@"
}
together=tests/integration/test_sandbox_together.py
played=test_a_group_of_version_2_is_divided_with_the_service_in_it  # where there is no real one
lacking='from vlag.sandbox import cgroup; print(cgroup.lacking())'
unit python3 -c "$lacking" >/share/closed 2>&1
unit --property='Delegate=cpu memory pids' python3 -c "$lacking" >/share/delegated 2>&1
unit --property='Delegate=cpu memory pids' python3 -m pytest -n0 -p no:cacheprovider \\
	--junitxml=/share/results.xml --deselect="$together::$played" "$together" >/share/tests 2>&1
"""
BEGIN = "mkdir /share; mount -t 9p -o trans=virtio,version=9p2000.L share /share; sh /share/trial"


@frozen
class Trial:
    """What the machine left."""

    folder: Path
    console: str

    def text(self, name: str) -> str:
        path = self.folder / name
        assert path.is_file(), self.console[-5000:]
        return path.read_text()


@pytest.fixture(scope="module")
def trial() -> Iterator[Trial]:
    debian = root.base(*PACKAGES)
    with tempfile.TemporaryDirectory(prefix="vlag-groups-") as name:
        folder = Path(name)
        disk, share = folder / "root.ext4", folder / "share"
        share.mkdir()
        (share / "trial").write_text(TRIAL)
        subprocess.run(
            ["mke2fs", "-q", "-t", "ext4", "-d", debian, disk, "4G"], check=True, cwd=folder
        )
        yield Trial(share, _boot(debian, disk, share))


def _boot(debian: Path, disk: Path, share: Path) -> str:
    """Boot the machine, which switches itself off after the trial; return its console."""
    (kernel,) = debian.glob("boot/vmlinuz-*")
    (initrd,) = debian.glob("boot/initrd.img-*")
    words = (
        "root=/dev/vda", "rw", "console=ttyS0", f"systemd.run=\"/bin/sh -c '{BEGIN}'\"",
        "systemd.run_success_action=poweroff", "systemd.run_failure_action=poweroff",
    )  # fmt: skip
    folders = {"share": share, "checkout": ROOT, "packages": sysconfig.get_paths()["purelib"]}
    shares = [
        f"local,path={path},mount_tag={tag},security_model=none,id={tag}"
        f"{',readonly=on' if tag != 'share' else ''}"
        for tag, path in folders.items()
    ]
    done = subprocess.run(
        [
            "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2",
            "-m", "2048", "-nographic", "-no-reboot", "-nic", "none",
            "-kernel", kernel, "-initrd", initrd, "-append", " ".join(words),
            "-drive", f"file={disk},format=raw,if=virtio",
            *(word for one in shares for word in ("-virtfs", one)),
        ],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, errors="replace",
        timeout=MOST_S,
    )  # fmt: skip
    return done.stdout


def test_all_bounds_of_a_build_hold_where_systemd_delegates(trial: Trial) -> None:
    assert "None" in trial.text("delegated").splitlines(), trial.text("delegated")
    words = trial.text("tests")
    written = ET.fromstring(trial.text("results.xml"))  # noqa: S314 - by pytest, of our own tests
    results = written.find("testsuite")
    assert results is not None
    ended = {name: int(results.attrib[name]) for name in ("errors", "failures", "skipped")}
    assert ended == {"errors": 0, "failures": 0, "skipped": 0}, words
    assert int(results.attrib["tests"]) > 5


def test_a_unit_that_may_not_divide_its_group_says_what_is_not_bounded(trial: Trial) -> None:
    """Negative control."""
    assert "of all processes of a build together are not bounded here" in trial.text("closed")
