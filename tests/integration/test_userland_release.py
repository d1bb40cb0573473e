# SPDX-License-Identifier: GPL-2.0-only
"""A userland of another Debian release than this machine's: nothing of the machine is in it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from vlag.lava import initramfs

LOADER = "/lib64/ld-linux-x86-64.so.2"


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> str:
    here = Path("/etc/os-release").read_text(encoding="utf-8")
    name = "trixie" if "VERSION_CODENAME=bookworm" in here else "bookworm"
    monkeypatch.setattr(initramfs, "SUITE", name)
    return name


def built(folder: Path) -> initramfs.Userland:
    folder.mkdir(exist_ok=True)
    return initramfs.build(folder, ["busybox", "libc-bin"], ["iconv"])


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Programs of this machine that pack, found first, none of which works."""
    names = ["cpio", "zstd"]
    folder = tmp_path / "broken"
    folder.mkdir()
    for name in names:
        (folder / name).write_text("#!/bin/sh\nexit 9\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return names


def test_no_program_of_this_machine_packs_it(tmp_path: Path, other: str, broken: list[str]) -> None:
    for name in broken:
        assert subprocess.run([name], check=False).returncode == 9
    made = built(tmp_path / "userland")
    packed = made.path.read_bytes()
    assert packed.startswith(b"\x28\xb5\x2f\xfd"), f"{other} compresses in another form"
    # And the archive is packed by what is found in its root.
    [root] = (tmp_path / "userland").glob("root-*")
    (root / "usr/bin/zstd").write_bytes((root / "usr/bin/iconv").read_bytes())
    shutil.rmtree(made.path.parent)
    with pytest.raises(subprocess.CalledProcessError):
        built(tmp_path / "userland")


def test_its_programs_run_with_its_own_loader(tmp_path: Path, other: str) -> None:
    shutil.rmtree(built(tmp_path).path.parent)
    [root] = tmp_path.glob("root-*")
    loader = initramfs.inside(root, LOADER)
    assert loader.read_bytes() != Path(LOADER).read_bytes(), f"{other} has this machine's loader"
    # Debian 12 has an absolute link, Debian 13 a relative one.
    link = initramfs.inside(root, str(Path(LOADER).parent)) / Path(LOADER).name
    link.unlink()
    link.symlink_to(f"/{loader.relative_to(root)}")
    made = built(tmp_path)
    tree = tmp_path / "tree"
    tree.mkdir()
    archive = subprocess.run(
        ["zstd", "--quiet", "--decompress", "--stdout", made.path], capture_output=True, check=False
    ).stdout  # what follows the archive is padding
    subprocess.run(
        ["cpio", "--extract", "--make-directories", "--quiet"], input=archive, cwd=tree, check=True
    )
    assert (tree / LOADER.lstrip("/")).read_bytes() == loader.read_bytes()
    done = subprocess.run(
        ["chroot", tree, "/bin/iconv", "--version"], capture_output=True, text=True, check=True
    )
    [version] = {made.packages["libc6"], made.packages["libc-bin"]}
    assert version in done.stdout
