# SPDX-License-Identifier: GPL-2.0-only
"""The commit of a confirmed regression, searched by itself: each next step, and what is shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests.integration.planted import planted
from tests.integration.search_lab import LAST, Lab
from tests.integration.webpages import read, text
from tests.integration.websites import application, visitor
from vlag import config
from vlag.alerts import derive as alerting
from vlag.alerts.surroundings import Surroundings
from vlag.config import Alerts
from vlag.config.catalogue import Catalogue
from vlag.model import Board
from vlag.report import markdown, read_model, short
from vlag.report.data import comparison as data
from vlag.report.data import trailers
from vlag.search import profiling
from vlag.store import comparisons
from vlag.store.database import Connection


@pytest.fixture
def lab(conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path) -> Lab:
    made = Lab(conn=conn, dsn=dsn, catalogue=catalogue, folder=tmp_path, levels={0: 1.0, 6: 0.9})
    made.prepare()
    return made


def test_the_commit_is_found_verified_and_shown(lab: Lab) -> None:
    id_ = lab.compared()
    [before] = alerting.derive(lab.conn, lab.catalogue, [id_])
    assert "Since:" not in before.body
    culprit = lab.commits[6]
    answer = lab.search(id_)
    assert answer["found"] == {str(id_): {"commits": [culprit], "subject": "sched: change 6"}}
    # Both ends are the comparison's own; the parent and the culprit get fresh seeds.
    assert len(lab.asked) <= 2 + 3 + 1 + 1
    assert lab.fresh == set(range(1001, 1006))
    reverted = [c for c in lab.asked if c not in lab.commits]
    assert len(reverted) == 1
    # Nothing is asked for again.
    built, booted = len(lab.asked), lab.booted
    assert lab.command(id_) == answer
    assert (len(lab.asked), lab.booted) == (built, booted)

    said = f'{culprit[:12]} ("sched: change 6"), bisected in'
    shares = "100 % of the change, and its revert takes back 100 %"
    report: Any = data.report(lab.conn, lab.catalogue, id_, lab.folder)
    assert said in report["suspects"]["commit"]
    settings = config.load(lab.folder / "vlag.toml")
    report["trailers"] = trailers.of(report, settings)
    mail = " ".join(short.render(report).split())
    assert f"since: {said}" in mail
    assert f'Fixes: {culprit[:12]} ("sched: change 6")' in mail
    assert f"#regzbot introduced: {culprit}" in mail
    assert f"vlag bisect {lab.commits[0][:12]} {lab.commits[LAST][:12]} --tree tiny" in mail
    assert culprit[:12] in markdown.render(report)
    json.dumps(report["bisections"])
    [after] = alerting.derive(lab.conn, lab.catalogue, [id_])
    body = " ".join(after.body.split())
    assert f"Since: {said}" in body
    assert shares in body
    assert max(map(len, after.body.splitlines())) <= 78
    client = visitor(application(lab.dsn, lab.folder))
    for address in (f"/compare?id={id_}", f"/alert?id={after.id}"):
        page = text(read(client, address))
        assert culprit[:12] in page, address
        assert shares in page, address


def test_a_small_loss_whose_commit_is_found_is_told(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    levels = {0: 1.0, 6: 0.9863}
    lab = Lab(conn=conn, dsn=dsn, catalogue=catalogue, folder=tmp_path, levels=levels)
    lab.prepare()
    id_ = lab.compared()
    higher = Alerts(deterministic=6.0)
    # Negative control: so small a loss without a cause on record is told of nobody.
    assert alerting.derive(conn, catalogue, [id_], higher) == []
    lab.search(id_)
    [alert] = alerting.derive(conn, catalogue, [id_], higher)
    assert alert.action == "opened"
    assert lab.commits[6][:12] in alert.body
    # What the board cannot tell from nothing is told of nobody, whatever its cause.
    board = catalogue.board_type("qemu-sim-2")
    for explained, limit in ((True, 0.003), (False, 0.018)):
        assert higher.limit(
            latency=False, relevance=0.003, board=board, explained=explained
        ) == pytest.approx(limit)


@pytest.mark.parametrize("culprit", [3, 5])
def test_another_level_is_another_culprit(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path, culprit: int
) -> None:
    """Negative control; commit 3 is outside of the scheduler's paths."""
    levels = {0: 1.0, culprit: 0.9}
    lab = Lab(conn=conn, dsn=dsn, catalogue=catalogue, folder=tmp_path, levels=levels)
    lab.prepare()
    id_ = lab.compared()
    assert lab.search(id_)["found"][str(id_)]["commits"] == [lab.commits[culprit]]


def test_a_killed_search_goes_on_where_it_was(lab: Lab) -> None:
    id_ = lab.compared()
    lab.make(lab.next(id_))
    partly = lab.next(id_)
    assert len(partly["boots"]) == 5
    lab.make(partly, boots=2)
    # Killed here: nothing but the record is left, also of git's own notes.
    assert not list((lab.folder / "state" / "bisect").glob("*"))
    assert [b["seed"] for b in lab.next(id_)["boots"]] == [3, 4, 5]
    lab.search(id_)
    assert len(lab.asked) == len(set(lab.asked))


HOSTS = "[workers]\n" + "".join(
    f'[[workers.hosts]]\nname = "{name}"\ntakes = [{takes}]\n'
    for name, takes in (("boots", '"build", "run"'), ("builds", '"build"'))
)


def test_another_host_builds_what_may_follow(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    lab = Lab(conn=conn, dsn=dsn, catalogue=catalogue, folder=tmp_path,
              levels={0: 1.0, 6: 0.9}, more=HOSTS)  # fmt: skip
    lab.prepare()
    id_ = lab.compared()
    first = lab.next(id_)
    assert (len(first["builds"]), first["boots"]) == (1, [])
    lab.make(first)
    second = lab.next(id_)
    assert len(second["boots"]) == 5
    # Whatever the boots answer, the next kernel is there.
    assert len(second["builds"]) == 2
    lab.make(second)
    built = list(lab.asked)
    third = lab.next(id_)
    [kernel] = {b["kernel"] for b in third["boots"]}
    assert kernel in {lab.kernel(b["ref"])["digest"] for b in second["builds"]}
    assert lab.asked == built
    assert lab.search(id_)["found"][str(id_)]["commits"] == [lab.commits[6]]
    assert len(lab.asked) == len(set(lab.asked))


def test_one_host_builds_nothing_ahead(lab: Lab) -> None:
    """Negative control: it would wait for kernels that it may not need."""
    id_ = lab.compared()
    lab.make(lab.next(id_))
    answer = lab.next(id_)
    assert (answer["builds"], len(answer["boots"])) == ([], 5)


def test_what_does_not_build_or_stays_unclear_is_skipped(lab: Lab) -> None:
    middle = 0.94868  # halfway, by logarithms
    lab.levels = {0: 1.0, 4: "fair.c:1: error", 5: middle, 6: 0.9}
    id_ = lab.compared()
    found = lab.search(id_)["found"][str(id_)]["commits"]
    assert sorted(found) == sorted(lab.commits[n] for n in (4, 5, 6))
    [row] = data.report(lab.conn, lab.catalogue, id_, lab.folder)["bisections"]
    why = {s["commit"]: s["why"] for s in row["document"]["steps"] if s["word"] == "skip"}
    assert why[lab.commits[4]] == "does not build: fair.c:1: error"
    assert why[lab.commits[5]] == "undecided after 20 boots"
    # None of them is blamed alone.
    assert row["sentence"].startswith("one of ")
    report = data.report(lab.conn, lab.catalogue, id_, lab.folder)
    lines = trailers.of(report, config.load(lab.folder / "vlag.toml"))
    assert not any(line.startswith("Fixes:") for line in lines)


def test_a_wider_comparison_has_the_answer_of_a_narrower_one(lab: Lab) -> None:
    """A night's head against its baseline, and two nights of the branch."""
    wide, narrow = lab.compared(), lab.compared(4, 7)
    # The histories' watch has booted both again; their first boots were never compared.
    rerun = "UPDATE comparison SET plan = 'nightly', stage = 'confirm', round = 1 WHERE id = %s"
    with planted(lab.conn):
        lab.conn.execute(rerun, (narrow,))
    lab.search(narrow)
    built = len(lab.asked)
    found = lab.search(wide)["found"]
    assert found[str(wide)]["commits"] == [lab.commits[6]]
    assert len(lab.asked) == built


def test_each_comparison_keeps_the_search_of_its_own_range(lab: Lab) -> None:
    lab.levels = {0: 1.0, 2: 0.9, 6: 0.8}
    early, late = lab.compared(0, 4), lab.compared(4, 8)
    lab.search(early)
    found = lab.search(early, late)["found"]
    assert found[str(early)]["commits"] == [lab.commits[2]]
    assert found[str(late)]["commits"] == [lab.commits[6]]
    links = lab.conn.execute("SELECT comparison FROM bisection_comparison ORDER BY 1").fetchall()
    assert links == [(early,), (late,)]


def test_what_a_search_cannot_explain_is_left_alone(lab: Lab) -> None:
    culprit = lab.compared(5, 6, role="parent")
    nothing: dict[str, Any] = {"builds": [], "boots": [], "found": {}, "fixed": {}, "skipped": []}
    assert lab.next(culprit) == nothing  # one commit: it is the answer
    assert lab.next(lab.compared(6, 8), 9999) == nothing  # no regression
    proof = lab.compared()
    comparisons.put_prediction(lab.conn, proof, name="p", good=True, text="as predicted")
    assert lab.next(proof) == nothing


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("builds = 3", "8 commits need about 5 kernels, and the settings allow 3"),
        ("boots = 25", "the settings allow 25 boots of a search"),
    ],
)
def test_the_settings_bound_a_search(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path, more: str, said: str
) -> None:
    lab = Lab(conn=conn, dsn=dsn, catalogue=catalogue, folder=tmp_path,
              levels={0: 1.0, 6: 0.9}, more=f"[bisect]\n{more}\n")  # fmt: skip
    lab.prepare()
    id_ = lab.compared()
    answer = lab.search(id_)
    assert answer["skipped"] == [f"comparison {id_}: stress-ng-switch: {said}"]
    assert answer["found"] == {}


#: Boards of hardware differ by more than what is searched.
FARM = {"rpi5-1": 1.0, "rpi5-2": 1.06, "rpi5-3": 0.97}


def farm(catalogue: Catalogue, boards: Mapping[str, float]) -> Catalogue:
    """Return the catalogue with boards of a lab."""
    made = tuple(Board(name=name, board_type="rpi5", lab="east") for name in boards)
    return evolve(catalogue, boards=(*catalogue.boards, *made))


def in_a_lab(conn: Connection, dsn: str, catalogue: Catalogue, folder: Path) -> Lab:
    """Return a search on boards of a lab whose sixth commit costs a twentieth."""
    lab = Lab(conn=conn, dsn=dsn, catalogue=farm(catalogue, FARM), folder=folder,
              levels={0: 1.0, 6: 0.95}, board_type="rpi5", boards=FARM)  # fmt: skip
    lab.prepare()
    return lab


def test_boards_of_a_lab_find_the_commit(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    lab = in_a_lab(conn, dsn, catalogue, tmp_path)
    id_ = lab.compared()
    answer = lab.search(id_)
    assert answer["found"] == {
        str(id_): {"commits": [lab.commits[6]], "subject": "sched: change 6"}
    }
    [row] = conn.execute("SELECT share, document FROM bisection").fetchall()
    assert row[0] == pytest.approx(1, abs=0.4)


@pytest.mark.parametrize("culprit", [6, 3])
def test_the_commit_of_another_board_type_is_asked_about_first(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path, culprit: int
) -> None:
    """Negative control: where another commit costs it, that one is found, by its own boots."""
    lab = in_a_lab(conn, dsn, catalogue, tmp_path)
    lab.board_type, lab.boards, lab.levels = "qemu-sim-2", {}, {0: 1.0, 6: 0.9}
    first = lab.compared()
    assert lab.search(first)["found"][str(first)]["commits"] == [lab.commits[6]]
    lab.board_type, lab.boards, lab.levels = "rpi5", FARM, {0: 1.0, culprit: 0.95}
    lab.asked.clear()
    second = lab.compared()
    answer = lab.search(first, second)
    assert answer["found"][str(second)]["commits"] == [lab.commits[culprit]]
    assert {lab.asked[2], lab.asked[3]} == {lab.commits[6], lab.commits[5]}
    # The other answer stays as it was.
    assert answer["found"][str(first)]["commits"] == [lab.commits[6]]
    rows = conn.execute("SELECT board_type, commits FROM bisection ORDER BY id").fetchall()
    assert rows == [("qemu-sim-2", [lab.commits[6]]), ("rpi5", [lab.commits[culprit]])]


def test_the_likeliest_commits_are_shown_while_it_goes_on(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    lab = in_a_lab(conn, dsn, catalogue, tmp_path)
    id_ = lab.compared()
    # Negative control: nothing is said before boots have told commits apart.
    assert read_model.since_of(conn, [id_]) is None
    for _ in range(20):
        lab.make(lab.next(id_))
        if shown := read_model.searching(conn, [id_]):
            break
    [found] = shown
    assert found["ended"] is False
    chances = [x["chance"] for x in found["likeliest"]]
    assert chances == sorted(chances, reverse=True)
    assert sum(chances) + found["several"] == pytest.approx(1, abs=0.1)
    subjects = {c: f"sched: change {n}" for n, c in enumerate(lab.commits)}
    assert all(x["subject"] == subjects[x["commit"]] for x in found["likeliest"])
    said = f"{found['sentence']} (stress-ng-switch)"
    assert said.startswith(("one of ", "most likely "))
    report = data.report(conn, catalogue, id_, lab.folder)
    assert report["suspects"]["commit"] == said
    around = Surroundings.of(config.load(lab.folder / "vlag.toml"))
    [alert] = alerting.derive(conn, catalogue, [id_], around=around)
    body = " ".join(alert.body.split())
    assert f"Since {said}." in body
    assert "Not known yet: its commit" in body
    client = visitor(application(dsn, lab.folder))
    page = text(read(client, f"/compare?id={id_}"))
    assert found["sentence"] in page
    assert all(f"{100 * chance:.1f} %" in page for chance in chances)
    assert found["sentence"] in text(read(client, f"/alert?id={alert.id}"))
    # What is found stands in its place.
    assert lab.search(id_)["found"][str(id_)]["commits"] == [lab.commits[6]]
    assert read_model.searching(conn, [id_]) == []
    assert "the search goes on" not in (read_model.since_of(conn, [id_]) or "")


def test_a_boot_in_a_lab_gets_the_time_that_the_ends_took(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    lab = in_a_lab(conn, dsn, catalogue, tmp_path)
    id_ = lab.compared()
    while not (answer := lab.next(id_))["boots"]:
        lab.make(answer)
    # The recorded boots took five minutes: the plan's time is shorter.
    assert {boot["timeout_s"] for boot in answer["boots"]} == {profiling.TIMEOUT_S}
    with planted(conn):
        conn.execute("UPDATE run SET finished_at = started_at + interval '10 seconds'")
    assert {boot["timeout_s"] for boot in lab.next(id_)["boots"]} == {60 + 3 * 10}


def test_what_fresh_boots_do_not_show_is_not_named(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    """Negative control: a loss that the boots of the ends had by lot."""
    lab = Lab(conn=conn, dsn=dsn, catalogue=farm(catalogue, FARM), folder=tmp_path, lot=1,
              levels={0: 1.0, 6: 0.95}, board_type="rpi5", boards=FARM)  # fmt: skip
    lab.prepare()
    id_ = lab.compared()
    lab.levels = {0: 1.0}
    answer = lab.search(id_)
    assert answer["found"] == {}
    [said] = answer["skipped"]
    # Either more boots of the ends show it, or those of a rerun.
    assert "do not surely" in said


def test_a_search_waits_when_its_board_hours_are_used(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    lab = Lab(conn=conn, dsn=dsn, catalogue=farm(catalogue, FARM), folder=tmp_path,
              levels={0: 1.0, 6: 0.95}, board_type="rpi5", boards=FARM,
              more="[bisect]\nboard_hours = 2\n")  # fmt: skip
    lab.prepare()
    id_ = lab.compared()
    first = lab.next(id_)
    assert first["skipped"] == []
    assert first["builds"] or first["boots"]
    with planted(conn):
        conn.execute("UPDATE run SET plan = NULL, started_at = now() - interval '3 hours',"
                     " finished_at = now() - interval '150 minutes'")  # fmt: skip
    [said] = lab.next(id_)["skipped"]
    assert "the settings allow searches 2 board hours of rpi5 in 24 hours" in said
    # Those of a plan do not count, nor do those of yesterday.
    with planted(conn):
        conn.execute("UPDATE run SET plan = 'nightly'")
    assert lab.next(id_)["skipped"] == []
    with planted(conn):
        conn.execute("UPDATE run SET plan = NULL, finished_at = now() - interval '25 hours'")
    assert lab.next(id_)["skipped"] == []
