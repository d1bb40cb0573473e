# SPDX-License-Identifier: GPL-2.0-only
"""Guests of a host under test: what they boot, in which archive it comes, and what refuses it."""

from __future__ import annotations

import lzma
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests.unit.kernel_trees import module
from tests.unit.prebuilt_images import bzimage
from tests.unit.shipped import change, copied
from tests.unit.userland_roots import root
from vlag import ROOT, config
from vlag.bundle import describe
from vlag.bundle_records import CompleteBuild
from vlag.config import kernel_needs
from vlag.config.catalogue import load, read_boards
from vlag.errors import InfrastructureError, UsageError
from vlag.kernel import modules
from vlag.lava import initramfs
from vlag.model import Benchmark, GuestSystem, digest
from vlag.pipeline import build_stage as builds
from vlag.pipeline import guest as guests
from vlag.pipeline.boot import Boot, boot_entry, run_key

pytestmark = pytest.mark.slow

CATALOGUE = load()
VMS = CATALOGUE.benchmark("iperf3-vms")
HOST = CATALOGUE.board_type("qemu-vhost-host")
SHELL = ["busybox", "sh"]
VIRTIO = {"CONFIG_VIRTIO_NET": ("virtio_net",)}


@pytest.fixture
def userlands(tmp_path: Path) -> Path:
    folder = tmp_path / "userland"
    root(folder, "busybox", "zstd")
    root(folder, "busybox", "libc-bin", "zstd")
    return folder


def package(path: Path, options: str = "CONFIG_VIRTIO_NET=m\n", image: bytes | None = None) -> Path:
    """Make a package of a kernel whose module `virtio_net` needs `virtio`."""
    tree = path.with_suffix("")
    files = {
        "boot/vmlinuz-6.1.0-1": bzimage("6.1.0-1") if image is None else image,
        "boot/config-6.1.0-1": options.encode(),
        "lib/modules/6.1.0-1/kernel/virtio.ko.xz": lzma.compress(module("virtio")),
        "lib/modules/6.1.0-1/kernel/virtio_net.ko.xz": lzma.compress(
            module("virtio_net", "virtio")
        ),
        "lib/modules/6.1.0-1/kernel/other.ko": module("other"),
        "DEBIAN/control": b"Package: linux-image-x\nVersion: 1\nArchitecture: amd64\n"
        b"Maintainer: x <x@example.org>\nDescription: a kernel\n",
    }
    for name, data in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_bytes(data)
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "--build", tree, path], check=True, capture_output=True
    )
    return path


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    return package(tmp_path / "linux-image.deb")


@pytest.fixture
def settings(tmp_path: Path, userlands: Path) -> config.Settings:
    assert userlands.parent == tmp_path
    return evolve(config.load(ROOT / "vlag.toml"), state=tmp_path)


def benchmark(**given: Any) -> Benchmark:
    system = GuestSystem(
        programs=("busybox",), modules=VIRTIO, init=b"#!/bin/sh\necho first of all\n"
    )
    return evolve(VMS, guest=evolve(system, **given))


def prepared(settings: config.Settings, kernel: Path, **given: Any) -> guests.Guest:
    made = guests.prepare(settings, benchmark(**given), str(kernel), "x86_64")
    assert made is not None
    return made


def listed(archive: bytes) -> list[str]:
    done = subprocess.run(["cpio", "-t", "--quiet"], input=archive, capture_output=True, check=True)
    return done.stdout.decode().splitlines()


# Files beside programs.


def test_files_are_in_a_userland_at_their_paths(userlands: Path) -> None:
    path = "/usr/share/seabios/bios.bin"
    plain = initramfs.build(userlands, ["busybox"], [])
    made = initramfs.build(userlands, ["busybox"], [], files=[path])
    unpacked = subprocess.run(["zstd", "-dc", made.path], capture_output=True, check=False).stdout
    assert path.lstrip("/") in listed(unpacked)
    assert b"BIOS" in unpacked
    assert made.path.parent != plain.path.parent
    # Without any the userland is where it ever was, whose name is the digest of these alone.
    recipe = {"suite": "bookworm", "recipe": 4, "packages": ["busybox"], "programs": ["busybox"]}
    assert plain.path.parent.name == digest(recipe)[:16]
    assert initramfs.build(userlands, ["busybox"], [], files=()).sha256 == plain.sha256


def test_a_file_that_no_package_has_is_named(userlands: Path) -> None:
    with pytest.raises(UsageError, match="no package of the userland has the file /usr/share/x"):
        initramfs.build(userlands, ["busybox"], [], files=["/usr/share/x"])


def test_only_benchmarks_with_guests_and_a_recorded_load_have_files() -> None:
    assert {b.name for b in CATALOGUE.benchmarks.values() if b.needs.files} == {
        "iperf3-vms", "kworker-wakeup-vms", "tbench", "uperf-vms",
    }  # fmt: skip


# What guests boot.


def test_the_hosts_archive_has_kernel_and_initramfs_of_its_guests(
    settings: config.Settings, kernel: Path, tmp_path: Path
) -> None:
    made = prepared(settings, kernel)
    assert made.release == "6.1.0-1"
    assert listed(made.archive) == ["vlag", "vlag/guest", "vlag/guest/initrd", "vlag/guest/vmlinuz"]
    host = tmp_path / "host"
    host.mkdir()
    subprocess.run(["cpio", "-idm", "--quiet"], input=made.archive, cwd=host, check=True)
    assert (host / "vlag/guest/vmlinuz").read_bytes() == bzimage("6.1.0-1")
    # The modules stand in an archive behind the userland, each after what it needs.
    initrd = (host / "vlag/guest/initrd").read_bytes()
    common = initramfs.build(settings.state / "userland", ["busybox", "libc-bin"], [])
    assert initrd.startswith(common.path.read_bytes())
    entry = initrd[common.path.stat().st_size :]
    subprocess.run(["cpio", "-idm", "--quiet"], input=entry, cwd=host, check=True)
    assert (host / "vlag/init").read_bytes() == b"#!/bin/sh\necho first of all\n"
    assert (host / "vlag/modules/list").read_text() == "virtio\nvirtio_net\n"
    assert (host / "vlag/modules/virtio_net.ko").read_bytes() == module("virtio_net", "virtio")
    assert prepared(settings, kernel).identity == made.identity


def test_an_image_alone_has_its_drivers_built_in(settings: config.Settings, tmp_path: Path) -> None:
    (tmp_path / "bzImage").write_bytes(bzimage("6.6.1"))
    made = prepared(settings, tmp_path / "bzImage")
    assert made.release == "6.6.1"
    built_in = package(tmp_path / "built-in.deb", "CONFIG_VIRTIO_NET=y\n", bzimage("6.6.1"))
    assert prepared(settings, built_in).identity == made.identity


def test_a_benchmark_without_guests_needs_no_kernel_of_them(settings: config.Settings) -> None:
    switch = CATALOGUE.benchmark("stress-ng-switch")
    assert guests.prepare(settings, switch, None, "x86_64") is None


def test_a_guest_that_cannot_be_is_said_in_one_sentence(
    settings: config.Settings, kernel: Path, tmp_path: Path
) -> None:
    def refusal(path: str | None, arch: str = "x86_64", **given: Any) -> str:
        with pytest.raises(UsageError) as refused:
            guests.prepare(settings, benchmark(**given), path, arch)
        return str(refused.value)

    where = f"{settings.inventory}: guest_kernel"
    assert refusal(None).startswith(f"{where}: missing; iperf3-vms starts guests, which boot a")
    assert refusal("/nowhere.deb") == f"{where}: no file /nowhere.deb"
    assert "a kernel of x86_64; guests of boards of arm64" in refusal(str(kernel), "arm64")
    lacking = {"CONFIG_VIRTIO_NET": ("virtio_pci",)}
    assert refusal(str(kernel), modules=lacking) == (
        f"{kernel}: no module virtio_pci; there are: other, virtio, virtio_net"
    )
    empty = tmp_path / "empty.deb"
    tree = tmp_path / "empty" / "DEBIAN"
    tree.mkdir(parents=True)
    (tree / "control").write_text(
        "Package: x\nVersion: 1\nArchitecture: all\nMaintainer: x <x@example.org>\nDescription: x\n"
    )
    subprocess.run(["dpkg-deb", "--build", tree.parent, empty], check=True, capture_output=True)
    assert refusal(str(empty)) == (
        f"{empty}: has no /boot/vmlinuz-* with its config: no kernel's package"
    )
    empty.write_bytes(b"no package")
    with pytest.raises(InfrastructureError, match=r"empty\.deb: no Debian package, or a dam"):
        prepared(settings, empty)


# What makes a run another run.


def boot(made: guests.Guest | None) -> Boot:
    entry = boot_entry(VMS, {}, 1, {})
    userland = initramfs.Userland(path=Path("/dev/null"), sha256="1" * 64, packages={})
    key = run_key(
        image_sha256="2" * 64, userland_sha256=userland.sha256, entry_sha256=entry.sha256,
        board_type=HOST, knobs={}, emulator=None, guest=None if made is None else made.identity,
    )  # fmt: skip
    document: Any = {
        "kernel": {}, "image": {"sha256": "2" * 64}, "config": {"sha256": "3" * 64},
        "release": "6.12",
    }  # fmt: skip
    return Boot(
        build=Path(), document=document, board_type=HOST, benchmark=VMS, entry=entry,
        userland=userland, emulator=None, seed=1, knobs={}, guest=made, plan=None, timeout_s=1,
        key=key,
    )  # fmt: skip


def test_another_guest_makes_another_run_that_is_not_compared(
    settings: config.Settings, kernel: Path, tmp_path: Path
) -> None:
    made = prepared(settings, kernel)
    others = {
        "kernel": prepared(settings, package(tmp_path / "b.deb", image=bzimage("6.1.0-2"))),
        "init": prepared(settings, kernel, init=b"#!/bin/sh\n"),
    }
    first, same = boot(made), boot(prepared(settings, kernel))
    assert (first.key, first.board("b")) == (same.key, same.board("b"))
    for what, other in others.items():
        # The setup is a condition of every comparison (vlag/compare/conditions.py).
        assert boot(other).key != first.key, what
        assert boot(other).board("b")["setup"] != first.board("b")["setup"], what
    assert first.record()["guest"] == {
        "release": "6.1.0-1",
        "kernel_sha256": made.kernel_sha256,
        "initramfs_sha256": made.initramfs_sha256,
        "packages": dict(made.packages),
    }
    assert "busybox" in made.packages or made.packages == {}
    assert first.ramdisk == made.archive + first.entry.archive
    assert "guest" not in boot(None).record()


def test_only_an_entry_of_guests_has_their_functions() -> None:
    assert "vlag/guests" in listed(boot_entry(VMS, {}, 1, {}).archive)
    switch = CATALOGUE.benchmark("stress-ng-switch")
    assert "vlag/guests" not in listed(boot_entry(switch, {}, 1, {}).archive)


@pytest.mark.parametrize("option", ["CONFIG_KVM", "CONFIG_VHOST_NET", "CONFIG_TUN"])
def test_a_host_without_what_guests_need_is_refused(tmp_path: Path, option: str) -> None:
    path = tmp_path / "config"
    path.write_text("".join(f"{o}=m\n" for o in VMS.needs.kconfig))
    kernel_needs.check_boot(VMS, HOST, path)
    path.write_text("".join(f"{o}=m\n" for o in VMS.needs.kconfig if o != option))
    with pytest.raises(UsageError, match=f"iperf3-vms needs {option}, which {path} lacks"):
        kernel_needs.check_boot(VMS, HOST, path)
    with pytest.raises(UsageError, match="needs kvm, which board type qemu does not have"):
        kernel_needs.check_boot(VMS, CATALOGUE.board_type("qemu"), path)


# The inventory.


def test_a_board_with_kvm_names_the_kernel_of_its_guests(tmp_path: Path) -> None:
    inventory = copied(tmp_path) / "ansible" / "inventory" / "farm-example.yml"
    there = {b.name: b for b in read_boards(inventory, CATALOGUE.board_types)}
    named = there["vhost-1"].facts["guest_kernel"]
    line = f"          guest_kernel: {named}\n"
    change(inventory, line, "")
    with pytest.raises(UsageError, match=r"vhost-1\.guest_kernel: missing; guests of its bench"):
        read_boards(inventory, CATALOGUE.board_types)
    change(inventory, "        pair-1-sut:\n", f"{line}        pair-1-sut:\n")
    read_boards(inventory, CATALOGUE.board_types)
    # A second host with another one.
    text = inventory.read_text()
    block = text[text.index("        vhost-1:\n") : text.index("        pair-1-sut:\n")]
    twin = (
        block.replace("vhost-1", "vhost-2")
        .replace("00:25:90:00:00:04", "00:25:90:00:00:14")
        .replace(named, "/srv/other.deb")
    )
    inventory.write_text(text.replace(block, block + twin))
    with pytest.raises(UsageError, match=r"vhost-2\.guest_kernel: /srv/other\.deb, where vhost-1 "):
        read_boards(inventory, CATALOGUE.board_types)
    inventory.write_text(text.replace(block, block + twin.replace("/srv/other.deb", named)))
    assert len(read_boards(inventory, CATALOGUE.board_types)) == len(there) + 1


def test_a_benchmark_with_guests_needs_their_first_program(tmp_path: Path) -> None:
    copied(tmp_path)
    script = tmp_path / "lava-jobs" / "benchmarks" / "iperf3-vms" / "guest-init.sh"
    script.unlink()
    with pytest.raises(UsageError, match=f"{script}: missing; guests need the script"):
        load(tmp_path)


def test_both_benchmarks_have_one_guest() -> None:
    assert VMS.guest == CATALOGUE.benchmark("kworker-wakeup-vms").guest
    assert VMS.guest is not None
    assert VMS.guest.init.startswith(b"#!/bin/sh\n")


# Modules of a prebuilt kernel for its board.


def unpack(
    tmp_path: Path, files: list[Path], wanted: Mapping[str, tuple[str, ...]]
) -> CompleteBuild:
    kernel: Any = {
        "arch": "x86_64",
        "prebuilt": {"name": "n", "version": "1", "sha256": ["0" * 64]},
    }
    return builds._unpacked(
        evolve(HOST, modules=wanted), kernel, files, tmp_path / "builds" / "one", "vlag build"
    )


def test_a_prebuilt_kernel_brings_the_modules_that_its_boards_load(
    tmp_path: Path, kernel: Path
) -> None:
    document = unpack(tmp_path, [kernel], VIRTIO)
    bundle = tmp_path / "builds" / "one"
    assert describe(bundle, modules.FILE) in document["files"]
    assert [name for name, _ in modules.ordered(bundle / modules.FILE, ["virtio_net"])] == [
        "virtio", "virtio_net",
    ]  # fmt: skip
    assert [p.name for p in bundle.parent.iterdir()] == ["one"]


def test_a_prebuilt_kernel_without_a_module_leaves_nothing(tmp_path: Path, kernel: Path) -> None:
    with pytest.raises(UsageError, match="no module absent; there are: other, virtio, virtio_net"):
        unpack(tmp_path, [kernel], {"CONFIG_VIRTIO_NET": ("absent",)})
    image, settings = tmp_path / "image", tmp_path / "config"
    image.write_bytes(bzimage("6.1"))
    settings.write_text("CONFIG_VIRTIO_NET=m\n")
    with pytest.raises(UsageError, match="load virtio_net, and there is no package with them"):
        unpack(tmp_path, [image, settings], VIRTIO)
    assert not any((tmp_path / "builds").iterdir())
    settings.write_text("CONFIG_VIRTIO_NET=y\n")
    files = unpack(tmp_path, [image, settings], VIRTIO)["files"]
    assert [f["path"] for f in files] == ["build.log"]


# The board's functions.


def functions(tmp_path: Path, script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SHELL, "-c", f". {guests.SCRIPT}\n{script}"],
        env={"OUT": str(tmp_path), "PATH": "/usr/bin:/bin"}, timeout=30,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_guest_is_waited_for_until_it_speaks_or_ends(tmp_path: Path) -> None:
    console = tmp_path / "server.txt"
    said = functions(
        tmp_path,
        f"(sleep 0.3; printf 'vlag: ready\\r\\n' > {console}; sleep 9) & await server ready $!",
    )
    assert (said.returncode, said.stderr.count("guests:")) == (0, 0)
    console.write_text("Kernel panic\n")
    gone = functions(tmp_path, "sleep 0.3 & await server ready $!")
    assert gone.returncode == 1
    assert 'guests: the server ended before it said "ready"; its console is in' in gone.stderr


@pytest.mark.parametrize(("said", "status"), [("end 0\r", 0), ("end 1\r", 1), ("begin\r", 1)])
def test_a_client_that_did_not_end_well_fails_the_run(
    tmp_path: Path, said: str, status: int
) -> None:
    (tmp_path / "client.txt").write_text(f"vlag: {said}\n")
    done = functions(tmp_path, "true & client=$!\nsleep 9 & server=$!\nend_guests")
    assert done.returncode == status
    assert ("the client did not end well" in done.stderr) == bool(status)
