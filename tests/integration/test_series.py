# SPDX-License-Identifier: GPL-2.0-only
"""`vlag series`: the check of all series on all branches, and an import that is then checked."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests import http_stand_in
from tests.repositories import git
from vlag.cli.main import main
from vlag.errors import ExitCode
from vlag.kernel import series

from . import tiny_tree

GOOD = """Say more.

--- a/text
+++ b/text
@@ -1 +1,2 @@
 one
+two
"""
BAD = GOOD.replace(" one\n+two", " none\n+three")
#: Applies on GOOD alone.
NEXT = GOOD.replace("-1 +1,2 @@\n one\n+two", "-1,2 +1,3 @@\n one\n two\n+three")
SECOND = """[[branches]]
tree = "tiny"
branch = "main"
baseline = "v1"
series = "odd"
applications = ["each"]
board_types = ["qemu-sim-2"]
plan = "nightly"
"""


@pytest.fixture
def patches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with the branches `main` and `next`, of which the settings watch `main`."""
    monkeypatch.setenv("VLAG_SETTINGS", str(tiny_tree.write(tmp_path)))
    repository = tmp_path / "tiny.git"
    stream = (
        "commit refs/heads/next\ncommitter x <x@localhost> 2 +0000\ndata 1\nx\n"
        "M 100644 inline text\ndata 4\nnot\n\n"
    )
    git(repository, "fast-import", "--quiet", given=stream)
    monkeypatch.setattr(series, "PATCHES", tmp_path / "kernel-patches")
    return tmp_path / "kernel-patches"


def put(patches: Path, name: str, *texts: str) -> None:
    (patches / name).mkdir(parents=True)
    for number, text in enumerate(texts, 1):
        (patches / name / f"{number}.patch").write_text(text)
    listing = "".join(f"{number}.patch\n" for number in range(1, len(texts) + 1))
    (patches / name / "series").write_text(listing)


def vlag(*words: object) -> Result:
    return CliRunner().invoke(main, ["series", *map(str, words)])


def checked(*words: str, status: int = 0) -> list[dict[str, Any]]:
    result = vlag("check", *words, "--format", "json")
    assert result.exit_code == status, result.stderr
    return list(json.loads(result.stdout)["checked"])


def test_every_series_is_checked_on_every_watched_branch(patches: Path) -> None:
    put(patches, "good", GOOD, NEXT)
    put(patches, "odd", BAD, GOOD)
    found = checked(status=ExitCode.KERNEL_FAILED)
    assert [(c["series"], c["branch"], c["application"]) for c in found] == [
        ("good", "main", "full"), ("odd", "main", "full"),
    ]  # fmt: skip
    states = [[p["state"] for p in c["patches"]] for c in found]
    assert states == [["applies", "applies"], ["does not apply", "applies"]]
    (hunk,) = found[1]["patches"][0]["hunks"]
    assert (hunk["file"], hunk["hunk"], hunk["line"]) == ("text", 1, 1)
    # Negative control: without the patch that does not apply, all is well.
    assert len(checked("good")) == 1


@pytest.mark.parametrize(("text", "applies"), [(GOOD, True), (BAD, False), (NEXT, False)])
def test_a_build_agrees_with_the_check(patches: Path, text: str, applies: bool) -> None:
    put(patches, "odd", text)
    (found,) = checked(status=0 if applies else ExitCode.KERNEL_FAILED)
    assert found["patches"][0]["applies"] is applies
    words = ["build", "--tree", "tiny", "--ref", "main", "--board-type", "qemu-sim-2"]
    built = CliRunner().invoke(main, [*words, "--series", "odd", "--format", "json"])
    # The tree has no Makefile, so no patch makes it build.
    outcome = "build_failed" if applies else "patch_failed"
    assert json.loads(built.stdout)["outcome"] == outcome


def test_the_settings_say_how_a_series_is_applied(patches: Path) -> None:
    put(patches, "odd", GOOD, NEXT)
    path = patches.parent / "vlag.toml"
    path.write_text(path.read_text().replace("[nightly]", f"{SECOND}[nightly]"))
    found = checked(status=ExitCode.KERNEL_FAILED)
    assert [c["application"] for c in found] == ["solo(1)", "solo(2)"]
    # The second needs the first, so it does not apply alone.
    assert [p["applies"] for c in found for p in c["patches"]] == [True, False]
    text = vlag("check").stdout
    assert text.count("odd (each alone) on tiny/main") == 1


def test_another_branch_may_be_named(patches: Path) -> None:
    put(patches, "good", GOOD)
    assert [c["branch"] for c in checked("--branch", "main")] == ["main"]
    for name in ("next", "tiny/next"):
        (found,) = checked("--branch", name, status=ExitCode.KERNEL_FAILED)
        assert (found["branch"], found["patches"][0]["applies"]) == ("next", False)
    wrong = vlag("check", "--branch", "gone")
    assert wrong.exit_code == ExitCode.USAGE
    assert "no mirror has it; there are: tiny/main, tiny/next" in wrong.stderr


def test_the_table_has_80_columns_and_says_what_is_checked(patches: Path) -> None:
    put(patches, "a-long-name-of-a-series", GOOD, BAD, BAD)
    long = patches / "a-long-name-of-a-series"
    (long / f"{'x' * 90}.patch").write_text(BAD.replace("text", "a-file-" * 20))
    (long / "series").write_text(f"1.patch\n2.patch\n{'x' * 90}.patch\n")
    result = vlag("check")
    lines = result.stdout.splitlines()
    assert max(len(line) for line in lines if "a-file-" not in line) <= 80
    assert lines[-1] == "3 patches were checked: 2 do not apply as a build needs it"
    assert "tiny/main at " in result.stderr
    assert "a-long-name-of-a-series full: 3 patches" in result.stderr


@pytest.mark.parametrize("name", ["none", "../odd"])
def test_a_mistake_gets_one_sentence(patches: Path, name: str) -> None:
    put(patches, "odd", GOOD)
    result = vlag("check", name)
    assert result.exit_code == ExitCode.USAGE
    assert result.stderr.startswith(f"vlag: no series '{name}'")
    assert result.stderr.count("\n") == 1
    assert not (patches.parent / "state").exists()


def test_without_any_series_the_way_to_one_is_said(patches: Path) -> None:
    result = vlag("check")
    assert result.exit_code == ExitCode.USAGE
    assert "`vlag series import` makes one from mail" in result.stderr


def test_an_imported_series_is_checked(patches: Path) -> None:
    mail = patches.parent / "x.mbox"
    head = "From 0 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\nSubject: [PATCH] Say more\n\n"
    mail.write_text(f"{head}Why.\n---\n{GOOD.partition(chr(10))[2]}\n")
    result = vlag("import", mail, "--name", "mine", "--format", "json")
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert (answer["series"], answer["title"]) == ("mine", "Say more")
    assert [p["name"] for p in answer["patches"]] == ["0001-say-more.patch"]
    assert checked("mine")[0]["patches"][0]["applies"]
    again = vlag("import", mail, "--name", "mine")
    assert again.exit_code == ExitCode.USAGE
    assert again.stderr.count("\n") == 1
    text = vlag("import", mail, "--name", "other")
    assert text.stdout.splitlines()[-1] == "next: vlag series check other"


def test_the_thread_of_a_message_id_is_imported_from_a_mirror(
    patches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = (
        "From mboxrd@z Thu Jan  1 00:00:00 1970\nFrom: A <a@example.org>\n"
        "Subject: [PATCH] Say more\n"
    )
    thread = f"{head}Message-ID: <more@example.org>\n\nWhy.\n---\n{GOOD.partition(chr(10))[2]}\n"
    answer = http_stand_in.Answer(body=gzip.compress(thread.encode()))
    missing = http_stand_in.Answer(status=404)
    name = "/all/more%40example.org/t.mbox.gz"
    with http_stand_in.served(lambda r: answer if r.path == name else missing) as mirror:
        for key, value in {"COUNT": "1", "KEY_0": "lore.fallback", "VALUE_0": mirror.url}.items():
            monkeypatch.setenv(f"GIT_CONFIG_{key}", value)
        result = vlag("import", "https://lore.kernel.org/r/more@example.org/", "--name", "mine")
        assert result.exit_code == 0, result.stderr
        assert result.stderr.splitlines()[0].endswith(" fetching the thread of more@example.org")
        assert result.stderr.count("\n") == 1
        assert checked("mine")[0]["patches"][0]["applies"]
        # Negative control: one that the mirror does not have.
        other = vlag("import", "<less@example.org>", "--name", "other")
    assert other.exit_code == ExitCode.INFRASTRUCTURE
    assert other.stderr.splitlines()[1].endswith(
        "gave no thread of less@example.org (Server returned an error: 404); save the thread as an"
        " mbox and give that file, or try again later"
    )


def test_what_is_neither_file_nor_message_id_is_said(patches: Path) -> None:
    result = vlag("import", "nowhere")
    assert result.exit_code == ExitCode.USAGE
    assert "nowhere: no such file, and no Message-ID" in result.stderr
    assert vlag("import", "not an@id").exit_code == ExitCode.USAGE
