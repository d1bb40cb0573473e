# SPDX-License-Identifier: GPL-2.0-only
"""What an operation executes in each commit, on record: counted by itself, answered from there.

The boots are real ones (tests/data/profile): a kernel, the same with a comment more, and with a
longer path in `pick_task_fair`.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import Result

from tests import settings_files
from tests.integration import bundles, profiled
from tests.integration.counted_history import HISTORY, Tree
from tests.integration.planted import planted
from vlag import config
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode, UsageError
from vlag.model import Observation
from vlag.search import path_points as stage
from vlag.store import path_points, removals
from vlag.store.database import Connection


@pytest.fixture
def settings() -> Settings:
    return config.load()


@pytest.fixture
def tree(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Tree:
    return Tree(conn, catalogue, tmp_path)


@pytest.fixture
def asked(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vlag: Callable[..., Result]
) -> Callable[..., Result]:
    """`vlag path-history` with settings whose tree is the one of the test, from its record."""
    text = settings_files.settings(
        state=tmp_path / "state", trees=f'[trees.debian]\nurl = "{tree.work.folder}"',
        tree="debian", branch="main", baseline="v1",
    )  # fmt: skip
    path = tmp_path / "vlag.toml"
    path.write_text(text)
    monkeypatch.setenv("VLAG_SETTINGS", str(path))
    tree.mirror()
    return lambda *words: vlag(
        "path-history", *words, "--tree", "debian", "--benchmark", "stress-ng-switch",
        "--board", "sim2-1", "--recorded",
    )  # fmt: skip


@pytest.fixture
def history(tree: Tree) -> Tree:
    for number, name in enumerate(HISTORY):
        of = tree.commit(f"sched/fair: number {number}")
        tree.counted(of, name)
    return tree


def test_the_answer_is_on_record_and_what_changes_no_code_has_a_0(
    history: Tree, asked: Callable[..., Result]
) -> None:
    history.mirror()
    done = asked(history.commits[0], "main", "--format", "json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert [r["same"] for r in told["commits"]] == [True, False, True, False]
    assert told["first"] == history.commits[2]
    assert told["commits"][1]["functions"][0]["name"] == "pick_task_fair"
    assert told["commits"][1]["change"] > 0.02
    # The comment moves functions in memory: their places differ, what they execute does not.
    plain, comment = (
        (profiled.DATA / name / "symbols.txt.gz").read_bytes() for name in ("plain", "comment")
    )
    assert plain != comment
    said = asked(history.commits[0], "main").stdout
    assert max(map(len, said.splitlines())) <= 78
    assert "number 1\n              0\n" in said
    # Negative controls: more than it is, and where it was taken back.
    assert json.loads(asked(history.commits[0], "main", "--least", "50",
                            "--format", "json").stdout)["first"] is None  # fmt: skip
    back = json.loads(asked(history.commits[2], "main", "--format", "json").stdout)
    assert back["first"] is None
    assert back["commits"][-1]["change"] < -0.02


def test_kernels_that_execute_the_same_share_their_counts(history: Tree, conn: Connection) -> None:
    [(points, kinds)] = conn.execute(
        "SELECT count(*), count(DISTINCT path_count) FROM path_point"
    ).fetchall()
    assert (points, kinds) == (len(HISTORY), 2)


def test_again_nothing_is_added(history: Tree, conn: Connection, catalogue: Catalogue) -> None:
    sql = "SELECT count(*), sum(run) FROM path_point"
    before = conn.execute(sql).fetchall()
    for run in sorted((history.folder / "runs").glob("*/profile-1")):
        stage.collect(conn, catalogue, [run])
    assert conn.execute(sql).fetchall() == before


def test_a_commit_that_is_not_on_record_may_be_the_one(
    history: Tree, conn: Connection, asked: Callable[..., Result]
) -> None:
    with planted(conn):
        conn.execute(
            "DELETE FROM path_point p USING kernel k WHERE k.id = p.kernel AND k.commit = %s",
            (history.commits[1],),
        )
    history.mirror()
    said = asked(history.commits[0], "main").stdout
    assert "number 1\n              not counted: it is not on record\n" in said
    whole = " ".join(said.split())
    assert f'is {history.commits[2][:12]} ("sched/fair: number 2"), +' in whole
    assert "%, or the one before it that has no counts. All 4 together" in whole
    assert "not counted: 1." in whole
    # Without its first commit there is nothing to compare with.
    done = asked(history.commits[1], "main")
    assert done.exit_code == ExitCode.USAGE
    assert "is not on record with stress-ng-switch on qemu-sim-2, seed 1; leave out" in done.stderr


def test_counts_of_another_setup_are_not_compared(
    tree: Tree, conn: Connection, asked: Callable[..., Result]
) -> None:
    """Negative control: its compiler or options would look like the commit's own doing."""
    for number, name in enumerate(("plain", "longer", "longer")):
        of = tree.commit(
            f"sched/fair: number {number}", **({"kconfig": bundles.sha("more")} if number else {})
        )
        tree.counted(of, name)
    tree.mirror()
    told = json.loads(asked(tree.commits[0], "main", "--format", "json").stdout)
    assert [(r["anew"], r["change"]) for r in told["commits"]] == [(True, None), (False, 0.0)]
    assert told["first"] is None
    said = asked(tree.commits[0], "main").stdout
    assert "not compared: counted with another compiler, configuration" in said
    assert (
        "All 2 together: -. They change nothing: 1; not counted: 0; not compared: 1."
        in " ".join(said.split())
    )


def test_boots_out_of_step_are_told_from_code(
    tree: Tree, conn: Connection, catalogue: Catalogue
) -> None:
    """Negative control: without its program the comment's kernel seems to change many functions."""
    for number, name in enumerate(("plain", "comment")):
        tree.counted(tree.commit(f"sched/fair: number {number}"), name)
    rows = conn.execute("SELECT program, path_count FROM path_point").fetchall()
    assert len({program for program, _ in rows}) == len({c for _, c in rows}) == 1
    with planted(conn):
        conn.execute("UPDATE path_point SET program = NULL")
    run = next((tree.folder / "runs" / str(tree.kernels[1]["digest"])[:12]).glob("profile-1"))
    stage.collect(conn, catalogue, [run])
    ids = [row[0] for row in conn.execute("SELECT path_count FROM path_point ORDER BY id")]
    one, other = (path_points.counts(conn, ids)[id_] for id_ in ids)
    names = one.functions.keys() | other.functions.keys()
    moved = [n for n in names if one.functions.get(n) != other.functions.get(n)]
    assert len(moved) > 100


def test_a_kernel_of_the_same_image_has_executed_the_same(
    tree: Tree, conn: Connection, catalogue: Catalogue
) -> None:
    of, other = tree.commit("sched/fair: begin"), tree.commit("docs: say more")
    run = tree.built(of, "plain")[0]
    [built] = conn.execute("SELECT image_sha256, config_sha256 FROM build").fetchall()
    tree.built(other, "plain")
    with planted(conn):
        conn.execute("UPDATE build SET image_sha256 = %s, config_sha256 = %s", built)
    told, _ = stage.collect(conn, catalogue, [run])
    assert told == ["stress-ng-switch on qemu-sim-2: v6.12-0, v6.12-1"]
    rows = conn.execute("SELECT count(*), count(DISTINCT run) FROM path_point").fetchall()
    assert rows == [(2, 1)]


def test_a_comparison_asks_for_both_kernels_once_changed_or_not(
    conn: Connection,
    catalogue: Catalogue,
    settings: Settings,
    tmp_path: Path,
    vlag: Callable[..., Result],
) -> None:
    of = in_plan(conn, profiled.compared(conn, catalogue, tmp_path, new="comment",
                                         factors=profiled.SAME))  # fmt: skip
    found = stage.plan(conn, settings, catalogue, [of.id, of.id, 9999])
    asked = [(b["kernel"], b["seed"], b["observes"]) for b in found.boots]
    assert asked == [(k["digest"], 1, Observation.PROFILE) for k in (profiled.NEW, profiled.BASE)]
    assert (found.comparisons, found.skipped) == ([of.id], [])
    # As the master calls them.
    printed = vlag("path-boots", str(of.id), "--format", "json")
    assert json.loads(printed.stdout)["boots"] == found.boots
    done = vlag("path-runs", str(of.new[0]), str(of.base[0]), "--format", "json")
    assert len(json.loads(done.stdout)["counted"]) == 2
    assert stage.plan(conn, settings, catalogue, [of.id]).boots == []
    # A boot that is no count is skipped with a sentence.
    runs = [p.parent for p in tmp_path.rglob("run.json") if p.parent not in (*of.base, *of.new)]
    told, skipped = stage.collect(conn, catalogue, runs[:1])
    assert told == []
    assert skipped == [f"{runs[0]}: it counted nothing, or did not end well"]


def test_what_is_in_no_history_is_not_asked_for(
    conn: Connection, catalogue: Catalogue, settings: Settings, tmp_path: Path
) -> None:
    """Negative controls: no benchmarks, a wrong one, boards that scatter, few boots, patches."""
    of = in_plan(conn, profiled.compared(conn, catalogue, tmp_path))
    assert len(stage.plan(conn, settings, catalogue, [of.id]).boots) == 2

    def named(*benchmarks: str) -> Settings:
        return evolve(settings, profile=evolve(settings.profile, history=benchmarks))

    assert stage.plan(conn, named(), catalogue, [of.id]).boots == []
    with pytest.raises(UsageError, match="stress-ng-swich"):
        stage.plan(conn, named("stress-ng-swich"), catalogue, [of.id])
    kind = evolve(catalogue.board_type("qemu-sim-2"), deterministic=False)
    hardware = evolve(catalogue, board_types={**catalogue.board_types, kind.name: kind})
    assert stage.plan(conn, settings, hardware, [of.id]).boots == []
    few = evolve(settings, profile=evolve(settings.profile, boots=1))
    [said] = stage.plan(conn, few, catalogue, [of.id]).skipped
    assert said == f"comparison {of.id}: stress-ng-switch: the settings allow 1 boots"
    with planted(conn):
        conn.execute("UPDATE kernel SET series = 'x', application = 'full' WHERE digest = %s",
                     (profiled.NEW["digest"],))  # fmt: skip
    [boot] = stage.plan(conn, settings, catalogue, [of.id]).boots
    assert boot["kernel"] == profiled.BASE["digest"]


def in_plan(conn: Connection, of: profiled.Compared) -> profiled.Compared:
    with planted(conn):
        conn.execute(
            "UPDATE comparison SET plan = 'nightly', stage = 'screen' WHERE id = %s", (of.id,)
        )
    return of


def test_the_boots_of_a_history_keep_their_files(history: Tree, conn: Connection) -> None:
    later = datetime.datetime(2100, 1, 1, tzinfo=datetime.UTC)
    assert removals.kept(conn, "run", later)["a history of paths"] == len(HISTORY)
