# SPDX-License-Identifier: GPL-2.0-only
"""Kernels that a distribution has built: from the archive to the database."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests import settings_files
from tests.integration import bundles
from tests.integration.answers import words
from tests.unit.prebuilt_images import Packages
from vlag.cli.main import main
from vlag.compare.kernels import compare
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.pipeline.ingest import ingest_all
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def write(sources: str) -> None:
        path = tmp_path / "vlag.toml"
        images = 'images = {"6.1" = "linux-image-6.1.*-cloud-amd64"}'
        text = settings_files.settings(
            trees=f"[trees.prebuilt]\n{sources}\n{images}", tree="prebuilt", branch="6.1",
            baseline="prebuilt/6.1.*", plan="first",
        )  # fmt: skip
        path.write_text(text)
        monkeypatch.setenv("VLAG_SETTINGS", str(path))

    return write


def vlag(*words: str) -> Result:
    return CliRunner().invoke(main, [*words, "--format", "json"])


def build(ref: str, *options: str) -> Result:
    return vlag("build", "--tree", "prebuilt", "--ref", ref, "--board-type", "qemu-sim-2", *options)


def answered(result: Result) -> Any:
    assert result.exit_code == ExitCode.OK, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


@pytest.fixture
def archive(tmp_path: Path, settings: Callable[[str], None]) -> Packages:
    found = Packages(tmp_path / "archive")
    found.add("linux-image-6.1.0-9-cloud-amd64", "6.1.90-1")
    found.add("linux-image-6.1.0-10-cloud-amd64", "6.1.100-1")
    settings(f'sources = "{found.sources}"')
    return found


def test_a_build_unpacks_and_is_on_record_as_any_other(
    archive: Packages, conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    old, new = answered(build("prebuilt/6.1.90-1")), answered(build("6.1"))
    assert (new["release"], new["reused"]) == ("6.1.0-10-cloud-amd64", False)
    assert answered(build("prebuilt/6.1.*"))["bundle"] == new["bundle"]
    # A flipped bit in the unpacked image: it is unpacked again.
    image = Path(new["bundle"]) / "image"
    whole = image.read_bytes()
    image.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    again = answered(build("6.1"))
    assert (again["reused"], again["bundle"] != new["bundle"]) == (False, True)
    assert (Path(again["bundle"]) / "image").read_bytes() == whole
    # On record: compared with each other, and not with a kernel that was built here.
    identities = [
        json.loads((Path(a["bundle"]) / "build.json").read_text())["kernel"] for a in (old, again)
    ]
    paths = [Path(a["bundle"]) for a in (old, again)]
    for i, of in enumerate([*identities, bundles.kernel("6.12")]):
        paths += bundles.side(tmp_path / str(i), of, catalogue, factors=SAME)
    failed = [r for r in ingest_all(paths, conn=conn, catalogue=catalogue)
              if isinstance(r, Exception)]  # fmt: skip
    assert failed == []

    def verdicts(base: str, other: str) -> set[str]:
        found = compare(
            conn=conn, catalogue=catalogue, board_type="qemu-sim-2",
            base=KernelRef(text=base, knobs={}), new=KernelRef(text=other, knobs={}),
        )  # fmt: skip
        return set(words(found).values())

    assert verdicts("prebuilt/6.1.90-1", "6.1") == {"UNCHANGED"}
    assert verdicts("linux-6.12", "6.1") == {"NOT_COMPARABLE"}


@pytest.mark.parametrize(
    ("ref", "options", "sentence"),
    [
        ("6.1", ["--series", "known-regressions"], "is a prebuilt kernel; patches need a tree"),
        ("6.1", ["--variant", "preempt_rt"], "is a prebuilt kernel; its config is the distribut"),
        ("6.1", ["--board-type", "qemu-arm64"], "for amd64; boards of type qemu-arm64 are arm64"),
        ("6.6", [], "no branch or version '6.6' in tree prebuilt; branches: 6.1;"),
    ],
)
def test_a_mistake_gets_one_sentence(
    archive: Packages, ref: str, options: list[str], sentence: str
) -> None:
    result = build(ref, *options)
    assert result.exit_code == ExitCode.USAGE
    last = result.stderr.splitlines()[-1]
    assert last.startswith("vlag: ")
    assert sentence in last


def test_a_bisection_refuses_prebuilt_kernels(archive: Packages) -> None:
    result = vlag("bisect", "6.1", "6.1", "--tree", "prebuilt", "--benchmark", "stress-ng-switch")
    assert result.exit_code == ExitCode.USAGE
    assert "--tree prebuilt: its kernels are prebuilt" in result.stderr


def test_a_mirror_brings_what_is_watched(archive: Packages, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["mirror"])
    assert result.exit_code == ExitCode.OK, result.stderr
    fetched = [p for p in (tmp_path / "state" / "images" / "prebuilt").iterdir() if p.is_file()]
    assert len(fetched) == 1  # the head, which is also the baseline's newest version
