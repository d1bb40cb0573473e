# SPDX-License-Identifier: GPL-2.0-only
"""Prebuilt kernels: what a ref means, what is refused, and that nothing damaged is used."""

from __future__ import annotations

import gzip
import itertools
import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from vlag.config.catalogue import load
from vlag.config.documents import fault
from vlag.errors import InfrastructureError, UsageError
from vlag.kernel import mirror, prebuilt
from vlag.kernel.images import Images, version_key
from vlag.kernel.refs import Files
from vlag.kernel.series import NONE
from vlag.pipeline.build_stage import identify

from .prebuilt_images import MADE, Packages, arm64_image, bzimage, config

pytestmark = pytest.mark.slow

BRANCHES: dict[str, str | Files] = {
    "6.1": "linux-image-6.1.*-cloud-amd64",
    "6.12": "linux-image-6.12.*-cloud-amd64",
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three kernels, one of which has two versions, and packages that are none."""
    found = Packages(tmp_path_factory.mktemp("packages") / "archive")
    found.add("linux-image-6.1.0-9-cloud-amd64", "6.1.90-1")
    found.add("linux-image-6.1.0-10-cloud-amd64", "6.1.100-1")
    found.add("linux-image-6.1.0-10-cloud-amd64", "6.1.101-1")
    found.add("linux-image-6.12.9+deb12-cloud-amd64", "6.12.9-1~bpo12+1")
    found.add("linux-image-6.12-cloud-amd64", "6.12.99-1")
    found.add("linux-image-6.1.0-11-cloud-amd64-dbg", "6.1.111-1")
    return found.folder


@pytest.fixture
def packages(archive: Path, tmp_path: Path) -> Packages:
    """A copy of them."""
    return Packages(tmp_path / "archive", like=archive)


@pytest.fixture
def tree(packages: Packages, tmp_path: Path) -> Images:
    return packages.tree(tmp_path / "state", BRANCHES)


def unplug(packages: Packages) -> None:
    """Take the archive away: nobody answers there."""
    packages.sources.write_text("deb [trusted=yes] http://127.0.0.1:1/ ./\n")


def stale(tree: Images) -> None:
    """Let the next question ask the archive again."""
    (tree.folder / "apt" / "refreshed").unlink()


def resolved(tree: Images, ref: str) -> mirror.Commit:
    tree.bring(ref)
    return mirror.resolve(tree.mirror, ref)


def unpacked(tree: Images, ref: str, bundle: Path, board_type: str = "qemu-sim-2") -> Any:
    commit = resolved(tree, ref)
    of, files = tree.fetched(commit.sha)
    kernel = identify(
        load().board_type(board_type), tree="prebuilt", branch=ref, commit=commit,
        series=None, applied=NONE, patches=(), image=of,
    )  # fmt: skip
    return prebuilt.build(kernel=kernel, files=files, bundle=bundle, reproduce="vlag build")


def test_what_apt_has_read_is_kept_in_a_container_too(
    tree: Images, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = tmp_path / "apt.conf"  # as images of Debian have it
    image.write_text('Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";\n')
    monkeypatch.setenv("APT_CONFIG", str(image))
    assert tree.versions()
    kept = tree.folder / "apt" / "cache" / "pkgcache.bin"
    read = kept.stat().st_mtime_ns
    assert tree.versions()
    assert kept.stat().st_mtime_ns == read


def test_a_branch_is_its_newest_version_and_a_pattern_the_newest_that_fits(tree: Images) -> None:
    head = resolved(tree, "6.1")
    assert (head.describe, head.subject, head.is_branch) == (
        "prebuilt/6.1.101-1", "linux-image-6.1.0-10-cloud-amd64 6.1.101-1", True,
    )  # fmt: skip
    assert head.committed_at == "2026-11-16T10:17:00+00:00"
    assert resolved(tree, "prebuilt/6.1.*").sha == head.sha
    assert resolved(tree, "prebuilt/6.*").describe == "prebuilt/6.12.9-1_bpo12+1"
    older = resolved(tree, "prebuilt/6.1.90-1")
    assert not older.is_branch
    # An older version does not become the head of its branch.
    assert mirror.resolve(tree.mirror, "6.1").sha == head.sha
    assert [v.tag for v in tree.versions()] == [
        "prebuilt/6.1.90-1", "prebuilt/6.1.100-1", "prebuilt/6.1.101-1",
        "prebuilt/6.12.9-1_bpo12+1",
    ]  # fmt: skip


def test_a_version_is_the_same_commit_everywhere(
    tree: Images, packages: Packages, tmp_path: Path
) -> None:
    other = packages.tree(tmp_path / "other", BRANCHES)
    resolved(other, "6.1")
    assert resolved(tree, "prebuilt/6.1.90-1").sha == resolved(other, "prebuilt/6.1.90-1").sha
    # Negative control: the package made again, with another kernel in it.
    shutil.rmtree(packages.folder / "root")
    packages.add("linux-image-6.1.0-9-cloud-amd64", "6.1.90-1", image=bzimage("6.1.0-other"))
    third = packages.tree(tmp_path / "third", BRANCHES)
    assert resolved(third, "prebuilt/6.1.90-1").sha != resolved(tree, "prebuilt/6.1.90-1").sha


@pytest.mark.parametrize(
    ("ref", "sentence"),
    [
        (
            "prebuilt/7.*",
            r"no branch or version 'prebuilt/7\.\*' in tree prebuilt; .*6\.1\.90-1 to",
        ),
        ("6.6", r"no branch or version '6\.6'"),
        ("6.1...6.12", "no history and no merge base"),
    ],
)
def test_a_ref_that_is_none_is_said(tree: Images, ref: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        tree.bring(ref)


def test_two_kinds_of_image_need_two_trees(packages: Packages, tmp_path: Path) -> None:
    packages.add("linux-image-6.1.0-10-rt-amd64", "6.1.101-1")
    tree = packages.tree(tmp_path / "state", {"all": "linux-image-6.1.0-*-amd64"})
    with pytest.raises(UsageError, match=r"both have a version 6\.1\.101-1; give each kind"):
        tree.bring("all")


def test_a_bundle_is_that_of_a_built_kernel(tree: Images, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    document = unpacked(tree, "prebuilt/6.1.90-1", bundle)
    assert json.loads((bundle / "build.json").read_text()) == document
    assert fault(document, "build.schema.json") is None
    assert (document["outcome"], document["release"], document["toolchain"]) == (
        "complete", "6.1.0-9-cloud-amd64", "gcc-12 (Debian 12.2.0) 12.2.0",
    )  # fmt: skip
    assert (bundle / "image").read_bytes() == bzimage("6.1.0-9-cloud-amd64")
    assert (bundle / "config").read_text() == config()
    of = document["kernel"]["prebuilt"]
    assert (of["name"], of["version"]) == ("linux-image-6.1.0-9-cloud-amd64", "6.1.90-1")
    assert of["sha256"][0] in (bundle / "build.log").read_text()


def test_a_damaged_package_is_fetched_again_or_refused(
    tree: Images, packages: Packages, tmp_path: Path, progress_lines: list[str]
) -> None:
    commit = resolved(tree, "prebuilt/6.1.90-1").sha
    _, (path,) = tree.fetched(commit)
    whole = path.read_bytes()

    def flip() -> None:
        path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))

    flip()
    tree.fetched(commit)
    assert path.read_bytes() == whole
    assert any("damaged" in line for line in progress_lines)
    # Without the archive nothing damaged is used.
    flip()
    unplug(packages)
    with pytest.raises(InfrastructureError, match="apt cannot fetch linux-image-6"):
        tree.fetched(commit)


def test_an_archive_that_gives_another_file_is_refused(tree: Images, packages: Packages) -> None:
    tree.versions()
    path = packages.pool / "linux-image-6.1.0-9-cloud-amd64_6.1.90-1_amd64.deb"
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(InfrastructureError, match=r"linux-image-6\.1\.0-9"):
        tree.bring("prebuilt/6.1.90-1")
    assert not any(p.is_file() for p in tree.folder.iterdir())


def test_without_the_archive_what_was_fetched_keeps_working(
    tree: Images, packages: Packages, progress_lines: list[str]
) -> None:
    head = resolved(tree, "6.1")
    unplug(packages)
    stale(tree)
    progress_lines.clear()
    assert resolved(tree, head.describe).sha == resolved(tree, head.sha).sha == head.sha
    assert progress_lines == []
    assert resolved(tree, "prebuilt/6.1.*").sha == resolved(tree, "6.1").sha == head.sha
    assert any("taking the newest 6.1 that was fetched before" in line for line in progress_lines)
    assert tree.fetched(head.sha)
    with pytest.raises(InfrastructureError, match=r"6\.12 of tree prebuilt was not fetched before"):
        tree.bring("6.12")


@pytest.mark.parametrize("missing", ["vmlinuz", "config"])
def test_a_package_without_a_kernel_is_refused(
    packages: Packages, tmp_path: Path, missing: str
) -> None:
    packages.add("linux-image-6.6.1-cloud-amd64", "6.6.1-1", leave_out=[missing])
    tree = packages.tree(tmp_path / "state", {"6.6": "linux-image-6.6.*-cloud-amd64"})
    with pytest.raises(InfrastructureError, match="no package of a kernel image"):
        tree.bring("6.6")


def test_what_a_prebuilt_kernel_cannot_have(tree: Images) -> None:
    commit = resolved(tree, "6.1")
    of, _ = tree.fetched(commit.sha)
    given: dict[str, Any] = {
        "tree": "prebuilt", "branch": "6.1", "commit": commit, "applied": NONE,
        "patches": (), "image": of, "series": None,
    }  # fmt: skip
    board = load().board_type("qemu-sim-2")
    assert identify(board, **given)["arch"] == "x86_64"
    with pytest.raises(
        UsageError, match=r"--series odd: prebuilt/6.1.101-1 .* is a prebuilt kernel"
    ):
        identify(board, **given | {"series": "odd"})
    with pytest.raises(UsageError, match=r"--variant numa: .* its config is the distribution's"):
        identify(board, **given, variant="numa")
    with pytest.raises(UsageError, match=r"for amd64; boards of type qemu-arm64 are arm64"):
        identify(load().board_type("qemu-arm64"), **given)


def test_an_image_of_another_architecture_than_its_package_is_refused(
    packages: Packages, tmp_path: Path
) -> None:
    packages.add("linux-image-6.6.1-cloud-amd64", "6.6.1-1", image=arm64_image("6.6.1"))
    tree = packages.tree(tmp_path / "state", {"6.6": "linux-image-6.6.*-cloud-amd64"})
    with pytest.raises(InfrastructureError, match="an image of arm64, not of x86_64"):
        unpacked(tree, "6.6", tmp_path / "bundle")
    assert not (tmp_path / "bundle" / "build.json").exists()


def test_packages_of_arm64_need_no_foreign_architecture(packages: Packages, tmp_path: Path) -> None:
    packages.add(
        "linux-image-6.6.1-cloud-arm64", "6.6.1-1", architecture="arm64",
        image=gzip.compress(arm64_image("6.6.1-cloud-arm64")),
    )  # fmt: skip
    tree = packages.tree(tmp_path / "state", {"6.6": "linux-image-6.6.*-cloud-arm64"})
    document = unpacked(tree, "6.6", tmp_path / "bundle", "qemu-arm64")
    assert document["release"] == "6.6.1-cloud-arm64"
    # Boards get it unpacked.
    assert (tmp_path / "bundle" / "image").read_bytes() == arm64_image("6.6.1-cloud-arm64")


def test_a_kernel_by_its_files(packages: Packages, tmp_path: Path) -> None:
    image, of_image = tmp_path / "vmlinuz", tmp_path / "its.config"
    image.write_bytes(bzimage("6.6.7-mine"))
    of_image.write_text(config(1000))
    files = Files(image=str(image), config=str(of_image))
    tree = packages.tree(tmp_path / "state", {"mine": files})
    document = unpacked(tree, "mine", tmp_path / "one")
    assert document["release"] == "6.6.7-mine"
    assert len(document["kernel"]["prebuilt"]["sha256"]) == 2
    first = mirror.resolve(tree.mirror, "mine")
    # The file is another kernel now, and the first one is still there by its tag.
    image.write_bytes(bzimage("6.6.8-mine"))
    assert unpacked(tree, "mine", tmp_path / "two")["release"] == "6.6.8-mine"
    assert unpacked(tree, first.describe, tmp_path / "three")["release"] == "6.6.7-mine"
    image.write_bytes(b"no kernel")
    with pytest.raises(InfrastructureError, match=r"vmlinuz: no bzImage of x86_64 and no Image"):
        tree.bring("mine")
    image.unlink()
    with pytest.raises(UsageError, match="vmlinuz: no such file"):
        tree.bring("mine")


def test_debians_own_python_unpacks_a_package(
    tree: Images, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python 3.11.2 of Debian 12 has no filters for what `tarfile` extracts."""

    def extract(*_given: object) -> None:
        pytest.fail("what it extracts is not filtered")

    monkeypatch.setattr(tarfile.TarFile, "extract", extract)
    monkeypatch.setattr(tarfile.TarFile, "extractall", extract)
    assert unpacked(tree, "6.1", tmp_path / "bundle")["outcome"] == "complete"


def test_versions_sort_as_dpkg_sorts_them() -> None:
    versions = [
        "6.1~rc1-1", "6.1-1", "6.1.9-1", "6.1.10-1~bpo12+1", "6.1.10-1~deb12u1", "6.1.10-1",
        "6.1.10-1+b1", "6.1.10-1.1", "6.1.10-2", "6.1.10+a-1", "1:5.0-1",
    ]  # fmt: skip
    assert sorted(sorted(versions), key=version_key) == versions
    for older, newer in itertools.pairwise(versions):
        subprocess.run(["dpkg", "--compare-versions", older, "lt", newer], check=True)


def test_the_date_of_a_package_is_that_of_its_kernel(packages: Packages) -> None:
    path = packages.pool / "linux-image-6.1.0-9-cloud-amd64_6.1.90-1_amd64.deb"
    assert prebuilt.packed_at(path) == MADE
