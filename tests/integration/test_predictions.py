# SPDX-License-Identifier: GPL-2.0-only
"""A known regression is good news where its header predicts it, and its absence is bad."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import psycopg
import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from tests.integration import bundles
from tests.integration.nights import settings
from tests.integration.planted import before as earlier
from tests.integration.planted import planted as rewritten
from tests.integration.webpages import read
from tests.integration.websites import application, visitor
from tests.made import figure
from vlag.alerts import derive as alerting
from vlag.cli.main import main
from vlag.compare import predictions
from vlag.compare.kernels import compare as compared
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.kernel import series
from vlag.kernel.series import PATCHES
from vlag.notifications.night_end import EndedNight, Told, tell
from vlag.operate.service.follow import status_of
from vlag.pipeline.ingest import ingest_all
from vlag.report import proof_file, read_model
from vlag.store import comparisons, messages, nights, renames, statements
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef
from vlag.store.nights import Night

SERIES = "known-regressions"
HEADER = """From: a
Subject: slower

Why.

{}
---
diff --git a/x b/x
--- a/x
+++ b/x
@@ -1 +1 @@
-a
+b
"""
RATE = "qemu-sim-2 stress-ng-switch bogo-ops-rate"
NESTED = "qemu-sim-2 stress-ng-switch-nested bogo-ops-rate"
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
SLOWER = tuple(0.9 * f for f in SAME)
BETTER = tuple(1.1 * f for f in SAME)
PLAIN = bundles.kernel("6.12")
Compare = Callable[..., tuple[Result, dict[str, Any]]]


def patched(title: str, **changes: Any) -> dict[str, Any]:
    """Return 6.12 with the one patch of that title."""
    patches = series.read(PATCHES, SERIES)
    number = next(i for i, p in enumerate(patches, 1) if p.title == title)
    applied = [{"name": patches[number - 1].name, "sha256": patches[number - 1].sha256}]
    given = {"series": SERIES, "application": f"solo({number})", "patches": applied}
    return bundles.kernel("6.12", **{**given, **changes})


@pytest.fixture
def compare(
    conn: Connection,
    catalogue: Catalogue,
    dsn: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Compare:
    """Store 6.12 and another kernel of its, compare them, return the answer."""
    monkeypatch.setenv("VLAG_DATABASE", dsn)

    def work(
        new: dict[str, Any], factors: tuple[float, ...], *, nested: bool = False, **knobs: str
    ) -> Any:
        at_base: dict[str, str] = {}
        sides = (("base", PLAIN, SAME, at_base), ("new", new, factors, knobs))
        paths = [
            path
            for name, of, by, at in sides
            for path in bundles.side(
                tmp_path / name, of, catalogue, factors=by, nested=by if nested else (), knobs=at
            )
        ]
        bundles.store(conn, catalogue, paths)
        words = ["compare", PLAIN["digest"], new["digest"], "--exit-code", "--format", "text+json"]
        words += [f"--new-knob={k}={v}" for k, v in knobs.items()]
        done = CliRunner().invoke(main, words)
        return done, json.loads(done.stdout.splitlines()[-1])["prediction"]

    return work


def test_what_is_predicted_and_found_is_fine(compare: Compare) -> None:
    done, prediction = compare(patched("pick-path"), SLOWER)
    assert prediction["good"]
    assert prediction["found"] == ["stress-ng-switch bogo-ops-rate median"]
    assert done.exit_code == ExitCode.OK
    assert "as predicted: stress-ng-switch flagged" in done.stdout
    # A patch is called by its name too, not by its place in the series alone.
    assert "known-regressions solo(2) 02-pick-path" in " ".join(done.stdout.split())


def test_what_is_predicted_and_not_found_is_not(compare: Compare) -> None:
    done, prediction = compare(patched("pick-path"), SAME)
    assert prediction["missed"] == ["stress-ng-switch"]
    assert done.exit_code == ExitCode.REGRESSION
    assert "NOT as predicted: stress-ng-switch not flagged" in done.stdout


@pytest.mark.parametrize(
    ("title", "factors"),
    [("pick-path", BETTER), ("comment-only", SLOWER), ("wakeup-preemption", SLOWER)],
)
def test_what_is_flagged_otherwise_is_not(
    compare: Compare, title: str, factors: tuple[float, ...]
) -> None:
    done, prediction = compare(patched(title), factors)
    assert prediction["unexpected"]
    assert done.exit_code == ExitCode.REGRESSION


def test_without_its_knob_a_hidden_feature_does_nothing(compare: Compare) -> None:
    assert compare(patched("hidden-feature"), SAME)[1]["good"]


def test_with_its_knob_it_must_be_found(compare: Compare) -> None:
    feature = {"sched_features": "SLOW_SWITCH"}
    assert compare(patched("hidden-feature"), SLOWER, **feature)[1]["good"]


def test_with_its_knob_its_absence_is_told(compare: Compare) -> None:
    feature = {"sched_features": "SLOW_SWITCH"}
    assert not compare(patched("hidden-feature"), SAME, **feature)[1]["good"]


def test_a_patch_that_was_changed_since_predicts_nothing(compare: Compare) -> None:
    """Its header of then is not known: what is flagged is a regression as any other."""
    old = {"name": "02-pick-path.patch", "sha256": "0" * 64}
    done, prediction = compare(patched("pick-path", patches=[old]), SLOWER)
    assert prediction is None
    assert done.exit_code == ExitCode.REGRESSION


def planted(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *trailers: str
) -> tuple[series.Patch, dict[str, Any]]:
    """Return a patch with a header of its own, and its kernel."""
    root = folder / "patches"
    (root / "planted").mkdir(parents=True)
    (root / "planted" / "series").write_text("01-planted.patch\n")
    (root / "planted" / "01-planted.patch").write_text(HEADER.format("\n".join(trailers)))
    monkeypatch.setattr("vlag.compare.predictions.judge.__defaults__", (root,))
    [patch] = series.read(root, "planted")
    applied = [{"name": patch.name, "sha256": patch.sha256}]
    given = {"series": "planted", "application": "solo(1)", "patches": applied}
    return patch, bundles.kernel("6.12", **given)


@pytest.mark.parametrize(
    ("trailers", "text"),
    [
        ([f"Vlag-Predicts: {RATE} median worse"],
         "stress-ng-switch-nested bogo-ops-rate median worse"),
        ([f"Vlag-Predicts: {RATE} worse", f"Vlag-Allows: {NESTED} better"], "median worse flagged"),
        ([f"Vlag-Predicts: {RATE} p99 worse", f"Vlag-Allows: {RATE} worse",
          f"Vlag-Allows: {NESTED} worse"], "stress-ng-switch bogo-ops-rate p99 not flagged"),
        ([f"Vlag-Predicts: {RATE} median worse", f"Vlag-Allows: {NESTED} median worse"], ""),
        ([f"Vlag-Predicts: {RATE} worse", f"Vlag-Predicts: {NESTED} worse"], ""),
        ([f"Vlag-Allows: {RATE} worse", f"Vlag-Allows: {NESTED} worse"], ""),
    ],
)  # fmt: skip
def test_a_prediction_may_name_the_statistic(
    compare: Compare,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    trailers: list[str],
    text: str,
) -> None:
    _patch, kernel = planted(tmp_path, monkeypatch, *trailers)
    done, prediction = compare(kernel, SLOWER, nested=True)
    assert prediction["good"] == (not text), prediction
    assert text in prediction["text"]
    assert done.exit_code == (ExitCode.REGRESSION if text else ExitCode.OK)


def test_what_is_allowed_and_absent_is_fine(
    compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _patch, kernel = planted(tmp_path, monkeypatch, f"Vlag-Allows: {RATE} worse")
    assert compare(kernel, SAME)[1]["text"] == "as predicted: nothing flagged"


def test_a_run_that_failed_is_no_pass(
    compare: Compare, conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    """The same kernel, judged with all of its runs and with one that panicked."""
    kernel = patched("comment-only")
    assert compare(kernel, SAME)[1]["good"]
    failed: dict[str, Any] = {"benchmark": "cyclictest-hackbench", "outcome": "panic"}
    folder = bundles.run(tmp_path / "failed", kernel, catalogue, **failed, reason="Oops")
    [done] = ingest_all([folder], conn=conn, catalogue=catalogue)
    assert not isinstance(done, Exception), done
    again = CliRunner().invoke(
        main, ["compare", PLAIN["digest"], kernel["digest"], "--format", "json"]
    )
    prediction = json.loads(again.stdout)["prediction"]
    assert prediction["text"] == "NOT as predicted: 1 run failed"
    assert not prediction["good"]


def test_what_stays_inconclusive_is_no_pass() -> None:
    rows = [figure(metric, "INCONCLUSIVE") for metric in ("bogo-ops-rate", "time-per-switch")]
    judged = predictions.hold((), "qemu-sim-2", rows, name="x")
    assert str(judged) == "NOT as predicted: every verdict is INCONCLUSIVE"
    rows[1] = evolve(rows[1], verdict="UNCHANGED")
    assert predictions.hold((), "qemu-sim-2", rows, name="x").good


def test_a_benchmark_that_was_not_measured_is_no_pass() -> None:
    rows = [figure("bogo-ops-rate", "UNCHANGED")]
    asked = ["stress-ng-switch", "hackbench-pipe"]
    judged = predictions.hold((), "qemu-sim-2", rows, name="x", asked=asked)
    assert str(judged) == "NOT as predicted: hackbench-pipe was not measured"
    assert predictions.hold((), "qemu-sim-2", rows, name="x", asked=asked[:1]).good


def night(
    conn: Connection, folder: Path, catalogue: Catalogue, ids: list[int], missing: list[str]
) -> Told:
    told = settings(folder)
    started = datetime(2026, 3, 1, 1, 30, tzinfo=UTC)
    ended = EndedNight(
        key="one", comparisons=ids, missing=missing, started=started, finished=started
    )
    return tell(conn, catalogue, told, ended)


@pytest.mark.parametrize(
    ("factors", "missing", "first"),
    [
        (SLOWER, [], ""),
        (SAME, [], "PROOF FAILED: 0 of 1 as predicted; 02-pick-path on qemu-sim-2 NOT"),
        (SLOWER, ["no proof: a to b: not compared: c"],
         "PROOF FAILED: 1 of 2 as predicted; not made: a to b: not compared: c"),
        (SLOWER, ["a to b: not compared: c"], ""),
    ],
)  # fmt: skip
def test_a_failed_proof_is_the_first_line_everywhere(
    compare: Compare,
    conn: Connection,
    catalogue: Catalogue,
    tmp_path: Path,
    factors: tuple[float, ...],
    missing: list[str],
    first: str,
) -> None:
    compare(patched("pick-path"), factors)
    status = ExitCode.PROOF_FAILED if first else ExitCode.OK
    assert night(conn, tmp_path, catalogue, [1], missing).new
    words = ["report", "--night", "last", "--exit-code"]
    report = tmp_path / "reports" / "night.txt"
    files = ["--output", str(report), "--proof-file", str(proof_file.beside(report))]
    assert CliRunner().invoke(main, [*words, *files]).exit_code == status
    assert status_of(report) == status
    text, marked, html, document = (
        CliRunner().invoke(main, [*words, "--format", form])
        for form in ("text", "markdown", "html", "json")
    )
    assert {d.exit_code for d in (text, marked, html, document)} == {status}
    [mail] = [message_from_bytes(m.body, policy=default) for m in messages.latest(conn, 9)]
    assert isinstance(mail, EmailMessage)
    plain, written = (p.get_content().replace("\r\n", "\n") for p in mail.iter_parts())
    if first:
        assert " ".join(text.stdout.partition("\n\n")[0].split()) == first
        assert marked.stdout.startswith(f"**{first}**\n")
        assert f'<main>\n<p class="synthetic">{first}</p>' in html.stdout
        assert " ".join(plain.partition("\n\n")[0].split()) == first
        assert re.search(rf"<body[^>]*>\s*<p[^>]*>{re.escape(first)}<", written)
        assert mail["Subject"].startswith("[vlag] PROOF FAILED: ")
    else:
        head = "Nothing was compared beside known regressions"
        assert text.stdout.startswith(f"{head}\n{'=' * len(head)}\nProof: 1 of 1 as predicted.\n")
        assert "Proof: 1 of 1 as predicted." in marked.stdout
        for said in (text.stdout, marked.stdout, html.stdout, plain, written, mail["Subject"]):
            assert "PROOF FAILED" not in said
    assert json.loads(document.stdout)["proof"]["failed"] == bool(first)


@pytest.mark.parametrize(
    ("factors", "outcome", "status"),
    [(SLOWER, "found", ExitCode.OK), (SAME, "MISSED", ExitCode.PROOF_FAILED)],
)
def test_predictions_are_listed_with_what_was_found(
    compare: Compare, factors: tuple[float, ...], outcome: str, status: ExitCode
) -> None:
    compare(patched("pick-path"), factors)
    words = ["report", "--comparison", "1", "--predictions", "--exit-code"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == status
    assert f"  must  stress-ng-switch worse: {outcome}\n" in done.stdout
    change = r"bogo-ops-rate median -10\.00 % \[.*?\]: REGRESSION, as predicted"
    assert bool(re.search(change, " ".join(done.stdout.split()))) == (outcome == "found")
    listed = json.loads(CliRunner().invoke(main, [*words, "--format", "json"]).stdout)
    [entry] = listed["predictions"]
    must = [e for e in entry["expected"] if e["must"]]
    assert [bool(e["found"]) for e in must] == [outcome == "found"]
    said = "as predicted" if outcome == "found" else "not flagged"
    assert {c["as"] for c in entry["changes"]} == {said}


def test_what_was_said_of_a_prediction_stays_as_it_was_said(
    compare: Compare, conn: Connection, dsn: str, tmp_path: Path
) -> None:
    said = [compare(patched("pick-path"), SLOWER)[1]]
    links = [statements.last(conn)]

    def judged(good: bool) -> None:
        """Judge it again, as a later version of vlag may."""
        said.append({**said[0], "good": good, "text": "as predicted" if good else "NOT found"})
        comparisons.put_prediction(conn, 1, **{k: said[-1][k] for k in ("name", "good", "text")})
        links.append(statements.last(conn))

    judged(False)
    judged(True)
    judged(True)  # the same is not said again
    rows = conn.execute("SELECT good, said, replaces FROM prediction ORDER BY said").fetchall()
    assert [r[0] for r in rows] == [True, False, True]
    assert [r[2] for r in rows] == [None, rows[0][1], rows[1][1]]
    site = visitor(application(dsn, tmp_path))

    def shown(number: int) -> tuple[Any, ...]:
        statements.show(conn, number)
        found = comparisons.predictions(conn, [1])[1]
        of = read_model.comparison(conn, 1)
        statements.show(conn, None)
        page = " ".join(read(site, f"/compare?id=1&said={number}").split())
        assert ("It was replaced by" in page) == (number < links[-1])
        return found["good"], found["text"], of and of["as_predicted"], "NOT as predicted:" in page

    expected = [(p["good"], p["text"], p["good"], not p["good"]) for p in said]
    assert [shown(number) for number in links] == expected
    assert [s["decided_by"] for s in read_model.sayings(conn, 1)] == [None, None, None]
    for statement in ("UPDATE prediction SET good = false", "DELETE FROM prediction"):
        with pytest.raises(psycopg.IntegrityError, match="what was said stays"):
            conn.execute(statement)
    # Negative control: without the guard a link shows something else.
    with rewritten(conn):
        conn.execute("UPDATE prediction SET good = false")
    assert shown(links[0]) != expected[0]


def test_a_patch_that_is_edited_later_changes_nothing_that_was_said(
    compare: Compare, conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patch, kernel = planted(tmp_path, monkeypatch, f"Vlag-Predicts: {RATE} worse")
    assert compare(kernel, SLOWER)[1]["good"]
    words = ["report", "--comparison", "1", "--format", "json"]
    before = json.loads(CliRunner().invoke(main, words).stdout)
    path = tmp_path / "patches" / "planted" / patch.name
    path.write_text(path.read_text().replace("worse", "better"))
    after = json.loads(CliRunner().invoke(main, words).stdout)
    assert after["prediction"] == before["prediction"]
    assert after["prediction"]["found"]
    # Negative control: what is compared from now on is judged by what is known now.
    [edited] = series.read(path.parent.parent, "planted")
    applied = [{"name": edited.name, "sha256": edited.sha256}]
    given = {"series": "planted", "application": "solo(1)", "patches": applied}
    assert compare(bundles.kernel("6.12", **given), SLOWER)[1]["unexpected"]


def test_what_was_said_of_predictions_before_is_taken_over(
    compare: Compare, conn: Connection
) -> None:
    compare(patched("pick-path"), SLOWER)
    number = statements.last(conn)
    kept = "SELECT comparison, name, good, text FROM prediction"
    before = conn.execute(kept).fetchall()
    with earlier(conn, "0034_prediction_rows"):
        assert conn.execute(kept).fetchall() == before
    assert conn.execute(kept).fetchall() == before
    # A link from before the upgrade shows it too, with the lists that were not kept then.
    statements.show(conn, number)
    document = json.loads(
        CliRunner().invoke(main, ["report", "--comparison", "1", "--format", "json"]).stdout
    )["prediction"]
    statements.show(conn, None)
    assert document["found"] == ["stress-ng-switch bogo-ops-rate median"]
    assert comparisons.predictions(conn, [1])[1] == {
        k: document[k] for k in ("name", "good", "text")
    }


OLD, NOW = "bogo-ops-rate", "switch-rate"


def renamed(catalogue: Catalogue, *formerly: str) -> Catalogue:
    """Return the catalogue with another name for the rate."""
    of = catalogue.benchmark("stress-ng-switch")
    metrics = tuple(
        evolve(m, name=NOW, formerly=formerly) if m.name == OLD else m for m in of.metrics
    )
    return evolve(
        catalogue, benchmarks={**catalogue.benchmarks, of.name: evolve(of, metrics=metrics)}
    )


def judged(conn: Connection, catalogue: Catalogue, kernel: dict[str, Any]) -> dict[str, Any]:
    """Compare the kernel with 6.12, and return what is said of its prediction."""
    renames.apply(conn, catalogue.benchmarks.values())
    found = compared(
        conn=conn, catalogue=catalogue, base=KernelRef(text=PLAIN["digest"]),
        new=KernelRef(text=kernel["digest"]), board_type="qemu-sim-2", role="parent",
    )  # fmt: skip
    return said_of(conn, catalogue, found.id)


def said_of(conn: Connection, catalogue: Catalogue, id_: int) -> dict[str, Any]:
    of = comparisons.by_id(conn, id_)
    assert of is not None
    verdicts = comparisons.verdicts(conn, id_)
    return dict(predictions.recorded(conn, catalogue.benchmarks, of, verdicts) or {})


def night_of(conn: Connection, folder: Path, catalogue: Catalogue, key: str) -> Night:
    started = datetime(2026, 3, 1, 1, 30, tzinfo=UTC)
    ended = EndedNight(key=key, comparisons=[1], started=started, finished=started)
    told = tell(conn, catalogue, settings(folder), ended)
    found = nights.by_id(conn, told.night)
    assert found is not None
    return found


@pytest.mark.parametrize("name", [OLD, "bogo-*"])
def test_a_header_may_name_a_metric_as_it_was_before(
    conn: Connection,
    catalogue: Catalogue,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    header = f"Vlag-Predicts: qemu-sim-2 stress-ng-switch {name} worse"
    patch, kernel = planted(tmp_path, monkeypatch, header)
    for of, by in ((PLAIN, SAME), (kernel, SLOWER)):
        side = bundles.side(tmp_path / of["digest"][:9], of, catalogue, factors=by)
        bundles.store(conn, catalogue, side)
    now = renamed(catalogue, OLD)
    document = judged(conn, now, kernel)
    assert document["good"], document
    assert document["found"] == [f"stress-ng-switch {NOW} median"]
    note = (
        f"planted/01-planted.patch: {name!r} of stress-ng-switch is named {NOW!r} now;"
        " it still counts"
    )
    assert document["notes"] == [note]
    # The person reads it in one night's mail, and where a series is checked.
    told = [note in night_of(conn, tmp_path, now, key).notes for key in ("one", "two")]
    assert told == [True, False]
    assert predictions.notes_of([patch], now.benchmarks) == [note.partition("/")[2]]
    # Negative controls: today's name needs no note, and a name of nothing predicts nothing.
    assert predictions.notes_of([patch], catalogue.benchmarks) == []
    assert not judged(conn, renamed(catalogue, "else"), kernel)["good"]


def test_a_metric_that_is_renamed_afterwards_is_predicted_still(
    compare: Compare, conn: Connection, catalogue: Catalogue
) -> None:
    kernel = patched("pick-path")
    assert compare(kernel, SLOWER)[1]["found"] == [f"stress-ng-switch {OLD} median"]
    now = renamed(catalogue, OLD)
    renames.apply(conn, now.benchmarks.values())
    said = said_of(conn, now, 1)
    assert said["found"] == [f"stress-ng-switch {NOW} median"]
    assert [e["flag"] for e in said["expected"] if e["must"]] == ["stress-ng-switch worse"]
    conn.execute("UPDATE comparison SET role = 'parent'")
    assert alerting.derive(conn, now, [1]) == []
    # Negative control: without the prediction it is a regression.
    with rewritten(conn):
        conn.execute("DELETE FROM prediction")
    assert len(alerting.derive(conn, now, [1])) == 1


def test_predictions_of_a_branch_are_refused(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    done = CliRunner().invoke(main, ["report", "--branch", "debian/linux-6.12", "--predictions"])
    assert done.exit_code == ExitCode.USAGE
    assert "--predictions, --exit-code and --missing are for" in done.stderr
