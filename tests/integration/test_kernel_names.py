# SPDX-License-Identifier: GPL-2.0-only
"""Which kernel a name means, what `vlag kernels` lists, and what a shell completes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg.errors
import pytest
from click.testing import Result

from tests.integration import bundles
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode, UsageError
from vlag.pipeline.ingest import ingest_all
from vlag.store import kernels
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef, resolve

SERIES = "known-regressions"
PATCHES = [{"name": f"000{n}-slow.patch", "sha256": str(n) * 64} for n in (1, 2)]


def patched(name: str, application: str, **changes: Any) -> dict[str, Any]:
    few = {"full": PATCHES, "solo(1)": PATCHES[:1], "solo(2)": PATCHES[1:]}[application]
    return bundles.kernel(
        name, **{"series": SERIES, "application": application, "patches": few, **changes}
    )


PLAIN = bundles.kernel("6.12")
SOLO, FULL = patched("6.12", "solo(1)"), patched("6.12", "full")
TAGGED = bundles.kernel("6.1", branch="v6.1.170", describe="v6.1.170")
TAGGED_SOLO = patched("6.1", "solo(1)", branch="v6.1.170", describe="v6.1.170")
HALF = patched("6.6", "solo(2)")  # of a branch that was never built as it is

Build = Callable[..., None]


@pytest.fixture
def build(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Build:
    """Put builds on record, one after another in time."""
    built: list[Path] = []

    def work(*of: dict[str, Any], **changes: Any) -> None:
        for k in of:
            at = f"2026-03-{len(built) + 1:02}T10:00:00Z"
            folder = tmp_path / "builds" / str(len(built))
            built.append(bundles.build(folder, k, finished_at=at, **changes))
            bundles.store(conn, catalogue, built[-1:])

    return work


def means(conn: Connection, text: str, **given: Any) -> str:
    return resolve(conn, KernelRef(text=text, **given)).digest


def refused(conn: Connection, text: str) -> str:
    with pytest.raises(UsageError) as e:
        resolve(conn, KernelRef(text=text))
    said = str(e.value)
    assert "\n" not in said
    return said


def test_a_commit_of_a_sha256_repository_is_named_by_its_first_digits(
    conn: Connection, build: Build
) -> None:
    long = bundles.kernel("6.13", commit=bundles.sha("6.13"))
    build(PLAIN, long)
    assert len(long["commit"]) == 64
    for text in (long["commit"], long["commit"][:12], long["commit"][:7]):
        assert means(conn, text) == long["digest"]
    with pytest.raises(psycopg.errors.CheckViolation):  # negative control: neither kind of id
        conn.execute("UPDATE kernel SET commit = left(commit, 50)")


@pytest.mark.parametrize(
    ("plain", "solo", "names"),
    [
        (PLAIN, SOLO, ("linux-6.12", "debian/linux-6.12", "debian/6.12.170-1")),
        (TAGGED, TAGGED_SOLO, ("v6.1.170", "debian/v6.1.170")),
    ],
)
def test_a_bare_name_is_the_kernel_without_patches(
    conn: Connection, build: Build, plain: Any, solo: Any, names: tuple[str, ...]
) -> None:
    build(plain, solo)  # the patched one is the latest build
    for name in (*names, plain["commit"], plain["commit"][:7]):
        assert means(conn, name) == plain["digest"], name
        for written in ("solo(1)", "solo=1", "solo1"):
            assert means(conn, f"{name}+{SERIES}:{written}") == solo["digest"]
    # A digest is its one kernel, patched or not.
    for k in (plain, solo):
        assert means(conn, k["digest"]) == means(conn, k["digest"][:9]) == k["digest"]


def test_the_latest_build_of_a_branch_is_meant(conn: Connection, build: Build) -> None:
    newer = bundles.kernel("6.12.1", branch="linux-6.12")
    build(PLAIN, newer, SOLO, FULL)
    assert means(conn, "linux-6.12") == newer["digest"]
    assert means(conn, PLAIN["commit"]) == PLAIN["digest"]
    assert means(conn, f"linux-6.12+{SERIES}") == FULL["digest"]
    assert means(conn, f"linux-6.12+{SERIES}:full") == FULL["digest"]
    # Negative control: the build decides, not the order in which they came in.
    build(PLAIN, image=None, config=None, outcome="build_failed", reason="no room", release=None)
    assert means(conn, "linux-6.12") == PLAIN["digest"]


def test_what_is_not_there_is_said_with_what_is(conn: Connection, build: Build) -> None:
    build(HALF)
    there = f"linux-6.6+{SERIES}:solo(2)"
    said = refused(conn, "linux-6.6")
    assert said == f"linux-6.6 has no kernel without patches on record; there are: {there}"
    assert refused(conn, HALF["commit"][:9]).endswith(said.partition("has no")[2])
    said = refused(conn, f"linux-6.6+{SERIES}")
    assert said == f"linux-6.6 has no kernel with {SERIES} on record; there are: {there}"
    assert f"no kernel with {SERIES}:solo(3)" in refused(conn, f"linux-6.6+{SERIES}:solo(3)")
    for unknown in ("linux-7.0", "0123456", f"linux-6.6+{SERIES}:half", "linux-6.6+other:"):
        assert refused(conn, unknown) == f"no kernel {unknown!r} is on record; there are: {there}"
    # Negative control: once it is built it is found.
    plain = bundles.kernel("6.6")
    build(plain)
    assert means(conn, "linux-6.6") == plain["digest"]


def test_nothing_on_record_is_said_too(conn: Connection) -> None:
    assert refused(conn, "linux-6.12").endswith("there are: none")


def test_build_configs_are_not_guessed(conn: Connection, build: Build) -> None:
    other, far = bundles.kernel("6.12", variant="rt"), bundles.kernel("6.12", arch="arm64")
    build(PLAIN, other, far, SOLO)
    said = refused(conn, "linux-6.12")
    for k, words in (
        (PLAIN, "default, x86_64"), (other, "rt, x86_64"), (far, "default, arm64"),
    ):  # fmt: skip
        assert f"{k['digest'][:12]} (linux-6.12, variant {words})" in said
    assert said.startswith("'linux-6.12' may mean builds with several configs: ")
    assert said.endswith("; give the digest of one")
    assert means(conn, "linux-6.12", variant="rt") == other["digest"]
    # Negative control: with the series on top there is one.
    assert means(conn, f"linux-6.12+{SERIES}:solo1") == SOLO["digest"]


def test_a_series_that_was_edited_is_its_latest_build(conn: Connection, build: Build) -> None:
    edited = patched("6.12", "solo(1)", patches=[{"name": "0001-slow.patch", "sha256": "9" * 64}])
    build(PLAIN, SOLO, edited)
    assert means(conn, f"linux-6.12+{SERIES}:solo(1)") == edited["digest"]
    names = kernels.names(kernels.listed(conn))
    assert sorted(names.values()) == sorted(
        ["linux-6.12", f"linux-6.12+{SERIES}:solo(1)", SOLO["digest"][:12]]
    )


def test_a_tag_with_a_plus_of_its_own(conn: Connection, build: Build) -> None:
    tag = "debian/6.12.2-1-bpo12+1"
    plain = bundles.kernel("6.12.2", branch=tag, describe=tag)
    build(plain, patched("6.12.2", "full", branch=tag, describe=tag))
    assert means(conn, tag) == plain["digest"]
    assert means(conn, f"{tag}+{SERIES}") != plain["digest"]


def test_every_name_that_is_listed_is_taken(
    conn: Connection, build: Build, vlag: Callable[..., Result]
) -> None:
    newer = bundles.kernel("6.12.1", branch="linux-6.12")
    elsewhere = bundles.kernel("6.12.9", tree="tip", branch="linux-6.12", describe="v6.12.9")
    build(elsewhere, PLAIN, SOLO, FULL, newer, TAGGED, TAGGED_SOLO, HALF,
          bundles.kernel("6.1", variant="rt", branch="v6.1.170", describe="v6.1.170"))  # fmt: skip
    found = json.loads(vlag("kernels", "--all", "--format", "json").stdout)["kernels"]
    assert len(found) == 9
    for k in found:
        assert means(conn, k["name"]) == k["digest"], k["name"]
    names = [k["name"] for k in found]
    assert len(set(names)) == len(names)
    assert names[0] == bundles.kernel(
        "6.1", variant="rt", branch="v6.1.170", describe="v6.1.170"
    )["digest"][:12]  # fmt: skip
    assert {
        "linux-6.12", "tip/linux-6.12", "debian/6.12.170-1", f"linux-6.12+{SERIES}",
        f"linux-6.12+{SERIES}:solo(1)", f"v6.1.170+{SERIES}:solo(1)",
        f"linux-6.6+{SERIES}:solo(2)",
    } <= set(names)  # fmt: skip
    of_tip = json.loads(vlag("kernels", "--tree", "tip", "--format", "json").stdout)["kernels"]
    assert [k["name"] for k in of_tip] == ["tip/linux-6.12"]
    text = vlag("kernels", "--branch", "linux-6.6").stdout
    assert text.startswith(f"linux-6.6+{SERIES}:solo(2)\n")
    refusal = vlag("kernels", "--branch", "linux-9")
    assert refusal.exit_code == ExitCode.USAGE
    assert "tip/linux-6.12" in refusal.stderr


def test_the_list_is_for_people(
    conn: Connection,
    build: Build,
    vlag: Callable[..., Result],
    catalogue: Catalogue,
    tmp_path: Path,
) -> None:
    assert vlag("kernels").stdout == "no kernel is on record\n"
    long = bundles.kernel("6.12", subject="sched/fair: " + "a word " * 30)
    build(long)
    run = bundles.run(tmp_path / "run", long, catalogue)
    [stored] = ingest_all([run], conn=conn, catalogue=catalogue)
    assert not isinstance(stored, Exception)
    name, subject, rest = vlag("kernels").stdout.splitlines()
    assert name == "linux-6.12"
    assert subject.startswith(f"    {long['commit'][:12]} 2026-02-20 sched/fair: a word")
    assert subject.endswith("...")
    assert len(subject) <= 80
    assert rest == "    release debian/6.12.170-1-vlag, runs on qemu-sim-2"
    for n in range(25):
        build(bundles.kernel(f"6.12.{n + 1}", branch="linux-6.12"))
    lines = vlag("kernels").stdout.splitlines()
    assert lines[-1] == "6 older ones: --all lists them"
    assert "runs on no board" in lines[2]
    assert len(vlag("kernels", "--all").stdout.splitlines()) == 26 * 3


def test_patches_are_compared_by_name_and_knobs_by_option(
    conn: Connection, vlag: Callable[..., Result], catalogue: Catalogue, tmp_path: Path
) -> None:
    same = (1.0, 1.001, 0.999, 1.0005, 0.9995)
    slow, knob = tuple(0.9 * f for f in same), {"base_slice_ns": "3000000"}
    for of, factors, knobs in (
        (PLAIN, same, {}), (PLAIN, slow, knob), (SOLO, slow, {}), (FULL, same, {}),
    ):  # fmt: skip
        paths = bundles.side(tmp_path, of, catalogue, factors=factors, knobs=knobs)
        bundles.store(conn, catalogue, paths)

    def regressions(*arguments: str) -> int:
        done = vlag("compare", *arguments, "--format", "json")
        assert done.exit_code == ExitCode.OK, done.output
        return int(json.loads(done.stdout)["regressions"])

    assert regressions("linux-6.12", f"linux-6.12+{SERIES}:solo(1)") == 1
    assert regressions("linux-6.12", "linux-6.12", "--new-knob", "base_slice_ns=3000000") == 1
    # Negative control: the whole series changes nothing, and a name has no knobs of its own.
    assert regressions("linux-6.12", f"linux-6.12+{SERIES}") == 0
    done = vlag("compare", "linux-6.12", "linux-6.12")
    assert done.exit_code == ExitCode.USAGE
    assert "same kernel" in done.stderr
    done = vlag("compare", "linux-6.12", f"linux-6.12+{SERIES}:prefix(2)")
    assert done.exit_code == ExitCode.USAGE
    assert f"no kernel with {SERIES}:prefix(2) on record; there are: linux-6.12" in done.stderr


def complete(dsn: str, line: str) -> list[str]:
    """Return what bash would offer after a line; nothing else may be printed."""
    words = line.split(" ")
    done = subprocess.run(
        [Path(sys.executable).with_name("vlag")],
        env={
            **os.environ, "_VLAG_COMPLETE": "bash_complete", "VLAG_DATABASE": dsn,
            "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1),
        },
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.split()


def test_a_shell_completes_names(conn: Connection, build: Build, dsn: str) -> None:
    build(PLAIN, SOLO, FULL, TAGGED)
    kernels_of = [f"plain,linux-6.12{x}" for x in ("", f"+{SERIES}", f"+{SERIES}:solo1")]
    assert complete(dsn, "vlag compare linux-6") == kernels_of
    for candidate in kernels_of:  # what is offered is taken
        means(conn, candidate.removeprefix("plain,"))
    assert complete(dsn, "vlag compare nowhere") == ["file,nowhere"]
    assert complete(dsn, "vlag compare a b --benchmark stress-ng-y") == ["plain,stress-ng-yield"]
    assert "plain,qemu-sim-2" in complete(dsn, "vlag compare a b --board-type qemu-sim")
    assert complete(dsn, "vlag compare a b --plan nightl") == ["plain,nightly"]
    # Negative control: without a database, or without settings, there are none, and no error.
    nowhere = "host=127.0.0.1 port=1 user=nobody dbname=none"
    assert complete(nowhere, "vlag compare linux-6") == ["file,linux-6"]
    assert complete("no connection string", "vlag compare linux-6") == ["file,linux-6"]
