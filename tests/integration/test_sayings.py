# SPDX-License-Identifier: GPL-2.0-only
"""What was said of a figure stays as it was said; what replaces it is a row of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
from attrs import evolve
from click.testing import CliRunner, Result
from flask.testing import FlaskClient

from tests.integration import bundles
from tests.integration.planted import before as earlier
from tests.integration.planted import planted
from tests.integration.webpages import read, table
from tests.integration.websites import application, visitor
from vlag.cli.main import main
from vlag.compare import false_discoveries
from vlag.compare.kernels import StoredComparison, compare
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.model import Plan, PlanEntry
from vlag.pipeline.ingest import ingest_all
from vlag.report import read_model
from vlag.store import comparisons, statements, suspicions
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
SLOW = tuple(0.93 * f for f in SAME)
PLAN = Plan(name="commit", entries=(PlanEntry(
    benchmark="stress-ng-switch", parameters={}, board_types=("qemu-sim-2",), seeds=5,
    rounds=(5, 10), timeout_s=60,
),))  # fmt: skip
FIGURE = "stress-ng-switch bogo-ops-rate"

Answer = Callable[..., StoredComparison]


@pytest.fixture
def answer(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Answer:
    def work(stage: Any = "screen", boots: Sequence[float] = (), **given: Any) -> StoredComparison:
        for of, factors in ((BASE, SAME * 4), (NEW, boots)):
            paths = bundles.side(tmp_path, of, catalogue, factors=factors)
            for result in ingest_all(paths if boots else (), conn=conn, catalogue=catalogue):
                assert not isinstance(result, Exception), result
        return compare(
            conn=conn, catalogue=catalogue, board_type="qemu-sim-2", plan=PLAN, stage=stage,
            base=KernelRef(text="linux-6.1"), new=KernelRef(text="linux-6.12"), role="baseline",
            **given,
        )  # fmt: skip

    return work


@pytest.fixture
def site(dsn: str, tmp_path: Path) -> FlaskClient:
    return visitor(application(dsn, tmp_path))


def decided(conn: Connection, screen: StoredComparison, stand: str, effect: float) -> None:
    """Let a rerun of more boots decide, with that effect."""
    of = comparisons.by_id(conn, screen.id)
    assert of is not None
    [known] = [s for s in suspicions.of(conn, of) if s.metric == "bogo-ops-rate"]
    [row] = [v for v in screen.verdicts if v.metric == "bogo-ops-rate"]
    boots = known.boots + 5
    word = {"refuted": "UNCHANGED", "confirmed": "REGRESSION"}[stand]
    fresh = evolve(
        row, id=None, verdict=word, effect=effect, n_base=boots, n_new=boots, stand=stand
    )
    rerun = evolve(
        of, id=None, created_at=None, inputs=bundles.sha(f"rerun {boots}"), stage="confirm",
        round=1, role=None,
    )  # fmt: skip
    id_, _ = comparisons.insert(conn, rerun, [fresh])
    suspicions.decide(conn, known, fresh, evolve(rerun, id=id_), stand=stand)


def figure(site: FlaskClient, address: str) -> tuple[str, str]:
    """Return verdict and change of the figure as a page shows them."""
    rows = table(read(site, address), "figures")
    head = rows[0]
    [row] = [r for r in rows[1:] if FIGURE in r[0]]
    return row[head.index("Verdict")], row[head.index("Change")]


def test_each_of_three_sayings_is_a_row_and_each_link_shows_what_it_showed(
    conn: Connection, answer: Answer, site: FlaskClient
) -> None:
    screen = answer(boots=SLOW)
    links, shown = [], []

    def say() -> None:
        links.append(f"/compare?id={screen.id}&said={statements.last(conn)}")
        shown.append(figure(site, links[-1]))
        # What a link shows when it is made is what the page says.
        assert shown[-1] == figure(site, f"/compare?id={screen.id}")

    say()
    decided(conn, screen, "refuted", 0.001)
    say()
    decided(conn, screen, "confirmed", -0.0153)
    say()
    assert [v.split()[0] for v, _ in shown] == ["REGRESSION", "UNCHANGED", "REGRESSION"]
    assert [c.split()[0] for _, c in shown] == ["-7.0", "+0.1", "-1.5"]
    assert [figure(site, link) for link in links] == shown
    # Three rows of verdicts with their boots; each decision names the one before.
    rows = conn.execute(
        "SELECT v.verdict::text, v.n_new, c.judge LIKE 'vlag %, method %' FROM verdict v"
        " JOIN comparison c ON c.id = v.comparison WHERE v.metric = 'bogo-ops-rate' ORDER BY v.id"
    ).fetchall()
    assert rows == [("REGRESSION", 5, True), ("UNCHANGED", 5, True), ("REGRESSION", 10, True)]
    first, second = conn.execute("SELECT said, replaces FROM decision ORDER BY said").fetchall()
    assert first[1] is None
    assert second[1] == first[0]
    # The old ones say that they were replaced, by whom and when, and link to what is said now.
    pages = [" ".join(read(site, link).split()) for link in links]
    for page, replaced in zip(pages, (True, True, False), strict=True):
        assert ("It was replaced by" in page) == replaced
        assert f'href="/compare?id={screen.id}"' in page
    history = table(pages[2], "what was said")[1:]
    assert [row[1].split()[0] for row in history] == ["SUSPECTED", "UNCHANGED", "REGRESSION"]
    found = read_model.sayings(conn, screen.id)
    assert [s["decided_by"] is None for s in found] == [True, False, False]
    # Negative control: a link of before any of it is none.
    assert site.get(f"/compare?id={screen.id}&said={found[0]['since'] - 1}").status_code == 404


def test_a_rerun_of_more_boots_replaces_what_fewer_said(conn: Connection, answer: Answer) -> None:
    """The same by real boots: five do not show it again, five more do."""
    screen = answer(boots=SLOW + SAME + SLOW)
    said = [statements.last(conn)]
    for round_ in (1, 2):
        answer("confirm", round_=round_)
        said.append(statements.last(conn))
    stands = conn.execute("SELECT stand::text FROM decision ORDER BY said").fetchall()
    assert stands[0] == ("refuted",)
    seen = []
    for number in said:
        statements.show(conn, number)
        seen.append([
            (v["verdict"], v["standing"], v["effect"], v["n_new"], v["decided_by"])
            for v in read_model.verdicts(conn, [screen.id])
        ])  # fmt: skip
    statements.show(conn, None)
    assert [of[0][1] for of in seen[:2]] == ["suspected", "refuted"]
    assert seen[2] != seen[1]
    assert len(read_model.sayings(conn, screen.id)) == len(stands) + 1


def test_what_was_overwritten_before_is_taken_over_as_it_was_said(
    conn: Connection, answer: Answer
) -> None:
    screen = answer(boots=SLOW)
    decided(conn, screen, "refuted", 0.001)
    decided(conn, screen, "confirmed", -0.0153)
    kept = "SELECT stand::text, boots, p, decided_by, replaces IS NULL FROM decision ORDER BY said"
    shown = "SELECT id, stand::text, boots, p, decided_by, changed_at FROM read_model.decided"
    before = conn.execute(kept).fetchall(), conn.execute(shown).fetchall()
    words = [s["verdict"] for s in read_model.sayings(conn, screen.id)]
    with earlier(conn, "0033_decisions"):
        # The older tables have the last decision alone; the reruns have what they said.
        old = "SELECT id, stand::text, boots, p, decided_by, changed_at FROM suspicion"
        assert conn.execute(old).fetchall() == before[1]
    assert (conn.execute(kept).fetchall(), conn.execute(shown).fetchall()) == before
    assert [s["verdict"] for s in read_model.sayings(conn, screen.id)] == words
    assert len(words) == 3


def test_nothing_that_was_said_is_changed_in_place(conn: Connection, answer: Answer) -> None:
    screen = answer(boots=SLOW)
    decided(conn, screen, "confirmed", -0.05)
    false_discoveries.judge(conn, [screen.id])
    for statement in (
        "UPDATE verdict SET effect = 0",
        "UPDATE verdict SET verdict = 'UNCHANGED'",
        "DELETE FROM verdict",
        "UPDATE comparison SET failed_runs = '{}'",
        "DELETE FROM comparison",
        "UPDATE suspicion SET worse = false",
        "UPDATE decision SET stand = 'refuted'",
        "DELETE FROM decision",
        "UPDATE multiple_testing_verdict SET told = false",
    ):
        with pytest.raises(psycopg.IntegrityError, match="what was said stays"):
            conn.execute(statement)
    # Names move on.
    conn.execute("UPDATE comparison SET baseline = 'debian/v6.1.*'")
    conn.execute("UPDATE verdict SET metric = metric")
    # Negative control: without the guard, a link shows something else.
    said = statements.last(conn)
    statements.show(conn, said)
    before = read_model.verdicts(conn, [screen.id])
    with planted(conn):
        conn.execute("UPDATE decision SET stand = 'refuted'")
    assert read_model.verdicts(conn, [screen.id]) != before


def test_a_later_comparison_says_what_it_replaces(
    conn: Connection, catalogue: Catalogue, answer: Answer, site: FlaskClient, tmp_path: Path
) -> None:
    first = answer(boots=SAME)
    shown = figure(site, f"/compare?id={first.id}")
    hung = bundles.side(
        tmp_path, NEW, catalogue, factors=(1.0,), outcome="hang", reason="no answer"
    )  # fmt: skip
    for result in ingest_all(hung, conn=conn, catalogue=catalogue):
        assert not isinstance(result, Exception), result
    later = answer()
    assert later.id != first.id
    page = " ".join(read(site, f"/compare?id={first.id}").split())
    assert f'Replaced by <a href="/compare?id={later.id}">comparison {later.id}</a>' in page
    assert figure(site, f"/compare?id={first.id}") == shown
    assert "Replaced by" not in read(site, f"/compare?id={later.id}")


@pytest.fixture
def report(dsn: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    return lambda *words: CliRunner().invoke(main, ["report", *words])


def test_a_report_shows_what_was_said_then(
    conn: Connection, answer: Answer, site: FlaskClient, report: Callable[..., Result]
) -> None:
    screen = answer(boots=SLOW)
    mine = ("--comparison", str(screen.id))
    said, shown = [], []

    def of(*words: str) -> dict[str, Any]:
        done = report(*mine, *words, "--format", "json")
        assert done.exit_code == ExitCode.OK, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return {k: v for k, v in found.items() if k not in ("head_notes", "said")}

    def say() -> None:
        said.append(str(statements.last(conn)))
        shown.append(of())

    say()
    decided(conn, screen, "refuted", 0.001)
    say()
    decided(conn, screen, "confirmed", -0.0153)
    say()
    assert [d["word"] for d in shown] == ["SUSPECTED", "UNCHANGED", "REGRESSION"]
    # By the command, by the API, and with the moment in what leads on from there.
    for number, document in zip(said, shown, strict=True):
        assert of("--said", number) == document
        text = report(*mine, "--said", number).stdout
        assert f"This is what was said up to number {number}" in " ".join(text.split())
        assert f"vlag report --comparison {screen.id} --said {number} --full" in text
        assert f"compare?id={screen.id}&said={number}" in text
        of_api = site.get(f"/api/v1/comparisons/{screen.id}?said={number}").get_json()
        assert of_api["verdict"] == document["word"]
    assert site.get(f"/api/v1/comparisons/{screen.id}").get_json()["verdict"] == "REGRESSION"
    # Without a comparison it is the latest of then: the rerun came later.
    latest = json.loads(report("--said", said[0], "--format", "json").stdout)
    assert latest["id"] == screen.id
    assert json.loads(report("--format", "json").stdout)["id"] != screen.id


def test_a_report_of_then_says_nothing_new(
    conn: Connection, answer: Answer, report: Callable[..., Result]
) -> None:
    """A night's multiple testing of an earlier moment is shown, and not put on record."""
    screen = answer(boots=SLOW)
    number = statements.last(conn)
    decided(conn, screen, "confirmed", -0.0153)
    last = statements.last(conn)
    words = ("--comparison", str(screen.id), "--missing", "nothing", "--format", "json")
    then = json.loads(report(*words, "--said", str(number)).stdout)
    assert statements.last(conn) == last
    # Negative control: what is said now is.
    now = json.loads(report(*words).stdout)
    assert statements.last(conn) > last
    assert then["comparisons"][0]["word"] == "SUSPECTED"
    assert now["comparisons"][0]["word"] == "REGRESSION"
    assert then["family"]["tests"] == now["family"]["tests"]


def test_a_number_that_shows_nothing_is_refused_in_one_sentence(
    conn: Connection, answer: Answer, site: FlaskClient, report: Callable[..., Result]
) -> None:
    conn.execute("SELECT setval('said', 40)")
    screen = answer(boots=SLOW)
    newest = statements.last(conn)
    since = read_model.sayings(conn, screen.id)[0]["since"]
    unknown = f"nothing was said under the number {newest + 1}; the last one is {newest}"
    sentences = {
        newest + 1: unknown,
        0: f"nothing was said under the number 0; the last one is {newest}",
        since - 1: f"comparison {screen.id} was made after {since - 1} was said: its first number"
        f" is {since}; leave said out to see what it says now",
    }
    for number, sentence in sentences.items():
        done = report("--comparison", str(screen.id), "--said", str(number))
        assert (done.exit_code, done.stdout) == (ExitCode.USAGE, "")
        assert done.stderr == f"vlag: {sentence}\n"
    for address in (
        f"/compare?id={screen.id}", f"/latency?id={screen.id}", f"/api/v1/comparisons/{screen.id}?"
    ):  # fmt: skip
        page = site.get(f"{address}&said={newest + 1}")
        assert page.status_code == 404
        assert unknown[1:] in page.get_data(as_text=True)
        # Negative control: the last number is one.
        assert site.get(f"{address}&said={newest}").status_code == 200
    for words in (("--branch", "a/b"), ("--matrix", "1")):
        done = report(*words, "--said", "1")
        assert done.stderr == "vlag: --said is for comparisons and nights\n"
