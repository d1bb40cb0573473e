# SPDX-License-Identifier: GPL-2.0-only
"""`vlag try`: mails become kernels in the real sandbox; kernels and their boots are stand-ins."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from attrs import frozen
from click.testing import CliRunner, Result

from tests.integration import cover_letters, hostile, tiny_boots, tiny_tree
from tests.integration.reports import cells
from tests.integration.tiny_tree import MAKEFILE
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.kernel import series
from vlag.lock import hold
from vlag.pipeline import side_by_side
from vlag.store import database, tries

RATE = "stress-ng-switch bogo-ops-rate"


@frozen
class Tree:
    """A work tree whose commits become mails, and what is booted."""

    folder: Path
    booted: list[tuple[str, int]]  # speed of the kernel, seed

    def mails(
        self, name: str, *texts: dict[str, str], version: int = 1, options: tuple[str, ...] = ()
    ) -> Path:
        """Return an mbox with a patch for each of these changes of files."""
        tiny_tree.git(self.folder, "checkout", "--quiet", "--detach", "main")
        for number, text in enumerate(texts, 1):
            for file, content in text.items():
                (self.folder / file).write_text(content)
            tiny_tree.git(self.folder, "add", "--all")
            tiny_tree.git(self.folder, "commit", "--quiet", "-m", f"sched: change {number}")
        out = tiny_tree.git(
            self.folder, "format-patch", "--stdout", f"-v{version}", *options, "main"
        )
        path = self.folder.parent / name
        path.write_text(out + "\n")
        return path


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dsn: str, catalogue: Catalogue) -> Tree:
    booted: tiny_boots.Booted = []
    folder = tiny_tree.work_tree(tmp_path / "work", tiny_boots.options(catalogue))
    settings = tmp_path / "vlag.toml"
    settings.write_text(tiny_tree.settings(folder) + "disk_mb = 40\nprocesses = 300\n")
    monkeypatch.setenv("VLAG_SETTINGS", str(settings))
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    monkeypatch.setattr(series, "PATCHES", tmp_path / "kernel-patches")
    boot = tiny_boots.stand_in(tmp_path / "runs", catalogue, booted)
    monkeypatch.setattr(side_by_side, "boot", boot)
    return Tree(folder, booted)


def tried(mbox: Path, *words: str, form: str = "json") -> Result:
    given = ["try", mbox, "--base", "main", "--benchmark", "stress-ng-switch", "--boots", "5"]
    return CliRunner().invoke(main, [*map(str, given), *words, "--format", form])


def rates(result: Result) -> dict[str, str]:
    return cells(json.loads(result.stdout), "qemu-sim-2", "")[RATE]


def test_a_series_against_its_base_and_against_its_first_version(tree: Tree) -> None:
    first = tree.mails("v1.mbox", {"speed": "0.9\n"}, {"other": "x\n"})
    result = tried(first)
    assert result.exit_code == 0, result.stderr
    assert rates(result) == {"full": "-10.00 % W"}
    assert sorted(seed for speed, seed in tree.booted if speed == "0.9") == [1, 2, 3, 4, 5]
    assert "/vlag/matrix?comparisons=" in result.stderr.splitlines()[-1]
    # Again, as after an interrupt: no kernel is built a second time.
    again = tried(first, "--patches")
    assert rates(again) == {"prefix(1)": "-10.00 % W", "full": "-10.00 % W"}
    assert again.stderr.count("is built already") == 2
    assert again.stderr.count("building") == 1
    second = tree.mails("v2.mbox", {"speed": "0.99\n"}, version=2)
    better = tried(second, "--against", str(first))
    assert better.exit_code == 0, better.stderr
    assert rates(better) == {"full": "+10.00 % B"}
    assert sorted(series.names(series.PATCHES)) == ["sched-change-1", "sched-change-1-v2"]


def test_the_table_is_fit_for_a_cover_letter(tree: Tree) -> None:
    first = tree.mails("v1.mbox", {"speed": "0.9\n"}, {"other": "x\n"})
    second = tree.mails("v2.mbox", {"speed": "0.99\n"}, version=2)
    for form in ("text", "markdown"):
        alone = tried(first, form=form).stdout
        against = tried(second, "--against", str(first), form=form).stdout
        for name, table in (("try", alone), ("try --against", against)):
            assert cover_letters.private(table) == []
            assert table == cover_letters.golden(f"{name}, {form}")
    # Negative control: the same series as another table has what a list has no use for.
    report = CliRunner().invoke(main, ["report", "--matrix", "1"])
    assert cover_letters.private(report.stdout)


def test_mails_name_their_base_and_one_mbox_has_both_versions(tree: Tree) -> None:
    both = tree.mails("v1.mbox", {"speed": "0.9\n"}, options=("--base=main",))
    second = tree.mails("v2.mbox", {"speed": "0.99\n"}, version=2, options=("--base=main",))
    text = second.read_text().replace("\n---\n", "\nText.\n\nVlag-Predicts: nothing\n---\n", 1)
    both.write_text(both.read_text() + text)
    words = ["try", str(both), "--benchmark", "stress-ng-switch", "--revision", "2"]
    result = CliRunner().invoke(main, [*words, "--against", "v1", "--format", "json"])
    assert result.exit_code == 0, result.stderr
    assert rates(result) == {"full": "+10.00 % B"}
    assert "base-commit of the mails: " in result.stderr
    assert "counts for nothing in a try, which judges no prediction" in result.stderr
    # Negative controls: without such a line nothing is guessed, and there is no version 3.
    bare = tree.mails("bare.mbox", {"speed": "0.9\n"})
    for given, sentence in (
        ([str(bare)], "its mails name no base-commit; give --base REF"),
        ([str(both), "--revision", "2", "--against", "v3"], "no revision 3 of the series"),
    ):
        refused = CliRunner().invoke(main, ["try", *given, "--benchmark", "stress-ng-switch"])
        assert refused.exit_code == ExitCode.USAGE
        assert sentence in refused.stderr


def test_without_a_database_nothing_is_imported(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VLAG_DATABASE", "host=/nonexistent dbname=none")
    result = tried(tree.mails("v1.mbox", {"speed": "0.9\n"}))
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert len(result.stderr.splitlines()) == 1
    assert not series.PATCHES.exists()


def test_a_series_that_does_not_apply_is_not_built(tree: Tree) -> None:
    mbox = tree.mails("odd.mbox", {"speed": "0.9\n"})
    mbox.write_text(mbox.read_text().replace("-1.0", "-3.0"))
    result = tried(mbox)
    assert result.exit_code == ExitCode.KERNEL_FAILED
    assert "speed:1: hunk 1 does not apply" in result.stdout
    assert "building" not in result.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--patches", "--against", "MBOX"), "--against compares whole series"),
        (("--against", "MBOX"), "is the series itself"),
        (("--plan", "commit"), "Give --benchmark, or --plan, and not both"),
        (("--name", "../x"), "no series can have the name"),
        (("--board-type", "none"), "none"),
    ],
)
def test_a_mistake_is_one_sentence(tree: Tree, words: tuple[str, ...], sentence: str) -> None:
    mbox = tree.mails("v1.mbox", {"speed": "0.9\n"})
    result = tried(mbox, *(w.replace("MBOX", str(mbox)) for w in words))
    assert result.exit_code == ExitCode.USAGE
    assert sentence in result.stderr.splitlines()[-1]
    assert "building" not in result.stderr


def test_a_folder_with_other_patches_stays_as_it_is(tree: Tree) -> None:
    tree.mails("v1.mbox", {"speed": "0.9\n"})
    folder = series.PATCHES / "sched-change-1"
    folder.mkdir(parents=True)
    (folder / "series").write_text("mine.patch\n")
    result = tried(tree.folder.parent / "v1.mbox")
    assert result.exit_code == ExitCode.USAGE
    assert "is there already, with other patches; --name" in result.stderr
    assert [p.name for p in folder.iterdir()] == ["series"]


def test_without_a_sandbox_nothing_of_a_stranger_runs(tree: Tree, tmp_path: Path) -> None:
    settings = tmp_path / "vlag.toml"
    settings.write_text(settings.read_text() + 'kind = "none"\n')
    result = tried(tree.mails("v1.mbox", {"speed": "0.9\n"}))
    assert result.exit_code == ExitCode.USAGE
    assert "builds of others need a sandbox" in result.stderr
    assert "building" not in result.stderr


@pytest.mark.parametrize("fill", ["in the machine's words", None])
def test_a_hostile_patch_reaches_nothing(
    tree: Tree,
    tmp_path: Path,
    listener: tuple[int, list[str]],
    monkeypatch: pytest.MonkeyPatch,
    fill: str | None,
) -> None:
    """Without the act that ends its build, it is built and booted as any other."""
    home, state = tmp_path / "home", tmp_path / "state"
    home.mkdir()
    home.chmod(0o777)
    monkeypatch.setenv("SERVICE_TOKEN", "the token")
    settings = tmp_path / "vlag.toml"
    settings.write_text(settings.read_text().replace("disk_mb = 40", "free_mb = 24"))
    makefile = hostile.makefile(home, listener[0], state / "ccache", fill)
    with hostile.small_disk(state, 128):
        result = tried(tree.mails("evil.mbox", {"Makefile": makefile}))
        log = patched_log(tmp_path)
        assert not (state / "ccache" / "left").exists()
        assert hostile.left(state) == []
        assert hostile.used_mb(state) < 16
    assert "the token" not in log
    assert list(home.iterdir()) == []
    assert listener[1] == []
    if fill is not None:
        assert result.exit_code == ExitCode.KERNEL_FAILED, result.stderr
        said = r"the build was stopped: it wrote \d+ MB, and \d+ MB are free on the disk of \S+"
        assert re.search(said, result.stderr), result.stderr
        assert "gave out" not in result.stderr
        assert rates(result) == {"full": "did not build"}
    else:
        assert result.exit_code == 0, result.stderr
        for act in hostile.ACTS:
            assert f"{act}: refused" in log
        assert "CCACHE_READONLY=1" in log  # it did read its own environment
        assert len(tree.booted) == 10


def told(makefile: str) -> dict[str, str]:
    return {"Makefile": MAKEFILE.replace("acts:\n", f"acts:\n\t@{makefile}\n", 1)}


@pytest.mark.parametrize(
    "lie",
    ["No space left on device", "Cannot allocate memory", "gcc: Killed signal terminated program"],
)
def test_a_tree_does_not_say_that_the_machine_gave_out(
    tree: Tree, tmp_path: Path, lie: str
) -> None:
    """It is believed by nobody, whether it is a stranger's or not."""
    mbox = tree.mails("evil.mbox", told(f"echo '{lie}'; exit 1"))
    result = tried(mbox)
    assert result.exit_code == ExitCode.KERNEL_FAILED, result.stderr
    assert rates(result) == {"full": "did not build"}
    assert "gave out" not in result.stderr
    (series.PATCHES / "sched-change-1" / series.UNREAD).unlink()
    built = road("build")
    assert built.exit_code == ExitCode.KERNEL_FAILED, built.stderr
    assert json.loads(built.stdout)["outcome"] == "build_failed"
    assert hostile.left(tmp_path / "state") == []


def road(verb: str) -> Result:
    """Build the series in kernel-patches/ by another command than the one that took it."""
    words = {
        "build": ["build", "--tree", "tiny", "--ref", "main", "--series", "sched-change-1",
                  "--board-type", "qemu-sim-2", "--fresh"],
        "matrix": ["matrix", "sched-change-1", "--base", "main", "--mode", "solo", "--benchmark",
                   "stress-ng-switch", "--boots", "2"],
    }[verb]  # fmt: skip
    return CliRunner().invoke(main, [*words, "--format", "json"])


@pytest.mark.parametrize("verb", ["build", "matrix"])
def test_a_series_that_nobody_has_read_is_strange_by_every_road(
    tree: Tree, tmp_path: Path, verb: str
) -> None:
    cache = tmp_path / "state" / "ccache"
    act = f"env | grep CCACHE_; echo x > {cache}/left || echo cache: refused"
    mbox = tree.mails("evil.mbox", told(act))
    imported = CliRunner().invoke(main, ["series", "import", str(mbox)])
    assert imported.exit_code == 0, imported.stderr
    assert road(verb).exit_code == 0
    assert "cache: refused" in patched_log(tmp_path)
    assert "CCACHE_READONLY=1" in patched_log(tmp_path)
    assert not (cache / "left").exists()
    # The same mails find the folder as it is; its mark is no patch of it.
    assert "already, with other patches" not in tried(mbox).stderr
    # Without a sandbox it is not built.
    settings = tmp_path / "vlag.toml"
    known = settings.read_text()
    settings.write_text(known + 'kind = "none"\n')
    assert "builds of others need a sandbox" in road(verb).stderr
    settings.write_text(known)
    # Control: who has read it removes the mark, and it is built as any other.
    (series.PATCHES / "sched-change-1" / series.UNREAD).unlink()
    assert road("build").exit_code == 0
    assert "CCACHE_READONLY" not in patched_log(tmp_path)
    assert (cache / "left").exists()


def by_the_pages(dsn: str, mbox: Path) -> Result:
    """Begin a series that somebody sent on the pages, and build it, as the master does both."""
    with database.connect(dsn) as conn:
        number = tries.insert(
            conn,
            tries.Wanted(
                by="somebody", tree="tiny", base="main", plan="commit", board_type="qemu-sim-2",
                mbox=mbox.read_bytes(), against=None, each=False, patches=1, title="a change",
            ),
        )  # fmt: skip
    runner = CliRunner()
    begun = runner.invoke(main, ["try-begin", str(number), "--format", "json"])
    assert begun.exit_code == 0, begun.stderr
    of = json.loads(begun.stdout)["try"]
    words = ["build", "--tree", of["tree"], "--ref", of["base"], "--series", of["series"]]
    words += ["--application", "full", "--board-type", of["board_type"], "--format", "json"]
    return runner.invoke(main, words)


@pytest.mark.parametrize("verb", ["build", "matrix", "pages"])
def test_a_hostile_series_reaches_nothing_by_any_other_road(
    tree: Tree, tmp_path: Path, listener: tuple[int, list[str]], dsn: str, verb: str
) -> None:
    home, state = tmp_path / "home", tmp_path / "state"
    home.mkdir()
    home.chmod(0o777)
    settings = tmp_path / "vlag.toml"
    settings.write_text(settings.read_text().replace("disk_mb = 40", "free_mb = 24"))
    makefile = hostile.makefile(home, listener[0], state / "ccache")
    with hostile.small_disk(state, 128):
        mbox = tree.mails("evil.mbox", {"Makefile": makefile})
        if verb == "pages":
            built = by_the_pages(dsn, mbox)
        else:
            assert CliRunner().invoke(main, ["series", "import", str(mbox)]).exit_code == 0
            built = road(verb)
        assert built.exit_code == 0, built.stderr
        log = patched_log(tmp_path)
        assert not (state / "ccache" / "left").exists()
        assert hostile.left(state) == []
    for act in hostile.ACTS:
        assert f"{act}: refused" in log
    assert "CCACHE_READONLY=1" in log
    assert list(home.iterdir()) == []
    assert listener[1] == []


@pytest.mark.parametrize("fill", ["silently", "at once"])
def test_a_series_fills_no_disk_by_another_road(
    tree: Tree, tmp_path: Path, listener: tuple[int, list[str]], dsn: str, fill: str
) -> None:
    """Its control is the road above, on which the same makefile without this act is built."""
    state, settings = tmp_path / "state", tmp_path / "vlag.toml"
    settings.write_text(settings.read_text().replace("disk_mb = 40", "free_mb = 24"))
    makefile = hostile.makefile(tmp_path / "home", listener[0], state / "ccache", fill)
    with hostile.small_disk(state, 128):
        built = by_the_pages(dsn, tree.mails("evil.mbox", {"Makefile": makefile}))
        assert built.exit_code == ExitCode.KERNEL_FAILED, built.stderr
        assert "MB are free on the disk of" in json.loads(built.stdout.splitlines()[-1])["reason"]
        assert hostile.left(state) == []
        assert hostile.used_mb(state) < 16


def patched_log(folder: Path) -> str:
    """Return the log of the newest build with patches."""
    paths = sorted(folder.glob("state/builds/*/*/build.log"), key=lambda p: p.stat().st_mtime)
    return [text for path in paths if "applying" in (text := path.read_text())][-1]


def test_what_a_killed_build_has_left_goes_with_the_next(tree: Tree, tmp_path: Path) -> None:
    killed, busy = (tmp_path / "state" / "builds" / name for name in ("killed", "busy"))
    for folder in (killed, busy):
        (folder / "one.objects" / "deep").mkdir(parents=True)
    with hold(busy / "lock", lambda: None):
        assert tried(tree.mails("v1.mbox", {"speed": "0.9\n"})).exit_code == 0
        assert not (killed / "one.objects").exists()
        assert (busy / "one.objects").exists()  # control: one that goes on keeps its own
