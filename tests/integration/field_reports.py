# SPDX-License-Identifier: GPL-2.0-only
"""The figures that five field reports give, and a reader of them for each surface that shows them.

A figure is a change in percent and a letter for its verdict, as in "-29.3W": W is a REGRESSION,
B an IMPROVEMENT, = UNCHANGED, M MARGINAL and ? INCONCLUSIVE; a small letter is a hint.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import define, frozen
from flask.testing import FlaskClient

from tests.integration import reports_template
from tests.integration.grafana import Reader, opened
from tests.integration.reports import Report, cells
from tests.integration.webpages import read, table
from tests.integration.websites import application, visitor
from vlag.alerts import derive as alerting
from vlag.config.catalogue import Catalogue
from vlag.lava import render
from vlag.report.data import matrices
from vlag.report.data.comparison import report
from vlag.report.grid import MARKS
from vlag.scenario import data
from vlag.scenario.bundles import kernel
from vlag.store.alerts import Alert
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

#: Report and set -> the base, the other sides, and for each measure a figure for each of these.
FIGURES: Mapping[tuple[str, str], tuple[str, str, Mapping[str, str]]] = {
    ("S1", "a"): (
        "6.6.78",
        "6.12.81 6.12.81-off 6.18.21 7.0.0",
        {
            "pipe": "-29.3W -3.5 -15.6W -20.6W",
            "yield": "+4.4W +11.5W +0.05= +5.0W",
        },
    ),
    ("S1", "a-2800"): ("6.6.78", "7.0.0", {"pipe": "-19.0W"}),
    ("S1", "a-earlier"): ("6.6.78", "6.12.81", {"pipe-ops": "-50.4W"}),
    ("S2", "solo"): (
        "baseline",
        "patch1 patch2 patch3 patch4",
        {
            "ffmpeg": "+11.0B +5.0B +4.0B +3.8M",
            "cyclic": "+31.4B +18.6B +50.4B +5.9B",
            "pi-stress": "+76.5B +4.7B +5.1B +9.3B",
            # Less of the kernel's share is better; its parser is unproven.
            "kernel-cycles": "-45.0b -11.5b -7.0b -6.5b",
        },
    ),
    ("S3", "later"): (
        "base",
        "patched",
        {
            "1-thread": "-38.8B",
            "latency p50": "+41.9W",
            "latency p99": "-32.6B",
            "latency p99.9": "-47.4B",
        },
    ),
    ("S3", "earlier"): (
        "base",
        "patched",
        {
            "4-threads": "+27.3W",
            "8-threads": "+30.8W",
            "16-threads": "+26.2W",
            "32-processes": "-12.6B",
        },
    ),
    ("S4", "host"): ("full", "lazy lazy-unbound", {"throughput": "-74.0W +0.0="}),
    ("S5", "releases"): (
        "6.5.13",
        "6.12.25 6.13.12 6.14.4 6.15-rc4",
        {
            "score": "-5.1W -6.1W -7.4W -7.4W",
            "tpm": "-5.0W -6.0W -7.4W -7.5W",
            "latency": "+7.8W +8.6W +9.6W +10.2W",
            "batch-score": "-8.1W -7.8W -7.9W -10.6W",
            "batch-tpm": "-8.1W -7.7W -7.9W -10.6W",
            "batch-latency": "+8.7W +8.3W +8.3W +11.8W",
        },
    ),
}


@frozen(kw_only=True)
class Pair:
    """A side of a report's set and the set's base."""

    report: str
    of: str  # the set
    base: str
    new: str
    figures: Mapping[str, str]  # measure -> figure


def pairs(name: str) -> list[Pair]:
    """Return the pairs of a report and what its surfaces have to show of them."""
    return [
        Pair(
            report=name, of=of, base=base, new=new,
            figures={measure: row.split()[i] for measure, row in rows.items()},
        )
        for (of_report, of), (base, sides, rows) in FIGURES.items()
        for i, new in enumerate(sides.split())
        if of_report == name
    ]  # fmt: skip


@define(kw_only=True, slots=False)
class FieldReports:
    """A database with all field reports, and what shows them."""

    conn: Connection
    catalogue: Catalogue
    state: Path
    dsn: str
    views: Mapping[str, Mapping[str, Any]]  # of each report, as `vlag scenario` has them
    reader: Reader
    site: FlaskClient

    @functools.cached_property
    def alerts(self) -> dict[str, Alert]:
        """Alerts of all comparisons with a baseline, by title."""
        rows = self.conn.execute("SELECT id FROM comparison WHERE role IS NOT NULL ORDER BY id")
        found = alerting.derive(self.conn, self.catalogue, [row[0] for row in rows])
        return {alert.title: alert for alert in found}

    def alert(self, *words: str) -> Alert:
        """Return the one alert with all of these words in its title."""
        [found] = [a for title, a in self.alerts.items() if all(w in title for w in words)]
        return found

    def kernel(self, name: str, of: str, side: str) -> KernelRef:
        """Return the kernel of a side of a report's set, with its knobs."""
        found = data.load(name).sets[of]
        digest = kernel(found, found.sides[side], self.catalogue)["digest"]
        return KernelRef(text=digest, knobs=dict(found.sides[side].knobs))

    def comparison(self, name: str, of: str, base: str, new: str) -> int:
        """Return the comparison of the first boots of two sides."""
        one, other = (self.kernel(name, of, side) for side in (base, new))
        [[found]] = self.conn.execute(
            "SELECT c.id FROM comparison c JOIN kernel b ON b.id = c.base_kernel"
            " JOIN kernel n ON n.id = c.new_kernel WHERE c.stage = 'screen'"
            " AND b.digest = %s AND n.digest = %s AND c.base_knobs = %s AND c.new_knobs = %s",
            (one.text, other.text, json.dumps(one.knobs), json.dumps(other.knobs)),
        ).fetchall()
        return int(found)

    def report(self, name: str, of: str, base: str, new: str) -> Report:
        """Return the report on two sides of a set."""
        return report(self.conn, self.catalogue, self.comparison(name, of, base, new), self.state)

    def panel(self, uid: str, title: str, comparison: int) -> list[dict[str, Any]]:
        """Return the rows of a panel for a comparison."""
        [(board, base, new)] = self.reader.rows(
            "SELECT board_type, base_kernel::text, new_kernel::text FROM read_model.comparison"
            " WHERE id = %s",
            comparison,
        )
        return self.reader.panel(
            uid, title, board=board, base=base, new=new, comparison=str(comparison)
        )


def opened_reports(
    dsn: str, catalogue: Catalogue, state: Path, session_folder: Path, **site: Any
) -> Iterator[FieldReports]:
    """Open a database that is a copy of the one with all field reports."""
    for conn, reader in opened(dsn):
        yield FieldReports(
            conn=conn, catalogue=catalogue, state=state, dsn=dsn, reader=reader,
            views=reports_template.documents(session_folder),
            site=visitor(application(dsn, state, **site)),
        )  # fmt: skip


def figure(percent: float, verdict: str, standing: str) -> str:
    """Write a figure as `FIGURES` has it; a change that no rerun confirmed is marked."""
    unconfirmed = verdict in ("REGRESSION", "IMPROVEMENT") and standing not in ("confirmed", "hint")
    size = 2 if 0.005 <= abs(percent) < 0.1 else 1
    mark = MARKS[verdict]
    mark = mark.lower() if standing == "hint" else mark
    return f"{round(percent, size) + 0.0:+.{size}f}{mark}{' unconfirmed' * unconfirmed}"


def names(of: FieldReports, pair: Pair) -> dict[str, tuple[str, dict[str, str]]]:
    """Return for each measure of a pair its metric's name, and its parameters."""
    scenario, found = data.load(pair.report), {}
    for measure in pair.figures:
        short, _, statistic = measure.partition(" ")
        m = scenario.measures[short]
        given = render.parameters(of.catalogue.benchmark(m.benchmark), m.parameters)
        name = f"{m.benchmark} {m.judged_by or m.metric} {statistic}".strip()
        found[measure] = (name, {k: str(v) for k, v in given.items()})
    return found


def comparison_of(of: FieldReports, pair: Pair) -> int:
    """Return the comparison of a pair."""
    return of.comparison(pair.report, pair.of, pair.base, pair.new)


# A reader returns the figures of a pair that its surface shows, by measure.


def of_view(of: FieldReports, pair: Pair) -> dict[str, str]:
    """Read `vlag scenario`, whose verdicts are those of the rerun."""
    [shown] = [
        v
        for v in of.views[pair.report]["views"]
        if (v["view"], v.get("set"), v.get("base")) == ("table", pair.of, pair.base)
    ]
    [row] = [r for r in shown["rows"] if r["side"] == pair.new]
    return {
        c["measure"]: figure(100 * c["effect"], c["verdict"], "hint" if c["hint"] else "confirmed")
        for c in row["cells"]
    }


def of_data(of: FieldReports, pair: Pair) -> dict[str, str]:
    """Read a report's data."""
    rows = {
        (
            f"{r['benchmark']} {r['metric']} {r['statistic']}".removesuffix(" median"),
            tuple(sorted((k, str(v)) for k, v in r["parameters"].items())),
        ): r
        for r in of.report(pair.report, pair.of, pair.base, pair.new)["rows"]
    }
    found = {}
    for measure, (name, given) in names(of, pair).items():
        r = rows[name, tuple(sorted(given.items()))]
        standing = "hint" if r["hint"] else "confirmed"
        found[measure] = figure(100 * (r["effect"] or 0), r["verdict"], standing)
    return found


def of_page(of: FieldReports, pair: Pair) -> dict[str, str]:
    """Read the page of a comparison, which names what parameters tell figures apart."""
    rows = table(read(of.site, f"/compare?id={comparison_of(of, pair)}"), "figures")[1:]
    found = {}
    for measure, (name, given) in names(of, pair).items():
        fitting = [
            r
            for r in rows
            if re.sub(r" \S+=\S+", "", r[0]) == name
            and set(re.findall(r"(\S+)=(\S+)", r[0])) <= set(given.items())
        ]
        row = max(fitting, key=lambda r: r[0].count("="))
        # A link to the course of a suspicion follows them.
        word, standing, *_ = [*row[1].split(), ""]
        found[measure] = figure(float(row[2].split()[0]), word, standing)
    return found


def of_panel(of: FieldReports, pair: Pair) -> dict[str, str]:
    """Read the dashboard of a comparison."""
    rows = {
        (r["figure"], r["parameters"]): r
        for r in of.panel("vlag-compare", "Effects, worst first", comparison_of(of, pair))
    }
    found = {}
    for measure, (name, given) in names(of, pair).items():
        r = rows[name, " ".join(f"{k}={v}" for k, v in sorted(given.items()))]
        word = r["verdict"].removesuffix(" (hint)")
        found[measure] = figure(100 * r["effect"], word, r["standing"])
    return found


READERS: Mapping[str, Callable[[FieldReports, Pair], dict[str, str]]] = {
    "scenario": of_view,
    "report": of_data,
    "page": of_page,
    "dashboard": of_panel,
}

# Matrices: a reader returns the figures by column and metric.

Matrix = dict[str, dict[str, str]]

#: Report -> board type, the knobs of its base, the series, and its columns as sides of the set.
MATRICES = {
    "S2": (
        "x86-480", "", "root-domain-v2",
        {"solo(1)": "patch1", "solo(2)": "patch2", "solo(3)": "patch3", "solo(4)": "patch4"},
    ),
    "S4": (
        "vhost-host", "preempt=full", "vhost-unbound-wq",
        {"preempt=lazy": "lazy", "full preempt=lazy": "lazy-unbound"},
    ),
}  # fmt: skip


def in_words(cell: str) -> str:
    """Return the figure of a cell that ends with its verdict in words, or the cell."""
    found = re.match(r"(\S+) % .*?([A-Z_]{6,})( confirmed| \(?hint\)?|$)", cell)
    if found is None:
        return cell
    return figure(float(found[1]), found[2], found[3].strip(" ()") or "confirmed")


def matrix_of_data(of: FieldReports, name: str) -> Matrix:
    """Read the data of `vlag report --matrix`."""
    board_type, base_knobs, _, _ = MATRICES[name]
    found: Matrix = {}
    document = matrices.matrix(of.conn, of.catalogue, ["mainline/master"])
    for metric, row in cells(document, board_type, base_knobs).items():
        for column, cell in row.items():
            short = re.sub(r"(\.\d)0 % ", r"\1", cell)
            found.setdefault(column, {})[metric] = short
    return found


def matrix_of_page(of: FieldReports, name: str) -> Matrix:
    """Read the page of the matrix that has the base of the report."""
    board_type, base_knobs, series, _ = MATRICES[name]
    page = read(of.site, f"/matrix?branch=mainline%2Fmaster&board={board_type}")
    [part] = [
        t
        for t in page.split("<h2>")[1:]
        if f"[{base_knobs}]" * bool(base_knobs) in t.partition("</h2>")[0] and "confirmed" in t
    ]
    head, _, *lines = table(part, f"{board_type}, patches and knobs by metric")
    return {
        column.removeprefix(series).strip(): {
            " ".join(line[0].split()[:2]): in_words(line[i]) for line in lines
        }
        for i, column in enumerate(head)
        if i
    }


def matrix_of_panel(of: FieldReports, name: str) -> Matrix:
    """Read the dashboard of the matrix."""
    _, base_knobs, series, _ = MATRICES[name]
    found: Matrix = {}
    pair = pairs(name)[0]
    for cell in of.panel("vlag-matrix", "Changes to", comparison_of(of, pair)):
        column = cell["side"].removeprefix(series).removesuffix(f" against {base_knobs}").strip()
        metric = " ".join(cell["metric"].split()[:2])
        assert metric not in found.setdefault(column, {}), "two cells in the place of one"
        found[column][metric] = in_words(cell["cell"])
    return found


MATRIX_READERS: Mapping[str, Callable[[FieldReports, str], Matrix]] = {
    "report": matrix_of_data,
    "page": matrix_of_page,
    "dashboard": matrix_of_panel,
}
