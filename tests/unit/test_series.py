# SPDX-License-Identifier: GPL-2.0-only
"""Patch series: what is read, selected and applied, and what a mistake in one is called."""

import io
import subprocess
from pathlib import Path

import pytest

from tests.repositories import bare, git
from vlag.bundle_records import KernelRecord
from vlag.errors import InfrastructureError, UsageError
from vlag.kernel import series
from vlag.kernel.mirror import Commit
from vlag.kernel.series import Application, Patch
from vlag.kernel.tuxmake_build import Recipe, checkout, identity

LINES = [f"line {i}\n" for i in range(1, 41)]


def edit(number: int, text: str, file: str = "fair.c") -> str:
    """Diff that makes line `number` of the file another one."""
    old = LINES[number - 1]
    before, after = LINES[number - 4 : number - 1], LINES[number : number + 3]
    body = [*(f" {x}" for x in before), f"-{old}", f"+{text}\n", *(f" {x}" for x in after)]
    hunk = f"@@ -{number - 3},7 +{number - 3},7 @@\n"
    return f"diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n{hunk}{''.join(body)}"


NEW = """diff --git a/tool b/tool
new file mode 100755
--- /dev/null
+++ b/tool
@@ -0,0 +1 @@
+#!/bin/sh
"""
DELETE = """diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-gone
"""
MAIL = """From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001
From: A Developer <dev@example.org>
Date: Thu, 1 Jan 2026 00:00:00 +0000
Subject: [PATCH v2 1/3] sched/fair: look at every =?UTF-8?q?t=C3=A2che?=
 twice

Why it is so.

Vlag-Applies-To: linux-6.1 linux-6.1[0-9]
Vlag-Predicts: qemu-sim-2 stress-ng-switch time-per-switch worse
Vlag-Predicts: qemu-sim-2 hackbench-pipe * better
Vlag-Knobs: sched_features=NO_X,Y preempt=full
Signed-off-by: A Developer <dev@example.org>
---
 fair.c | 2 +-

"""


def folder(root: Path, patches: dict[str, str], listing: str | None = None) -> Path:
    (root / "odd").mkdir(parents=True)
    for name, text in patches.items():
        (root / "odd" / name).write_text(text)
    (root / "odd" / "series").write_text(listing or "".join(f"{n}\n" for n in patches))
    return root


def one(root: Path, header: str) -> Patch:
    (patch,) = series.read(folder(root, {"a.patch": header + edit(10, "x")}), "odd")
    return patch


# Reading


def test_a_series_is_read_in_its_order(tmp_path: Path) -> None:
    files = {"b.patch": edit(10, "x"), "01-a.patch": MAIL + edit(20, "y"), "c.patch": NEW}
    folder(tmp_path, files, "# first\n\nb.patch\n  01-a.patch -p1 # why\n#c.patch\n")
    b, a = series.read(tmp_path, "odd")
    assert (b.name, b.title, b.subject) == ("b.patch", "b", "b.patch")
    assert (a.name, a.title) == ("01-a.patch", "a")
    assert a.subject == "sched/fair: look at every tâche twice"
    assert a.data == (tmp_path / "odd" / "01-a.patch").read_bytes()
    assert (b.trailers.applies_to, b.trailers.predicts, b.trailers.knobs) == ((), None, {})
    assert a.trailers.applies_to == ("linux-6.1", "linux-6.1[0-9]")
    assert a.trailers.predicts is not None
    assert [(p.board_type, p.benchmark, p.metric, p.change) for p in a.trailers.predicts] == [
        ("qemu-sim-2", "stress-ng-switch", "time-per-switch", "worse"),
        ("qemu-sim-2", "hackbench-pipe", "*", "better"),
    ]
    assert a.trailers.knobs == {"sched_features": "NO_X,Y", "preempt": "full"}
    assert [b.fits(n) for n in ("linux-6.1", "linux-6.12", "linux-6.2")] == [True, True, True]
    assert [a.fits(n) for n in ("linux-6.1", "linux-6.12", "linux-6.2")] == [True, True, False]


def test_a_prediction_may_name_its_statistic_and_may_only_allow(tmp_path: Path) -> None:
    one_ = "Vlag-Predicts: qemu-sim-2 a latency p99 worse\nVlag-Allows: * a latency p50 better\n"
    patch = one(tmp_path, f"Subject: x\n\nWhy.\n\n{one_}")
    must, may = patch.trailers.predicts or ()
    assert (must.statistic, must.change, must.must) == ("p99", "worse", True)
    assert (may.board_type, may.statistic, may.change, may.must) == ("*", "p50", "better", False)
    assert must.covers("a", "latency", "p99", "worse")
    assert not must.covers("a", "latency", "p50", "worse")
    assert not must.covers("a", "latency", "p99", "better")
    assert (must.required("qemu-sim-2"), must.required("qemu-sim-4")) == (True, False)
    assert may.applies("qemu-sim-4")
    assert not may.required("*")


def test_a_header_without_statistics_means_any_of_them(tmp_path: Path) -> None:
    _, better = one(tmp_path, MAIL).trailers.predicts or ()
    assert better.covers("hackbench-pipe", "time", "p99", "better")
    assert better.covers("hackbench-pipe", "time", "median", "better")


def test_a_header_of_plain_text(tmp_path: Path) -> None:
    patch = one(tmp_path, "\nSlower wake-ups.\n\nvlag-predicts: nothing\n\n")
    assert patch.subject == "Slower wake-ups."
    assert patch.trailers.predicts == ()


def test_a_long_trailer_goes_on_in_the_next_line(tmp_path: Path) -> None:
    patch = one(tmp_path, "Subject: x\n\nVlag-Knobs: preempt=full\n base_slice_ns=1\n")
    assert patch.trailers.knobs == {"preempt": "full", "base_slice_ns": "1"}


def test_a_diff_may_say_what_a_trailer_says(tmp_path: Path) -> None:
    patch = one(tmp_path, MAIL.replace("-Predicts", "-predicts") + edit(30, "Vlag-Nonsense"))
    assert len(patch.trailers.predicts or ()) == 2


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("* better", "better", r":11: Vlag-Predicts: 'qemu-sim-2 hackbench-pipe better' is neit"),
        ("* better", "* faster", r":11: Vlag-Predicts: .* is neither"),
        ("hackbench-pipe *", "stress-ng-switch time-per-switch", r":11: .* is predicted twice"),
        ("* better", "* p50 much better", r":11: Vlag-Predicts: .* is neither"),
        (
            "Vlag-Predicts: qemu-sim-2 hackbench-pipe * better",
            "Vlag-Allows: nothing",
            r":11: Vlag-Allows: 'nothing' is not 'BOARD_TYPE",
        ),
        ("qemu-sim-2 hackbench-pipe * better", "nothing", r":11: .*'nothing' must be the only"),
        ("Vlag-Applies-To: linux-6.1", "Vlag-Predicts: nothing ", r":9: .*'nothing linux"),
        ("linux-6.1 ", "linux$ ", r":9: Vlag-Applies-To: 'linux\$' is no glob"),
        ("preempt=", "preempt:", r":12: Vlag-Knobs: 'preempt:full' is not NAME=VALUE"),
        ("preempt=", "sched_features=", r":12: Vlag-Knobs: 'sched_features=full' is given twice"),
        ("=full", "=$(rm)", r":12: Vlag-Knobs: "),
        ("Signed-off-by: A", "Vlag-Knobs: preempt=A #", r":13: Vlag-Knobs: is given twice"),
        ("Vlag-Knobs", "Vlag-Knob", r":12: Vlag-Knob: no such trailer"),
        ("Vlag-Knobs: sched_features=NO_X,Y preempt=full", "Vlag-Knobs:", ":12: .*has no value"),
        ("Vlag-Knobs:", "Vlag-Knobs", r":12: Vlag-Knobs is no trailer here"),
        ("Why it is so.", "Vlag-Knobs: preempt=full", r":7: Vlag-Knobs is no trailer here"),
        (" fair.c |", "Vlag-Knobs: preempt=full\n f |", r":15: Vlag-Knobs is no trailer here"),
        ("Vlag-App", "Not a trailer.\n" * 20 + "Vlag-App", r":29: Vlag-Applies-To is no trailer"),
    ],
)
def test_a_wrong_trailer_is_said_with_its_line(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    assert old in MAIL
    with pytest.raises(UsageError, match=rf"odd/a\.patch{sentence}") as caught:
        one(tmp_path, MAIL.replace(old, new, 1))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("listing", "sentence"),
    [
        ("\n../a.patch\n", r"odd/series:2: '\.\./a\.patch' is no plain file name"),
        ("/etc/a.patch\n", r"series:1: '/etc/a\.patch' is no plain"),
        ("sub/a.patch\n", r"series:1: 'sub/a\.patch' is no plain"),
        (".a.patch\n", r"series:1: '\.a\.patch' is no plain"),
        ("a.diff\n", r"series:1: 'a\.diff' is no plain file name that ends in \.patch"),
        ("a.patch -p0\n", r"series:1: '-p0' after the name; only -p1"),
        ("a.patch -p1 -R\n", r"series:1: '-p1 -R' after the name"),
        ("a.patch\na.patch\n", r"series:2: a\.patch is listed twice"),
        ("none.patch\n", r"series:1: .*none\.patch is no file"),
        ("link.patch\n", r"series:1: .*link\.patch is a symbolic link"),
        ("empty.patch\n", r"empty\.patch: has no diff"),
        ("latin.patch\n", r"latin\.patch:2: not UTF-8"),
        ("# a.patch\n", r"odd/series: names no patch"),
    ],
)
def test_a_wrong_series_is_said(tmp_path: Path, listing: str, sentence: str) -> None:
    root = folder(tmp_path / "root", {"a.patch": edit(10, "x"), "empty.patch": "Why.\n"}, listing)
    (tmp_path / "a.patch").write_text(edit(10, "x"))
    (root / "odd" / "link.patch").symlink_to(tmp_path / "a.patch")
    (root / "odd" / "latin.patch").write_bytes(b"Why.\n\xff\n" + edit(10, "x").encode())
    with pytest.raises(UsageError, match=sentence):
        series.read(root, "odd")


@pytest.mark.parametrize("name", ["../odd", "", ".", "Odd", "odd/", "none", "linked", "odd\n"])
def test_a_series_is_a_plain_folder(tmp_path: Path, name: str) -> None:
    root = folder(tmp_path / "root", {"a.patch": edit(10, "x")})
    (root / "linked").symlink_to(root / "odd")
    with pytest.raises(UsageError, match="no series"):
        series.read(root, name)
    assert len(series.read(root, "odd")) == 1


def test_the_listing_is_no_link(tmp_path: Path) -> None:
    root = folder(tmp_path, {"a.patch": edit(10, "x")})
    (root / "odd" / "series").rename(root / "elsewhere")
    (root / "odd" / "series").symlink_to(root / "elsewhere")
    with pytest.raises(UsageError, match="symbolic link"):
        series.read(root, "odd")


# Selecting


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("none", ""), ("full", "abc"), ("solo(1)", "a"), ("solo(3)", "c"), ("prefix(1)", "a"),
        ("prefix(2)", "ab"), ("prefix(3)", "abc"), ("without(1)", "bc"), ("without(2)", "ac"),
    ],
)  # fmt: skip
def test_an_application_selects(tmp_path: Path, text: str, names: str) -> None:
    root = folder(tmp_path, {f"{n}.patch": edit(10, n) for n in "abc"})
    application = Application.parse(text)
    assert str(application) == text
    chosen = series.select(series.read(root, "odd"), application)
    assert "".join(p.title for p in chosen) == names


@pytest.mark.parametrize("text", ["", "each", "solo", "solo(0)", "solo(01)", "solo(-1)", "solo(1",
                                  "Full", "full(1)", "full ", "solo( 1)", "solo(1)\n"])  # fmt: skip
def test_no_application(text: str) -> None:
    with pytest.raises(UsageError, match="no application"):
        Application.parse(text)


@pytest.mark.parametrize("kind", ["solo", "prefix", "without"])
def test_a_number_beyond_the_series(tmp_path: Path, kind: str) -> None:
    patches = series.read(folder(tmp_path, {"a.patch": edit(9, "a"), "b.patch": NEW}), "odd")
    with pytest.raises(UsageError, match=r"\(3\): the series has 2 patches, counted from 1"):
        series.select(patches, Application(kind, 3))


# Applying


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    text = "".join(LINES)
    files = {"fair.c": text, "core.c": text, "gone": "gone\n", ".gitignore": "*.o\n"}
    stream = "commit refs/heads/main\ncommitter x <x@localhost> 1 +0000\ndata 1\nx\n"
    for name, content in files.items():
        stream += f"M 100644 inline {name}\ndata {len(content)}\n{content}\n"
    return bare(tmp_path / "mirror.git", stream)


def status(tree: Path) -> str:
    return git(tree, "status", "--porcelain", "--ignored")


def patches_of(root: Path, patches: dict[str, str]) -> tuple[Patch, ...]:
    return series.read(folder(root, patches), "odd")


def test_a_checkout_leaves_nothing_of_what_was_applied(mirror: Path, tmp_path: Path) -> None:
    tree, log = tmp_path / "src" / "tree", io.StringIO()
    patches = patches_of(
        tmp_path / "p",
        {"a.patch": edit(10, "first"), "b.patch": NEW + DELETE, "c.patch": edit(30, "x", "core.c")},
    )
    with checkout(mirror, tree, "main"):
        assert status(tree) == ""
        assert series.apply(patches, tree, log) is None
        assert "first\n" in (tree / "fair.c").read_text()
        assert (tree / "tool").stat().st_mode & 0o111
        assert status(tree).split() == ["M", "core.c", "M", "fair.c", "D", "gone", "A", "tool"]
        (tree / "fair.o").touch()  # as a build leaves it
        (tree / "left").touch()
    with checkout(mirror, tree, "main"):
        assert status(tree) == ""
        assert (tree / "fair.c").read_text() == "".join(LINES)
        assert (tree / "gone").exists()
        assert not (tree / "tool").exists()
        # The second time the tree is not a fresh one: the series still applies.
        assert series.apply(patches, tree, log) is None
    with checkout(mirror, tree, "main"):
        assert status(tree) == ""


def test_half_a_series_leaves_nothing_either(mirror: Path, tmp_path: Path) -> None:
    tree, log = tmp_path / "src" / "tree", io.StringIO()
    bad = edit(20, "y").replace("-line 20", "-line twenty")
    patches = patches_of(tmp_path / "p", {"a.patch": NEW, "pick-path.patch": bad})
    with checkout(mirror, tree, "main"):
        said = series.apply(patches, tree, log)
        assert said == "pick-path.patch does not apply: fair.c:17"
        assert (tree / "tool").exists()
        assert (tree / "fair.c").read_text() == "".join(LINES)
    assert "applying a.patch" in log.getvalue()
    assert "-line twenty" not in log.getvalue()  # git shows what it looked for, not the diff
    assert "line twenty\n" in log.getvalue()
    assert "error: fair.c: patch does not apply" in log.getvalue()
    with checkout(mirror, tree, "main"):
        assert status(tree) == ""


def test_an_offset_is_fine_and_less_context_is_not(mirror: Path, tmp_path: Path) -> None:
    tree, log = tmp_path / "src" / "tree", io.StringIO()
    moved = edit(20, "y").replace("@@ -17,7 +17,7 @@", "@@ -12,7 +12,7 @@")
    fuzzy = edit(20, "y").replace(" line 23", " line twenty-three")
    blank = edit(20, "y").replace(" line 23", " line  23")
    with checkout(mirror, tree, "main"):
        assert series.apply(patches_of(tmp_path / "m", {"m.patch": moved}), tree, log) is None
        assert "offset" in log.getvalue()
    for name, text in (("f", fuzzy), ("b", blank)):
        with checkout(mirror, tree, "main"):
            said = series.apply(patches_of(tmp_path / name, {"f.patch": text}), tree, log)
        assert said == "f.patch does not apply: fair.c:17"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (NEW.replace("b/tool", "b/../../tool"), "a.patch does not apply: invalid path"),
        (NEW.replace("b/tool", "b/.git/tool"), "a.patch does not apply: invalid path"),
        (edit(10, "x", "none.c"), "a.patch does not apply: none.c: does not exist in index"),
        (edit(10, "x")[:-20], "a.patch does not apply: corrupt patch at "),
    ],
)
def test_a_patch_that_must_not_apply(
    mirror: Path, tmp_path: Path, text: str, sentence: str
) -> None:
    tree, log = tmp_path / "src" / "tree", io.StringIO()
    with checkout(mirror, tree, "main"):
        said = series.apply(patches_of(tmp_path / "p", {"a.patch": text}), tree, log)
        assert said is not None
        assert said.startswith(sentence)
        assert status(tree) == ""
    assert not list(tmp_path.glob("**/tool"))


def test_a_link_in_a_patch_leads_nowhere(mirror: Path, tmp_path: Path) -> None:
    tree, log = tmp_path / "src" / "tree", io.StringIO()
    (tmp_path / "outside").mkdir()
    link = NEW.replace("tool", "l").replace("100755", "120000")
    link = link.replace("#!/bin/sh", f"{tmp_path}/outside")
    through = NEW.replace("tool", "l/tool")
    with checkout(mirror, tree, "main"):
        said = series.apply(
            patches_of(tmp_path / "p", {"a.patch": link, "b.patch": through}), tree, log
        )
    assert said is not None
    assert said.startswith("b.patch does not apply: ")
    assert not list((tmp_path / "outside").iterdir())


def test_a_fault_of_the_machine_is_no_result(mirror: Path, tmp_path: Path) -> None:
    tree, log = tmp_path / "src" / "tree", io.StringIO()
    patches = patches_of(tmp_path / "p", {"a.patch": edit(10, "x")})
    with checkout(mirror, tree, "main"):
        held = subprocess.run(
            ["git", "-C", tree, "rev-parse", "--absolute-git-dir"],
            capture_output=True, text=True, check=True,
        ).stdout.strip()  # fmt: skip
        (Path(held) / "index.lock").touch()
        with pytest.raises(InfrastructureError, match=r"git apply of a\.patch .*index\.lock"):
            series.apply(patches, tree, log)


# Identity

COMMIT = Commit(sha="1" * 40, describe="v1", subject="s", committed_at="2026-01-01T00:00:00Z")


def kernel(config: Path, application: str, patches: tuple[Patch, ...]) -> KernelRecord:
    config.write_bytes(b"CONFIG_SMP=y\n")
    applied = Application.parse(application)
    return identity(
        tree="debian", branch="b", commit=COMMIT, arch="x86_64",
        recipe=Recipe(kconfig_target="defconfig", fragments=[config]),
        series="odd", application=applied,
        patches=series.select(patches, applied),
    )  # fmt: skip


def test_a_kernel_without_patches_keeps_its_digest(tmp_path: Path) -> None:
    patches = patches_of(tmp_path / "p", {"a.patch": NEW})
    plain = kernel(tmp_path / "config", "none", patches)
    assert (plain["series"], plain["application"], plain["patches"]) == (None, "none", [])
    # As it was before there were series: kernels on record are known by it.
    assert plain["digest"] == "74baa7cb81a6f1f4ce9744659057393cf66d3412d17c6c14b4a4e3b9201b152b"


def test_a_changed_patch_is_another_kernel(tmp_path: Path) -> None:
    config = tmp_path / "config"
    files = {"a.patch": NEW, "b.patch": edit(10, "x"), "c.patch": edit(20, "y")}
    first = patches_of(tmp_path / "1", files)
    changed = patches_of(tmp_path / "2", {**files, "c.patch": "Why.\n" + files["c.patch"]})
    renamed = patches_of(tmp_path / "3", {f"z{n}": t for n, t in files.items()})
    texts = ["none", "full", "solo(1)", "solo(3)", "prefix(2)", "without(3)"]
    digests = {t: kernel(config, t, first)["digest"] for t in texts}
    assert len(set(digests.values())) == len(texts)
    assert kernel(config, "solo(1)", first)["patches"] == [
        {"name": "a.patch", "sha256": first[0].sha256}
    ]
    # What is not applied does not count, and a name is only a word.
    same = [t for t in texts if kernel(config, t, changed)["digest"] == digests[t]]
    assert same == ["none", "solo(1)", "prefix(2)", "without(3)"]
    assert kernel(config, "full", renamed)["digest"] == digests["full"]


@pytest.mark.parametrize("path", ["index.lock", "No space left on device", "a: Permission denied",
                                  "unable to create x", "Cannot allocate memory: x"])  # fmt: skip
def test_the_names_in_a_patch_never_say_that_the_machine_gave_out(path: str) -> None:
    """What git says of a file has its name in it, which a patch chooses."""
    for said in (f"error: {path}: No such file or directory", f"error: patch failed: {path}:1",
                 f"error: {path}: patch does not apply",
                 f"error: invalid path '{path}'"):  # fmt: skip
        assert path in series.fault(said, 1, "a patch")


@pytest.mark.parametrize("said", [
    "fatal: Unable to create '/srv/src/tiny/.git/index.lock': File exists.",
    "error: unable to write file 'x' mode 100644: No space left on device",
    "error: unable to create file x: Permission denied",
    "error: failed to read x: Input/output error",
])  # fmt: skip
def test_what_git_itself_lacks_is_the_machines(said: str) -> None:
    """Negative control."""
    with pytest.raises(InfrastructureError):
        series.fault(said, 1, "a patch")
