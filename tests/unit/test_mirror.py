# SPDX-License-Identifier: GPL-2.0-only
"""Local mirrors: tags and patterns are resolved, and a tarball becomes the same commit anywhere."""

import io
import lzma
import tarfile
from pathlib import Path

import pytest

from tests.repositories import bare
from vlag.errors import InfrastructureError, UsageError
from vlag.kernel import mirror


def tarball(path: Path, files: dict[str, bytes]) -> None:
    with lzma.open(path, "wb") as packed, tarfile.open(fileobj=packed, mode="w|") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(f"linux-source-6.1/{name}")
            info.size, info.mtime, info.mode = len(data), 1_700_000_000, 0o755
            tar.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("linux-source-6.1/link")
        link.type, link.linkname = tarfile.SYMTYPE, "Makefile"
        tar.addfile(link)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    path = bare(tmp_path / "mirror.git")
    tarball(tmp_path / "one.tar.xz", {"Makefile": b"a\n", 'odd "name': b"\x00\xff"})
    tarball(tmp_path / "two.tar.xz", {"Makefile": b"b\n"})
    for number, version in ((1, "6.1.9-1"), (2, "6.1.10-1")):
        mirror._fast_import(
            path, tmp_path / f"{['one', 'two'][number - 1]}.tar.xz",
            "linux-source-6.1", version, "linux-6.1", f"debian/{version}",
        )  # fmt: skip
    return path


def test_an_import_is_a_commit_with_history(repository: Path) -> None:
    head = mirror.resolve(repository, "linux-6.1")
    assert head.describe == "debian/6.1.10-1"
    assert head.subject == "linux-source-6.1 6.1.10-1"
    assert mirror.git(repository, "rev-list", "--count", head.sha) == "2"
    assert mirror.git(repository, "show", f"{head.sha}:Makefile") == "b"
    old = mirror.resolve(repository, "debian/6.1.9-1")
    assert mirror.git(repository, "ls-tree", "--name-only", "-z", old.sha).split("\0")[:3] == [
        "Makefile", "link", 'odd "name',
    ]  # fmt: skip
    # The same tarball gives the same commit on every machine.
    assert old.sha == "83a37b56bf2f4cd9ff5a34723650c96793e14503"


def test_a_pattern_means_the_highest_version(repository: Path) -> None:
    assert mirror.resolve(repository, "debian/6.1.*").describe == "debian/6.1.10-1"
    mirror.git(repository, "tag", "debian/6.1.11-rc1", "debian/6.1.9-1")
    assert mirror.resolve(repository, "debian/6.1.*").describe == "debian/6.1.10-1"


@pytest.mark.parametrize("ref", ["nothing", "v6.6.*", "--help", "deadbeef"])
def test_an_unknown_ref_is_said(repository: Path, ref: str) -> None:
    with pytest.raises(UsageError, match=r"no (branch|tag)"):
        mirror.resolve(repository, ref)


def test_a_broken_tarball_is_said(repository: Path, tmp_path: Path) -> None:
    whole = (tmp_path / "one.tar.xz").read_bytes()
    (tmp_path / "cut.tar.xz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InfrastructureError, match=r"cut\.tar\.xz: cannot be read"):
        mirror._fast_import(repository, tmp_path / "cut.tar.xz", "p", "1", "linux-6.1", "debian/1")
    assert mirror.resolve(repository, "linux-6.1").describe == "debian/6.1.10-1"


def test_a_package_that_is_not_installed_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="apt-get install linux-source-0\\.1"):
        mirror.import_packages(tmp_path / "m.git", {"x": "linux-source-0.1"})


def test_a_clone_of_any_git_url(repository: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.git"
    mirror.clone(copy, str(repository))
    mirror.git(repository, "tag", "v6.6.1", "linux-6.1")
    mirror.clone(copy, str(repository))
    assert mirror.resolve(copy, "v6.6.*").sha == mirror.resolve(repository, "linux-6.1").sha
