"""Worst first: one order on every road from one database to a reader."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import fresh_database
from tests.integration import bundles
from tests.integration.grafana import Reader, opened
from tests.integration.webpages import read, table
from tests.integration.websites import application, visitor
from vlag.config.catalogue import Catalogue
from vlag.pipeline.ingest import ingest_all
from vlag.report import forms, read_model
from vlag.report.data.branch_state import state as branch_state
from vlag.report.data.comparison import night, report
from vlag.report.text import ordered
from vlag.stats import severity
from vlag.store import comparisons, kernels, suspicions
from vlag.store.comparisons import Comparison, VerdictRow
from vlag.store.database import Connection

BASE = bundles.kernel("6.1")
BOARD = "qemu-sim-2"

#: Metric -> verdict, effect, hint, what rerun boots made of it; every kind, and several sizes.
FIGURES: dict[str, tuple[str, float | None, bool, str | None]] = {
    "m01": ("UNCHANGED", 0.001, False, None),
    "m02": ("IMPROVEMENT", 0.03, False, None),
    "m03": ("REGRESSION", -0.02, False, None),
    "m04": ("INCONCLUSIVE", 0.5, False, None),
    "m05": ("REGRESSION", -0.44, False, None),
    "m06": ("REGRESSION", 0.60, True, None),
    "m07": ("NOT_COMPARABLE", None, False, None),
    "m08": ("IMPROVEMENT", 0.30, False, None),
    "m09": ("REGRESSION", -0.05, False, "open"),
    "m10": ("IMPROVEMENT", 0.90, True, None),
    "m11": ("INCONCLUSIVE", None, False, None),
    "m12": ("REGRESSION", -0.40, False, "refuted"),
    "m13": ("INCONCLUSIVE", -0.2, False, "confirmed"),
    "m14": ("UNCHANGED", None, False, None),
    "m15": ("UNCHANGED", -0.001001001, False, None),
    "m16": ("MARGINAL", 0.05, False, None),
    "m17": ("MARGINAL", -0.06, True, None),
    "m18": ("MARGINAL", -0.07, False, "open"),
    "m19": ("REGRESSION", -0.08, False, "undecided"),
    "m20": ("REGRESSION", -0.04, False, "undecided"),
}
#: What rerun boots say of those that they decided, or did not.
FRESH = {
    "m12": ("UNCHANGED", -0.01),
    "m13": ("REGRESSION", -0.3),
    "m19": ("MARGINAL", -0.055),
    "m20": ("INCONCLUSIVE", -0.03),
}
WORST_FIRST = [
    "m05", "m13", "m03",  # proven, by size
    "m18", "m09", "m20", "m06",  # suspected, and rerun boots did not decide; a hint
    "m19", "m16", "m07",  # marginal, one by rerun boots; not comparable
    "m04", "m17", "m11", "m08", "m02", "m10",  # undecided, a marginal hint, better, a hint of it
    "m12", "m01", "m15", "m14",  # of one size: by name
]  # fmt: skip


def figure(metric: str, verdict: str, effect: float | None, **changes: Any) -> VerdictRow:
    given: dict[str, Any] = {
        "benchmark": "stress-ng-switch", "parameters": {"duration_s": 12}, "metric": metric,
        "statistic": "median", "series_base": None, "series_new": None, "unit": "1/s",
        "direction": "higher", "base_value": 1.0,
        "new_value": None if effect is None else 1 + effect, "effect": effect, "ci_low": None,
        "ci_high": None, "n_base": 5, "n_new": 5, "p": None, "verdict": verdict,
        "reason": "because", "hint": False, "base_runs": [], "new_runs": [], **changes,
    }  # fmt: skip
    return VerdictRow(**given)


class Record:
    """A database, and comparisons put into it by hand."""

    def __init__(self, conn: Connection, catalogue: Catalogue, folder: Path) -> None:
        self.conn, self.catalogue = conn, catalogue
        for result in ingest_all(
            bundles.side(folder, BASE, catalogue, factors=(1.0,)), conn=conn, catalogue=catalogue
        ):
            assert not isinstance(result, Exception), result
        self.numbers = itertools.count()

    def compare(
        self, new: dict[str, Any], verdicts: list[VerdictRow], **changes: Any
    ) -> Comparison:
        given: dict[str, Any] = {
            "inputs": bundles.sha(str(next(self.numbers))),
            "base_kernel": kernels.id_of(self.conn, BASE),
            "new_kernel": kernels.id_of(self.conn, new), "board_type": BOARD, "base_knobs": {},
            "new_knobs": {}, "factors": {}, "failed_builds": [], "failed_runs": [], "notes": [],
            "plan": "nightly", "stage": "screen", "role": "baseline", **changes,
        }  # fmt: skip
        id_, _ = comparisons.insert(self.conn, Comparison(**given), verdicts)
        found = comparisons.by_id(self.conn, id_)
        assert found is not None
        return found

    def every(self, new: dict[str, Any]) -> Comparison:
        """Put the figures of all kinds on record, with what rerun boots say."""
        screen = self.compare(
            new,
            [
                figure(m, verdict, effect, hint=hint, suspect=stand is not None, confirmable=True)
                for m, (verdict, effect, hint, stand) in FIGURES.items()
            ],
        )
        verdicts = comparisons.verdicts(self.conn, screen.id or 0)
        suspicions.raise_(self.conn, screen, [v for v in verdicts if v.suspect])
        fresh = [figure(m, word, effect) for m, (word, effect) in FRESH.items()]
        confirm = self.compare(new, fresh, stage="confirm", round=1)
        by_metric = {v.metric: v for v in fresh}
        for s in suspicions.of(self.conn, screen):
            stand = FIGURES[s.metric][3]
            if stand in ("confirmed", "refuted", "undecided"):
                suspicions.decide(self.conn, s, by_metric[s.metric], confirm, stand=stand)
        return screen


@pytest.fixture(scope="module")
def database(
    cluster: str, template: str, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Record, Reader, str, Path]]:
    folder = tmp_path_factory.mktemp("severity")
    dsn = fresh_database(cluster, template)
    for conn, reader in opened(dsn):
        yield Record(conn, catalogue, folder), reader, dsn, folder


def metrics(text: str) -> list[str]:
    """Return metrics in the order in which they first appear."""
    return list(dict.fromkeys(re.findall(r"\bm\d\d\b", text)))


def test_figures_have_one_order_on_every_road(
    database: tuple[Record, Reader, str, Path],
) -> None:
    record, reader, dsn, folder = database
    new = bundles.kernel("6.12")
    c = record.every(new)
    assert c.id is not None
    data = report(record.conn, record.catalogue, c.id, folder)
    assert [r["metric"] for r in data["rows"]] == WORST_FIRST
    for form in ("text", "markdown"):
        assert metrics(forms.render(data, form)) == WORST_FIRST, form
    html = forms.render(data, "html")
    assert metrics("".join(re.findall(r"<tr\b.*?</tr>", html, flags=re.S))) == WORST_FIRST
    # The page, the branch's page and its report.
    site = visitor(application(dsn, folder))
    rows = table(read(site, f"/compare?id={c.id}"), "figures")[1:]
    assert metrics(" ".join(r[0] for r in rows)) == WORST_FIRST
    branch = branch_state(record.conn, record.catalogue, "debian/linux-6.12")
    told = [m for m in WORST_FIRST if m not in ("m12", "m15", "m01", "m14")]
    assert [r["metric"] for r in branch["states"][0]["rows"]] == told
    # Grafana.
    given = {"board": BOARD, "new": str(c.new_kernel), "base": str(c.base_kernel)}
    panel = reader.panel("vlag-compare", "Effects, worst first", comparison=str(c.id), **given)
    assert metrics(" ".join(r["figure"] for r in panel)) == WORST_FIRST
    # Python's own table over the rows of the view.
    shown = read_model.verdicts(record.conn, [c.id])
    assert sorted(shown, key=severity.order) == shown
    # Negative control: the order of the alphabet, and that of the screen alone, are others.
    assert sorted(WORST_FIRST) != WORST_FIRST
    screen = comparisons.verdicts(record.conn, c.id)
    alone = sorted(screen, key=lambda v: (severity.severity(v.verdict), -severity.size(v.effect)))
    assert [v.metric for v in alone] != WORST_FIRST


def test_hints_are_not_called_unchanged(
    database: tuple[Record, Reader, str, Path],
) -> None:
    record, _, dsn, folder = database
    quiet = [figure("m1", "UNCHANGED", 0.0)]
    hints = [figure(f"h{n}", "REGRESSION", e, hint=True, direction="lower")
             for n, e in enumerate((0.5, 16.0, 2.0))]  # fmt: skip
    said = "no proof; 3 hints, worst \N{MULTIPLICATION SIGN} 17"
    site = visitor(application(dsn, folder))
    for name, rows, word in (
        ("hinted", [*quiet, *hints], "REGRESSION (hint)"),
        ("quiet", quiet, "UNCHANGED"),
    ):
        c = record.compare(bundles.kernel(name, branch=name), rows)
        [summary] = read_model.by_ids(record.conn, [c.id or 0])
        assert summary["verdict"] == word
        data = report(record.conn, record.catalogue, c.id, folder)
        branch = branch_state(record.conn, record.catalogue, f"debian/{name}")
        roads = [forms.render(d, form) for d in (data, branch) for form in ("text", "markdown")]
        roads += [read(site, f"/compare?id={c.id}"), read(site, "/").partition(f"debian/{name}")[2]]
        # Negative control: without hints no road has these words.
        assert [said in " ".join(road.split()) for road in roads[:5]] == [name == "hinted"] * 5
        assert said in roads[5] or name == "quiet"
        assert f"debian/{name}: {word}" in roads[2]


def test_what_a_side_has_not_measured_is_said_on_every_road(
    database: tuple[Record, Reader, str, Path],
) -> None:
    record, _, dsn, folder = database
    same = [figure(f"m{n}", "UNCHANGED", 0.0) for n in range(6)]
    none: dict[str, Any] = {"n_base": 0, "base_value": None}
    lost = [figure(f"n{n}", "INCONCLUSIVE", None, **none) for n in range(6)]
    site = visitor(application(dsn, folder))
    for name, rows, word, said in (
        ("half", [*same, *lost], "INCONCLUSIVE", "6 of 12 figures without a base"),
        ("some", [*same, *lost[:5]], "UNCHANGED", "5 of 11 figures without a base"),
    ):
        c = record.compare(bundles.kernel(name, branch=name), rows)
        [summary] = read_model.by_ids(record.conn, [c.id or 0])
        assert summary["verdict"] == word
        shown = read_model.verdicts(record.conn, [c.id or 0])
        assert severity.over(shown, failed=False)[0] == word
        assert {**severity.lacking(shown)}.items() <= summary.items()
        data = report(record.conn, record.catalogue, c.id, folder)
        branch = branch_state(record.conn, record.catalogue, f"debian/{name}")
        roads = [forms.render(d, form) for d in (data, branch) for form in ("text", "markdown")]
        roads += [read(site, f"/compare?id={c.id}"), read(site, "/").partition(f"debian/{name}")[2]]
        for number, road in enumerate(roads):
            assert said in " ".join(road.split()), number
        assert f"debian/{name}: {word}" in roads[2]


def test_marginal_changes_are_counted_apart(
    database: tuple[Record, Reader, str, Path], tmp_path: Path
) -> None:
    record = database[0]
    c = record.every(bundles.kernel("linux-6.11"))
    shown = {v["metric"]: v for v in read_model.verdicts(record.conn, [c.id or 0])}
    standings = {m: v["standing"] for m, v in shown.items() if v["verdict"] == "MARGINAL"}
    assert standings == {"m16": "", "m17": "hint", "m18": "suspected", "m19": ""}
    # Rerun boots that decide nothing leave the screen's verdict, and a suspicion.
    assert (shown["m20"]["verdict"], shown["m20"]["standing"]) == ("REGRESSION", "suspected")
    sql = (
        "SELECT marginal, unchanged, inconclusive FROM read_model.comparison_summary WHERE id = %s"
    )
    assert record.conn.execute(sql, (c.id,)).fetchone() == (2, 4, 2)


def test_the_functions_are_the_table(database: tuple[Record, Reader, str, Path]) -> None:
    reader = database[1]
    standings = ("suspected", "hint", "refuted", "confirmed", "told", "")
    for word, standing in itertools.product(severity.WORDS, standings):
        [(rank,)] = reader.rows("SELECT read_model.severity(%s, %s)", word, standing)
        assert rank == severity.severity(word, standing), (word, standing)
    assert reader.rows("SELECT read_model.severity('WORSE', '')") == [(None,)]
    for effect in (None, -1.0, -0.999, -0.5, -1e-7, 0.0, 0.1, 1.0, 19.0, 1e6):
        [(found,)] = reader.rows("SELECT read_model.size(%s::float8)", effect)
        assert found == severity.size(effect), effect


#: Branch -> its figures, in the order in which comparisons belong.
COMPARISONS: dict[str, list[VerdictRow]] = {
    "mixed-44": [figure("m1", "REGRESSION", -0.44), figure("m2", "IMPROVEMENT", 0.2)],
    "slower-60": [figure("m1", "REGRESSION", 0.60, direction="lower")],
    "regression-2": [figure("m1", "REGRESSION", -0.02)],
    "mixed-1": [figure("m1", "REGRESSION", -0.01), figure("m2", "IMPROVEMENT", 0.9)],
    "hinted": [figure("m1", "REGRESSION", -0.9, hint=True), figure("m2", "UNCHANGED", 0.0)],
    "edge": [figure("m1", "MARGINAL", 0.05), figure("m2", "UNCHANGED", 0.0)],
    "apart": [figure("m1", "NOT_COMPARABLE", None)],
    "open": [figure("m1", "INCONCLUSIVE", 0.2)],
    "better": [figure("m1", "IMPROVEMENT", 0.1), figure("m2", "UNCHANGED", 0.0)],
    "same": [figure("m1", "UNCHANGED", 0.0)],
}


def test_comparisons_have_one_order_on_every_road(
    cluster: str, template: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    dsn = fresh_database(cluster, template)
    for conn, reader in opened(dsn):
        record = Record(conn, catalogue, tmp_path)
        names = sorted(COMPARISONS)
        made = {
            name: record.compare(bundles.kernel(name, branch=name), COMPARISONS[name])
            for name in names
        }
        ids = [c.id for c in made.values() if c.id is not None]
        # The text of a night, and its JSON.
        data = night(conn, catalogue, ids, tmp_path)
        assert [c["new"]["branch"] for c in ordered(data["comparisons"])] == list(COMPARISONS)
        # The page.
        page = read(visitor(application(dsn, tmp_path)), "/")
        _, *lines = table(page, "branches by board type")
        assert [line[0].partition("/")[2].split()[0] for line in lines] == list(COMPARISONS)
        # Grafana.
        panel = reader.panel("vlag-overview", "Newest comparisons, worst first")
        assert [r["branch"].partition("/")[2] for r in panel] == list(COMPARISONS)
        # The view and Python's own rule agree on word, rank and size.
        for c in read_model.by_ids(conn, ids):
            rows = read_model.verdicts(conn, [c["id"]])
            assert severity.over(rows, failed=c["failures"] > 0) == (
                c["verdict"], c["severity"], c["size"],
            )  # fmt: skip
        # What is shown as the worst is the one that decides: 44 % less, not what is last.
        [mixed] = read_model.by_ids(conn, [made["mixed-44"].id or 0])
        assert mixed["worst"] == pytest.approx(0.44)
        # Negative control: without sizes a MIXED of 44 % would lie among those of 1 and 2 %.
        by_word = sorted(ordered(data["comparisons"]), key=lambda c: (c["severity"], c["id"]))
        assert [c["new"]["branch"] for c in by_word] != list(COMPARISONS)
