# SPDX-License-Identifier: GPL-2.0-only
"""One night as plain data: what changed since the night before, branch by branch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import TypedDict

from attrs import define

from vlag.buildbot import PAGES, UI
from vlag.compare import predictions
from vlag.config.catalogue import Catalogue
from vlag.report.conclusion import concerning, conclusion, uncompared
from vlag.report.data import night_alerts
from vlag.report.data.night_alerts import page
from vlag.report.mail_data import (
    FIGURES,
    FailureLine,
    NightBranch,
    NightComparison,
    NightFigure,
    NightHead,
    NightMail,
    NightPrediction,
)
from vlag.report.read_model import courses, onsets, overview, questions
from vlag.report.read_model.branches import Overview
from vlag.report.read_model.courses import Known, Past
from vlag.report.read_model.questions import Compared, ComparedRow, FigureRow, Key, is_worse
from vlag.report.read_model.rows import picked, rows
from vlag.stats import severity
from vlag.store import comparisons as stored
from vlag.store import nights, statements
from vlag.store.database import Connection
from vlag.store.nights import Night

_FAILURES = """
SELECT f.comparison, f.side, f.kind, f.benchmark, f.seed, f.outcome, f.reason
FROM read_model.failure f WHERE f.comparison = ANY(%(ids)s)
ORDER BY f.comparison, f.side, f.kind, f.benchmark, f.seed
"""

# Verdicts of figures that are only counted.
_QUIET = ("UNCHANGED", *severity.OPEN)


class _FailureRow(TypedDict):
    comparison: int
    side: str
    kind: str
    benchmark: str | None
    seed: int | None
    outcome: str
    reason: str | None


def collect(
    conn: Connection,
    catalogue: Catalogue,
    night_id: int,
    *,
    web: str,
    synthetic: bool = False,
    newest: Overview | None = None,
) -> NightMail:
    """Return a stored night as data that JSON can hold, all branches.

    `web` is the address of the site, for links; where the night names its build, that is
    where it says.  What comes from reports instead of boots counts only if `synthetic`.
    `newest` is `overview` where it is known.  Raises LookupError where there is no such night.
    """
    night = nights.by_id(conn, night_id)
    if night is None:
        raise LookupError(f"there is no night {night_id} on record")
    last = nights.before(conn, night_id)
    # A link shows later what the mail says.
    at = (_pages(night, web), statements.last(conn))
    branches = _branches(conn, catalogue, night, last, at, synthetic)
    return {
        "schema": 1,
        "kind": "night",
        "night": _head(newest or overview(conn), night, night_id, branches, at[0]),
        "before": None if last is None else courses.day(last.finished_at),
        "branches": branches,
        "alerts": night_alerts.collect(conn, last, at, synthetic=synthetic),
    }


def _pages(night: Night, web: str) -> str:
    """Return the address of the pages: the night's own site, if it names its build."""
    site = night.url.partition("#")[0].removesuffix(UI) if night.url and "#" in night.url else web
    return site + PAGES


def _head(
    newest: Overview, night: Night, night_id: int, branches: Sequence[NightBranch], pages: str
) -> NightHead:
    """Return what is of the night itself."""
    predicted = [patch for branch in branches for patch in branch["predicted"]]
    return {
        "id": night_id,
        "key": night.key,
        "date": courses.day(night.finished_at),
        "started_at": night.started_at.isoformat(),
        "finished_at": night.finished_at.isoformat(),
        "url": night.url,
        "pages": pages,
        "missing": list(night.missing),
        "notes": list(night.notes),
        "proof": predictions.proof(predicted, night.missing),
        "conclusion": _conclusion(newest, night_id),
    }


def _conclusion(newest: Overview, night_id: int, names: Set[str] | None = None) -> str | None:
    """Return what the pages say of branches, if this is the last night."""
    last = newest["night"]
    if last is None or last["id"] != night_id:
        return None
    return conclusion(newest, last["finished_at"], names).sentence


def _branches(
    conn: Connection,
    catalogue: Catalogue,
    night: Night,
    last: Night | None,
    at: tuple[str, int],
    synthetic: bool,
) -> list[NightBranch]:
    """Return the branches of a night, each beside what the nights before said of it."""
    now = questions.compared(conn, night.comparisons, synthetic=synthetic)
    before = None if last is None else last.id
    past = Past(questions={})
    if before is not None:
        past = courses.past(conn, before, synthetic=synthetic)
    told = _Told(conn=conn, catalogue=catalogue, past=past, last=before, at=at)
    branches = [
        told.branch(name, [c for c in now if c.row["branch_name"] == name])
        for name in _names(night, now)
    ]
    level = nights.at_baseline(night.branches)
    for branch in branches:
        branch["at_baseline"] = [one.sentence for one in level if one.branch == branch["name"]]
    return branches


def of_branches(newest: Overview, data: NightMail, names: Iterable[str]) -> NightMail:
    """Return a night with these branches alone; alerts of boards concern everybody.

    `newest` is `vlag.report.read_model.overview`, after the night.
    """
    known = set(names)
    night, others = data["night"], {b["name"] for b in data["branches"]} - known
    missing = concerning(night["missing"], known, others)
    return {
        **data,
        "night": {
            **night,
            "missing": missing,
            "conclusion": _conclusion(newest, night["id"], known),
        },
        "branches": [b for b in data["branches"] if b["name"] in known],
        "alerts": [a for a in data["alerts"] if not a["branches"] or known & {*a["branches"]}],
    }


def _names(night: Night, now: Iterable[Compared]) -> list[str]:
    """Return the branches of a night: what was compared, then what only was watched."""
    names = [c.row["branch_name"] for c in now]
    names += [one.branch for one in nights.at_baseline(night.branches)]
    watched = [f"{b['tree']}/{b['branch']}" for b in night.branches]
    # A pattern that something was compared of is told of by the branches' own names.
    return list(dict.fromkeys([*names, *uncompared(watched, names)]))


def _nothing(name: str) -> NightBranch:
    """Return a branch of which nothing is known."""
    return {
        "name": name,
        "at_baseline": [],
        "comparisons": [],
        "worse_since": [],
        "worse": [],
        "suspected": [],
        "uncertain": [],
        "unmeasured": [],
        "fixed": [],
        "better_since": [],
        "failed": [],
        "predicted": [],
        "counts": {"better": 0, "hints": 0, **{v.lower(): 0 for v in _QUIET}},
        "lacking": severity.lacking(()),
        "worst_hint": None,
        "since": None,
    }


@define(kw_only=True)
class _Told:
    """A night that is told, beside what the nights before said."""

    conn: Connection
    catalogue: Catalogue
    past: Past
    last: int | None  # the night before; None: there was none
    at: tuple[str, int]

    def branch(self, name: str, compared: Sequence[Compared]) -> NightBranch:
        """Return a branch with its comparisons of the night."""
        lines = _nothing(name)
        lines["since"] = self._since(compared)
        predictions_ = stored.predictions(self.conn, [c.row["id"] for c in compared])
        asked = []
        for c in compared:
            proven = predictions_.get(c.row["id"])
            entry = self._entry(c)
            lines["comparisons"].append(entry)
            if proven is None:
                asked.append(c)
                continue
            predicted: NightPrediction = {
                **entry, "name": proven["name"], "good": proven["good"], "text": proven["text"],
            }  # fmt: skip
            lines["predicted"].append(predicted)
        for c in asked:
            for key, v in c.figures.items():
                self._sort(lines, c, key, v)
        _join(lines)
        lines["unmeasured"] = self._unmeasured(name, compared, asked)
        lines["lacking"] = severity.lacking(v for c in asked for v in c.figures.values())
        for kind in FIGURES:
            lines[kind].sort(key=severity.order)
        _begin(self.conn, lines)
        lines["failed"] = _failed(self.conn, lines["comparisons"])
        return lines

    def _since(self, compared: Sequence[Compared]) -> str | None:
        """Return the last night that asked what is asked now, of whichever baseline."""
        near = {q for c in compared for q in self.past.near(c.question)}
        at = max((self.past.questions[q].at for q in near), default=None)
        return None if at is None else courses.day(at)

    def _entry(self, c: Compared) -> NightComparison:
        return {
            "id": c.row["id"],
            "board_type": c.row["board_type"],
            "base": c.row["base"],
            "new": c.row["new"],
            "subject": _subject(c.row),
            "url": page(self.at, "compare", c.row["id"]),
            "synthetic": c.row["synthetic"],
        }

    def _figure(self, c: Compared, v: FigureRow, before: float | None) -> NightFigure:
        """Return a figure of a comparison as data."""
        return picked(
            NightFigure,
            {
                **v,
                "parameters": _changed(self.catalogue, v),
                "board_type": c.row["board_type"],
                "subject": _subject(c.row),
                "url": page(self.at, "compare", v["comparison"]),
                "before": before,
                "began": None,
            },
        )

    def _sort(self, lines: NightBranch, c: Compared, key: Key, v: FigureRow) -> None:
        """Put a figure where it belongs."""
        question, counts = c.question, lines["counts"]
        before = self.past.questions.get(question)
        then = None if before is None or key not in before.figures else before.figures[key][1]
        figure = self._figure(c, v, None if then is None else then["effect"])
        course = (self.past.known(question, key) or Known()).course
        if is_worse(v):
            news = self.past.news_of(question, key, v)
            lines["worse_since" if news else "worse"].append(figure)
            return
        if v["standing"] == "suspected":
            lines["suspected"].append(figure)
            return
        if v["standing"] == "hint":
            if v["verdict"] == "REGRESSION":
                counts["hints"] += 1
                lines["worst_hint"] = max(lines["worst_hint"] or 0.0, v["effect"] or 0.0,
                                          key=severity.size)  # fmt: skip
            return
        better = v["verdict"] == "IMPROVEMENT"
        if course.stands and not courses.follow(course.copy(), v):
            lines["fixed"].append(figure)
        elif then is not None and is_worse(then):
            lines["uncertain"].append(figure)
        elif better and then is not None and then["verdict"] == "UNCHANGED":
            lines["better_since"].append(figure)
        elif better:
            counts["better"] += 1
        elif v["verdict"] in _QUIET:
            counts[v["verdict"].lower()] += 1

    def _unmeasured(
        self, name: str, compared: Sequence[Compared], asked: Sequence[Compared]
    ) -> list[NightFigure]:
        """Return what of a branch was worse and is not measured now, as it was measured last."""
        there = {(c.question, key) for c in compared for key in c.figures}
        # The same loss against another baseline, or measured in another way from now on.
        there |= {
            one
            for c in asked
            for key, v in c.figures.items()
            if is_worse(v)
            for one in (
                *((q, key) for q in self.past.near(c.question)),
                *self.past.elsewhere(c.question, key),
            )
        }
        now = {c.question for c in asked}
        # What only the last night asked.
        now |= {q for q, b in self.past.questions.items() if b.night == self.last} - {
            c.question for c in compared
        }
        return [
            self._figure(c, v, v["effect"])
            for q, before in self.past.questions.items()
            if q.branch == name and not q.once and q in now
            for key, (c, v) in before.figures.items()
            if is_worse(v) and (q, key) not in there
        ]


def _join(branch: NightBranch) -> None:
    """Let a figure that is news in one comparison be so in the others of it.

    Against its parent a commit has lost something, whatever the branch had lost before.
    """

    def what(f: NightFigure) -> tuple[str, ...]:
        return f["name"], f["parameters"], f["subject"], f["board_type"]

    news = {what(f) for f in branch["worse_since"]}
    branch["worse_since"] += [f for f in branch["worse"] if what(f) in news]
    branch["worse"] = [f for f in branch["worse"] if what(f) not in news]


def _begin(conn: Connection, branch: NightBranch) -> None:
    """Say of each figure that is worse between which commits it became so."""
    worse = [figure["id"] for figure in (*branch["worse_since"], *branch["worse"])]
    along = onsets(conn, worse)
    for kind in FIGURES:
        for figure in branch[kind]:
            id_ = figure.pop("id")
            figure["began"] = along[id_].words if id_ in along else None


def _subject(c: ComparedRow) -> str:
    """Return what sets the new kernel apart from the branch's own head."""
    words = [] if c["patches"] is None else [f"+ {c['patches']} {c['application']}"]
    words += [] if c["variant"] == "default" else [f"variant {c['variant']}"]
    words += [f"knobs {c['new_knobs']}"] if c["new_knobs"] else []
    return " ".join(words)


def _changed(catalogue: Catalogue, v: FigureRow) -> str:
    """Return the parameters that are not the benchmark's own."""
    known = catalogue.benchmarks.get(v["benchmark"])
    own = {f"{name}={value}" for name, value in known.parameters.items()} if known else set()
    return " ".join(word for word in v["parameters"].split(" ") if word and word not in own)


def _failed(conn: Connection, compared: Sequence[NightComparison]) -> list[FailureLine]:
    """Return builds and runs that failed, each once however many comparisons met it."""
    by_id = {c["id"]: c for c in compared}
    by_reason: dict[str, FailureLine] = {}
    for f in rows(conn, _FailureRow, _FAILURES, {"ids": list(by_id)}):
        c = by_id[f["comparison"]]
        kernel = c["base"] if f["side"] == "base" else c["new"]
        what = "build" if f["kind"] == "build" else f"{f['benchmark']} seed {f['seed']}"
        where = "" if f["kind"] == "build" else f" on {c['board_type']}"
        outcome = str(f["outcome"]).replace("_", " ")
        text = f"{kernel}: {what}{where}: {outcome}: {f['reason'] or 'no reason given'}"
        by_reason.setdefault(text, {"text": text, "url": c["url"]})
    return list(by_reason.values())
