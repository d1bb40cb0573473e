# SPDX-License-Identifier: GPL-2.0-only
"""One night as plain data: what changed since the night before, branch by branch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import UTC, datetime
from typing import TypeAlias, TypedDict

from attrs import define, field

from vlag.buildbot import PAGES, UI
from vlag.compare import predictions
from vlag.config.catalogue import Catalogue
from vlag.report.conclusion import concerning, conclusion, uncompared
from vlag.report.mail_data import (
    FIGURES,
    FailureLine,
    NightAlert,
    NightBranch,
    NightComparison,
    NightFigure,
    NightHead,
    NightMail,
    NightPrediction,
)
from vlag.report.named_causes import found
from vlag.report.read_model import life_of, onsets, overview
from vlag.report.read_model.branches import Overview
from vlag.report.read_model.rows import picked, rows
from vlag.stats import severity
from vlag.stats.healing import Course, estimate
from vlag.store import comparisons as stored
from vlag.store import nights, statements
from vlag.store.database import Connection
from vlag.store.nights import Night

# Nights that are looked back upon for what did not run in the last one.
_REACH = 14

_COMPARISONS = """
SELECT c.id, c.board_type, c.role, c.plan, c.base_kernel, c.new_kernel, c.base, c.new,
  c.base_knobs, c.new_knobs, c.patches, c.application, c.variant, c.synthetic,
  coalesce(f.branch_name, c.tree || ' ' || c.ref) AS branch_name,
  -- A baseline's tag moves on; the question stays.
  coalesce(c.baseline, w.only_baseline, b.tree || '/' || b.ref) AS base_branch,
  b.series AS base_patches, b.application AS base_application
FROM read_model.comparison c JOIN read_model.kernel b ON b.id = c.base_kernel
LEFT JOIN read_model.kernel_branch f ON f.kernel = c.new_kernel
LEFT JOIN read_model.watched_baselines w
  ON w.tree = f.tree AND w.branch = f.branch AND w.board_type = c.board_type AND c.role = 'baseline'
WHERE c.id = ANY(%(ids)s) AND (%(synthetic)s OR NOT c.synthetic) ORDER BY branch_name, c.id
"""

_VERDICTS = """
SELECT v.id, v.comparison, v.benchmark, v.parameters, v.metric, v.statistic, v.name, v.unit,
  v.verdict, v.standing, v.stands, v.base_value, v.new_value, v.effect, v.ci_low, v.ci_high,
  v.n_base, v.n_new, v.worsening, v.direction, v.screened, v.screened_effect, v.screened_ci_low,
  v.screened_ci_high, v.conditions, v.base_runs, v.new_runs, v.confirmed_by,
  v.mode, v.conditional_effect, v.conditional_low, v.conditional_high,
  s.changed_at AS decided_at
FROM read_model.verdict v JOIN read_model.comparison c ON c.id = v.comparison
LEFT JOIN read_model.suspicion s ON s.base_kernel = c.base_kernel AND s.new_kernel = c.new_kernel
  AND s.new_knobs = c.new_knobs AND s.board_type = c.board_type
  AND s.benchmark = v.benchmark AND s.parameters = v.parameters
  AND s.metric = v.metric AND s.statistic = v.statistic AND s.conditions = v.conditions
WHERE v.comparison = ANY(%(ids)s) ORDER BY v.id
"""

_FAILURES = """
SELECT f.comparison, f.side, f.kind, f.benchmark, f.seed, f.outcome, f.reason
FROM read_model.failure f WHERE f.comparison = ANY(%(ids)s)
ORDER BY f.comparison, f.side, f.kind, f.benchmark, f.seed
"""

_ALERTS = """
SELECT a.id, a.kind, a.branch_name, a.tree, a.branches, a.board_type, a.title,
  a.body, a.triage, a.owner,
  a.opened_at, a.muted_until, a.withdrawn_at, a.told_at IS NULL AS untold, a.loud, a.open,
  (SELECT e.why FROM read_model.alert_event e WHERE e.alert = a.id AND e.action = 'withdrawn'
    ORDER BY e.id DESC LIMIT 1) AS why_withdrawn,
  (SELECT coalesce(max(e.id) FILTER (
        WHERE e.action = 'reopened' OR e.action = 'unmuted' AND e.by = 'vlag')
      > max(e.id) FILTER (WHERE e.action = 'told'), false)
    FROM read_model.alert_event e WHERE e.alert = a.id) AS back,
  (SELECT t.body FROM read_model.alert_text t WHERE t.alert = a.id AND t.at <= (
      SELECT max(e.at) FROM read_model.alert_event e WHERE e.alert = a.id AND e.action = 'told')
    ORDER BY t.said DESC LIMIT 1) AS told_body
FROM read_model.alert a
WHERE (%(synthetic)s OR NOT a.synthetic)
  AND (a.open OR a.withdrawn_at > %(since)s AND a.told_at IS NOT NULL) ORDER BY a.id
"""

# Verdicts of figures that are only counted.
_QUIET = ("UNCHANGED", *severity.OPEN)

#: What makes two comparisons of different nights the same question.
Scope: TypeAlias = tuple[str | None, ...]
#: Benchmark, parameters, metric and statistic.
_Key: TypeAlias = tuple[str, str, str, str]


class _ComparedRow(TypedDict):
    id: int
    board_type: str
    role: str | None
    plan: str | None
    base_kernel: int
    new_kernel: int
    base: str
    new: str
    base_knobs: str
    new_knobs: str
    patches: str | None
    application: str
    variant: str
    synthetic: bool
    branch_name: str
    base_branch: str
    base_patches: str | None
    base_application: str


class _VerdictRow(TypedDict):
    id: int
    comparison: int
    benchmark: str
    parameters: str
    metric: str
    statistic: str
    name: str
    unit: str
    verdict: str
    standing: str
    stands: bool | None
    base_value: float | None
    new_value: float | None
    effect: float | None
    ci_low: float | None
    ci_high: float | None
    n_base: int
    n_new: int
    worsening: float | None
    direction: str
    screened: str
    screened_effect: float | None
    screened_ci_low: float | None
    screened_ci_high: float | None
    conditions: str
    base_runs: list[int]
    new_runs: list[int]
    confirmed_by: int | None
    mode: str | None
    conditional_effect: float | None
    conditional_low: float | None
    conditional_high: float | None
    decided_at: datetime | None


class _FailureRow(TypedDict):
    comparison: int
    side: str
    kind: str
    benchmark: str | None
    seed: int | None
    outcome: str
    reason: str | None


class _AlertRow(TypedDict):
    id: int
    kind: str
    branch_name: str | None
    tree: str | None
    branches: list[str]
    board_type: str | None
    title: str
    body: str
    triage: str
    owner: str | None
    opened_at: datetime
    muted_until: datetime | None
    withdrawn_at: datetime | None
    untold: bool
    loud: bool
    open: bool
    why_withdrawn: str | None
    back: bool
    told_body: str | None  # as people were told last


@define(kw_only=True)
class _Known:
    """What earlier nights said of a figure."""

    course: Course = field(factory=Course)
    worst: _VerdictRow | None = None  # the last time that it was worse


@define(kw_only=True)
class _Compared:
    """A comparison of a night, with what is known of it."""

    row: _ComparedRow
    figures: dict[_Key, _VerdictRow] = field(factory=dict)
    date: str = ""  # of its night
    night: int | None = None
    courses: Mapping[_Key, _Known] = field(factory=dict)  # what nights until then said

    @property
    def scope(self) -> Scope:
        """Return what it asks."""
        c = self.row
        return (
            c["branch_name"], c["patches"], c["application"], c["variant"], c["board_type"],
            c["role"], c["plan"], c["base_branch"], c["base_patches"], c["base_application"],
            c["base_knobs"], c["new_knobs"],
        )  # fmt: skip


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
        "before": None if last is None else _date(last.finished_at),
        "branches": branches,
        "alerts": _alerts(conn, last, at, synthetic),
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
        "date": _date(night.finished_at),
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
    now = _side(conn, night.comparisons, synthetic)
    past = _past(conn, night, synthetic)
    # What only the last night compared.
    gone = [
        c
        for scope, c in past.items()
        if scope not in now and last is not None and c.night == last.id
    ]
    branches = [
        _branch(
            conn,
            catalogue,
            name,
            [c for c in now.values() if c.row["branch_name"] == name],
            past,
            [c for c in gone if c.row["branch_name"] == name],
            at,
        )
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


def _side(conn: Connection, ids: Sequence[int], synthetic: bool) -> dict[Scope, _Compared]:
    """Return comparisons by what they ask, each with its figures; the latest of each."""
    compared = rows(conn, _ComparedRow, _COMPARISONS, {"ids": list(ids), "synthetic": synthetic})
    by_scope = {c.scope: c for c in (_Compared(row=row) for row in compared)}
    figures: dict[int, dict[_Key, _VerdictRow]] = {c.row["id"]: {} for c in by_scope.values()}
    for v in rows(conn, _VerdictRow, _VERDICTS, {"ids": list(figures)}):
        key = v["benchmark"], v["parameters"], v["metric"], v["statistic"]
        figures[v["comparison"]][key] = v
    for c in by_scope.values():  # one comparison may be of several branches
        c.figures = figures[c.row["id"]]
    return by_scope


def _past(conn: Connection, night: Night, synthetic: bool) -> dict[Scope, _Compared]:
    """Return what each comparison said when it was made last before this night.

    Its `courses` have what the nights before said of each figure.
    """
    newest: dict[Scope, _Compared] = {}
    by_scope: dict[Scope, list[_Compared]] = {}  # the latest first
    earlier = nights.before(conn, night.id or 0)
    for _ in range(_REACH):
        if earlier is None:
            break
        for scope, c in _side(conn, earlier.comparisons, synthetic).items():
            for v in c.figures.values():
                _as_known(v, earlier.finished_at)
            c.date, c.night = _date(earlier.finished_at), earlier.id
            newest.setdefault(scope, c)
            by_scope.setdefault(scope, []).append(c)
        earlier = nights.before(conn, earlier.id or 0)
    for scope, listed in by_scope.items():
        newest[scope].courses = _courses(listed)
    return newest


def _courses(compared: Sequence[_Compared]) -> dict[_Key, _Known]:
    """Return what comparisons, the latest first, say of each figure."""
    courses: dict[_Key, _Known] = {}
    # Of one pair of kernels the latest counts: it has the boots of the others.
    pairs = {(c.row["base_kernel"], c.row["new_kernel"]): c for c in reversed(compared)}
    for c in pairs.values():
        for key, v in c.figures.items():
            known = courses.setdefault(key, _Known())
            _follow(known.course, v)
            known.worst = v if _worse(v) else known.worst
    return courses


def _follow(course: Course, v: _VerdictRow) -> bool:
    """Take what a night said of a figure, and return whether its loss stands."""
    open_ = v["standing"] in ("suspected", "hint")
    measured = None
    if not open_:
        measured = estimate(
            v["effect"], v["ci_low"], v["ci_high"], more_is_worse=v["direction"] == "lower",
            conditions=v["conditions"],
        )  # fmt: skip
    better = v["verdict"] in ("IMPROVEMENT", "UNCHANGED")
    return course.add(measured, proven=_worse(v), exact=better and not open_)


def _as_known(v: _VerdictRow, at: datetime) -> None:
    """Take from a figure what a rerun decided only later."""
    if v["standing"] in ("confirmed", "refuted") and v["decided_at"] and v["decided_at"] > at:
        v["standing"], v["verdict"] = "suspected", v["screened"]
        v["effect"] = v["screened_effect"]
        v["ci_low"], v["ci_high"] = v["screened_ci_low"], v["screened_ci_high"]
        v["mode"] = v["conditional_effect"] = v["conditional_low"] = v["conditional_high"] = None


def _names(night: Night, now: Mapping[Scope, _Compared]) -> list[str]:
    """Return the branches of a night: what was compared, then what only was watched."""
    names = [c.row["branch_name"] for c in now.values()]
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


def _figure(
    catalogue: Catalogue, c: _Compared, v: _VerdictRow, link: str, before: float | None
) -> NightFigure:
    """Return a figure of a comparison as data."""
    return picked(
        NightFigure,
        {
            **v,
            "parameters": _changed(catalogue, v),
            "board_type": c.row["board_type"],
            "subject": _subject(c.row),
            "url": link,
            "before": before,
            "began": None,
        },
    )


def _branch(
    conn: Connection,
    catalogue: Catalogue,
    name: str,
    compared: Sequence[_Compared],
    past: Mapping[Scope, _Compared],
    ended: Sequence[_Compared],
    at: tuple[str, int],
) -> NightBranch:
    lines = _nothing(name)
    befores = [past.get(c.scope) for c in compared]
    # What is watched since today only is news, unless all of the branch is.
    first = not any(befores)
    lines["since"] = max((b.date for b in befores if b), default=None)
    known_regressions = stored.predictions(conn, [c.row["id"] for c in compared])
    for c, before in zip(compared, befores, strict=True):
        proven = known_regressions.get(c.row["id"])
        link = _link(at, "compare", c.row["id"])
        entry: NightComparison = {
            "id": c.row["id"],
            "board_type": c.row["board_type"],
            "base": c.row["base"],
            "new": c.row["new"],
            "subject": _subject(c.row),
            "url": link,
            "synthetic": c.row["synthetic"],
        }
        lines["comparisons"].append(entry)
        if proven is not None:
            predicted: NightPrediction = {
                **entry, "name": proven["name"], "good": proven["good"], "text": proven["text"],
            }  # fmt: skip
            lines["predicted"].append(predicted)
            continue
        for key, v in c.figures.items():
            then = None if before is None else before.figures.get(key)
            figure = _figure(catalogue, c, v, link, None if then is None else then["effect"])
            known = None if before is None else before.courses.get(key)
            _sort(lines, figure, v, then, known or _Known(), first=first)
        lines["unmeasured"] += [
            _unmeasured(catalogue, before, v, at)
            for key, v in (before.figures.items() if before is not None else ())
            if before is not None and _worse(v) and key not in c.figures
        ]
    lines["unmeasured"] += [
        _unmeasured(catalogue, c, v, at) for c in ended for v in c.figures.values() if _worse(v)
    ]
    proving = {p["id"] for p in lines["predicted"]}
    asked = (c for c in compared if c.row["id"] not in proving)
    lines["lacking"] = severity.lacking(v for c in asked for v in c.figures.values())
    for kind in FIGURES:
        lines[kind].sort(key=severity.order)
    _begin(conn, lines)
    lines["failed"] = _failed(conn, lines["comparisons"])
    return lines


def _begin(conn: Connection, branch: NightBranch) -> None:
    """Say of each figure that is worse between which commits it became so."""
    worse = [figure["id"] for figure in (*branch["worse_since"], *branch["worse"])]
    along = onsets(conn, worse)
    for kind in FIGURES:
        for figure in branch[kind]:
            id_ = figure.pop("id")
            figure["began"] = along[id_].words if id_ in along else None


def _link(at: tuple[str, int], page: str, id_: int) -> str:
    """Return the page of a comparison or an alert as it is now.

    `at` is the site and the number of what was said last.
    """
    return f"{at[0]}{page}?id={id_}&said={at[1]}"


def _unmeasured(
    catalogue: Catalogue, c: _Compared, v: _VerdictRow, at: tuple[str, int]
) -> NightFigure:
    """Return a figure as it was measured last, in a comparison of an earlier night."""
    return _figure(catalogue, c, v, _link(at, "compare", v["comparison"]), v["effect"])


def _sort(
    branch: NightBranch,
    figure: NightFigure,
    v: _VerdictRow,
    then: _VerdictRow | None,
    known: _Known,
    *,
    first: bool,
) -> None:
    """Put a figure where it belongs; on the `first` night nothing is new."""
    counts = branch["counts"]
    stood = known.course.stands
    stands = _follow(known.course, v)
    if _worse(v):
        further = known.worst is not None and _further(v, known.worst)
        news = not first and (not stood or further)
        branch["worse_since" if news else "worse"].append(figure)
        return
    if v["standing"] == "suspected":
        branch["suspected"].append(figure)
        return
    if v["standing"] == "hint":
        if v["verdict"] == "REGRESSION":
            counts["hints"] += 1
            branch["worst_hint"] = max(branch["worst_hint"] or 0.0, v["effect"] or 0.0,
                                      key=severity.size)  # fmt: skip
        return
    better = v["verdict"] == "IMPROVEMENT"
    if stood and not stands:
        branch["fixed"].append(figure)
    elif then is not None and _worse(then):
        branch["uncertain"].append(figure)
    elif better and then is not None and then["verdict"] == "UNCHANGED":
        branch["better_since"].append(figure)
    elif better:
        counts["better"] += 1
    elif v["verdict"] in _QUIET:
        counts[v["verdict"].lower()] += 1


def _worse(v: _VerdictRow) -> bool:
    return v["verdict"] == "REGRESSION" and v["standing"] in ("confirmed", "told")


def _further(now: _VerdictRow, then: _VerdictRow) -> bool:
    """Return whether a figure that was worse is worse still: the intervals do not meet."""
    if now["direction"] == "lower":
        low, high = now["ci_low"], then["ci_high"]
    else:
        low, high = then["ci_low"], now["ci_high"]
    return low is not None and high is not None and low > high


def _subject(c: _ComparedRow) -> str:
    """Return what sets the new kernel apart from the branch's own head."""
    words = [] if c["patches"] is None else [f"+ {c['patches']} {c['application']}"]
    words += [] if c["variant"] == "default" else [f"variant {c['variant']}"]
    words += [f"knobs {c['new_knobs']}"] if c["new_knobs"] else []
    return " ".join(words)


def _changed(catalogue: Catalogue, v: _VerdictRow) -> str:
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


def _alerts(
    conn: Connection, last: Night | None, at: tuple[str, int], synthetic: bool
) -> list[NightAlert]:
    """Return the open alerts, and those that people were told of and that are gone since."""
    since = None if last is None else last.finished_at
    return [
        {
            "id": a["id"],
            "kind": a["kind"],
            "branch": a["branch_name"],
            "branches": [f"{a['tree']}/{name}" for name in a["branches"]],
            "board_type": a["board_type"],
            "title": a["title"],
            "body": a["body"],
            "triage": a["triage"],
            "owner": a["owner"],
            "opened": _date(a["opened_at"]),
            "muted_until": a["muted_until"].isoformat() if a["muted_until"] else None,
            "withdrawn": a["withdrawn_at"] is not None,
            "why_withdrawn": a["why_withdrawn"] if a["withdrawn_at"] is not None else None,
            "life": [f"{_date(one['at'])} {one['words']}" for one in life_of(conn, a["id"])],
            "new": a["untold"] and a["open"],
            "back": a["back"] and a["open"],
            "found": found(a["body"], a["told_body"]) if a["open"] else [],
            "loud": a["loud"],
            "url": _link(at, "alert", a["id"]),
        }
        for a in rows(conn, _AlertRow, _ALERTS, {"since": since, "synthetic": synthetic})
    ]


def _date(at: datetime) -> str:
    return f"{at.astimezone(UTC).date():%Y-%m-%d}"
