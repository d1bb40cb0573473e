# SPDX-License-Identifier: GPL-2.0-only
"""`vlag build` with a patch series on a tree of a few files, and what is stored of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.config.documents import fault
from vlag.errors import ExitCode, RefusedError
from vlag.kernel import series
from vlag.pipeline.ingest import ingest
from vlag.store import kernels
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

from . import bundles, tiny_tree

GOOD = """Say more.

--- a/text
+++ b/text
@@ -1 +1,2 @@
 one
+two
"""
BAD = GOOD.replace(" one\n+two", " none\n+three")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree without a Makefile, and a series whose second patch does not apply."""
    monkeypatch.setenv("VLAG_SETTINGS", str(tiny_tree.write(tmp_path)))
    monkeypatch.setattr(series, "PATCHES", tmp_path / "kernel-patches")
    folder = tmp_path / "kernel-patches" / "odd"
    folder.mkdir(parents=True)
    (folder / "good.patch").write_text(GOOD)
    (folder / "bad.patch").write_text(BAD)
    (folder / "series").write_text("good.patch\nbad.patch\n")
    return tmp_path


def build(*options: str) -> Result:
    argv = ["build", "--tree", "tiny", "--ref", "main", "--board-type", "qemu-sim-2", *options]
    return CliRunner().invoke(main, [*argv, "--format", "json"])


def built(*options: str) -> tuple[dict[str, Any], dict[str, Any], str]:
    """Return the answer of a build that failed, its build.json and its log."""
    result = build(*options)
    assert result.exit_code == ExitCode.KERNEL_FAILED, result.stderr
    answer = json.loads(result.stdout)
    bundle = Path(answer["bundle"])
    document = json.loads((bundle / "build.json").read_text())
    assert fault(document, "build.schema.json") is None
    return answer, document, (bundle / "build.log").read_text()


def test_a_patch_that_does_not_apply_is_a_result(
    tree: Path, conn: Connection, catalogue: Catalogue
) -> None:
    answer, document, log = built("--series", "odd", "--application", "full")
    assert answer["outcome"] == "patch_failed"
    assert answer["reason"] == "bad.patch does not apply: text:1"
    assert (answer["series"], answer["application"]) == ("odd", "full")
    assert (document["image"], document["config"], document["release"]) == (None, None, None)
    assert "applying good.patch" in log
    assert "error: text: patch does not apply" in log
    assert [p["name"] for p in document["kernel"]["patches"]] == ["good.patch", "bad.patch"]
    assert document["reproduce"].endswith(" --series odd --application full")
    stored = ingest(Path(answer["bundle"]), conn=conn, catalogue=catalogue)
    assert stored.new
    kernel = kernels.resolve(conn, KernelRef(text=answer["kernel"]))
    assert (kernel.series, kernel.application) == ("odd", "full")
    assert kernel.patches == document["kernel"]["patches"]
    # A failed build is tried again, in a folder of its own.
    assert built("--series", "odd")[0]["bundle"] != answer["bundle"]


def test_a_patch_that_applies_is_what_is_built(tree: Path) -> None:
    answer, document, log = built("--series", "odd", "--application", "solo(1)")
    assert answer["outcome"] == "build_failed"  # the tree has no Makefile
    assert "applying good.patch" in log
    assert (tree / "state" / "src" / "tiny" / "text").read_text() == "one\ntwo\n"
    assert document["reproduce"].endswith(" --series odd --application 'solo(1)'")
    plain, document, log = built()
    assert "applying" not in log
    assert (tree / "state" / "src" / "tiny" / "text").read_text() == "one\n"
    assert (plain["series"], plain["application"]) == (None, "none")
    assert document["kernel"]["patches"] == []
    assert document["reproduce"].endswith(" --board-type qemu-sim-2")
    assert plain["kernel"] != answer["kernel"]
    none = built("--series", "odd", "--application", "none")[0]
    assert (none["kernel"], none["series"]) == (plain["kernel"], None)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--application", "full"], "--application full: of which series?"),
        (["--series", "odd", "--application", "solo(3)"], "solo(3): the series has 2 patches"),
        (["--series", "odd", "--application", "first"], "no application 'first'"),
        (["--series", "../odd"], "no series '../odd'"),
        (["--series", "none"], "there are: odd"),
    ],
)
def test_a_mistake_gets_one_sentence(tree: Path, options: list[str], sentence: str) -> None:
    result = build(*options)
    assert result.exit_code == ExitCode.USAGE
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tree / "state").exists()  # said before anything is fetched


# What the database keeps of it

PATCHES = [{"name": "a.patch", "sha256": "a" * 64}, {"name": "b.patch", "sha256": "b" * 64}]


def test_one_digest_is_one_list_of_patches(conn: Connection) -> None:
    kernel = bundles.kernel("6.12", series="odd", application="full", patches=PATCHES)
    assert fault(kernel, "kernel.schema.json") is None
    id_ = kernels.id_of(conn, kernel)
    renamed = [{**p, "name": f"0-{p['name']}"} for p in PATCHES]
    assert kernels.id_of(conn, {**kernel, "patches": renamed}) == id_
    for other in ([], PATCHES[:1], PATCHES[::-1]):
        with pytest.raises(RefusedError, match="is on record with patches"):
            kernels.id_of(conn, {**kernel, "patches": other})
    assert kernels.by_id(conn, id_).patches == PATCHES


def test_a_bundle_from_before_there_were_patches(conn: Connection) -> None:
    kernel = bundles.kernel("6.12")
    old = {k: v for k, v in kernel.items() if k != "patches"}
    assert fault(old, "kernel.schema.json") is None
    id_ = kernels.id_of(conn, old)
    assert kernels.id_of(conn, kernel) == id_
    assert kernels.by_id(conn, id_).patches == []


@pytest.mark.parametrize("name", ["../a.patch", "a/b.patch", ".patch", "a.txt"])
def test_a_patch_on_record_has_a_plain_name(name: str) -> None:
    kernel = bundles.kernel("6.12", patches=[{**PATCHES[0], "name": name}])
    assert "patches.0.name" in str(fault(kernel, "kernel.schema.json"))
