"""Branches, runs, alerts and boards."""

from __future__ import annotations

from vlag.compare import predictions
from vlag.report.read_model import worst_first
from vlag.report.read_model.comparison_rows import by_ids, night, verdicts
from vlag.report.read_model.rows import Row, one, rows
from vlag.store import statements
from vlag.store.database import Connection

#: Checks of a board on a page: those of three weeks.
CHECKS = 20


def branches(conn: Connection) -> list[str]:
    """Return the branches with a comparison, as TREE/BRANCH."""
    found = rows(
        conn,
        "SELECT f.branch_name FROM read_model.kernel_branch f WHERE EXISTS (SELECT"
        " FROM read_model.comparison c"
        " WHERE c.new_kernel = f.kernel) GROUP BY f.branch_name ORDER BY f.branch_name",
    )
    return [r["branch_name"] for r in found]


def overview(conn: Connection, words: str = "", board: str = "") -> Row:
    """Return the `comparisons` of `newest`, open `alerts`, `night`, `proof`, `undelivered`."""
    last = night(conn, None)
    return {
        "comparisons": newest(conn, words, board),
        "alerts": alerts(conn),
        "night": last,
        "proof": proof(conn, last),
        "undelivered": undelivered(conn),
    }


def undelivered(conn: Connection) -> list[Row]:
    """Return how many messages did not reach people, a row a channel and state."""
    return rows(
        conn,
        "SELECT u.channel, u.state, u.messages, u.since FROM read_model.undelivered u"
        " ORDER BY u.channel, u.state",
        {},
    )


def newest(conn: Connection, words: str = "", board: str = "") -> list[Row]:
    """Return the newest comparisons of each branch and board type.

    One is there once for each branch of which it is the newest; its `branch_name` is that
    branch, None for a kernel that belongs to no branch.  Only those count whose branch and board
    type have `words` and `board` in their names.
    """
    found = [
        r
        for r in _newest(conn, None, None)
        if words in (r["branch_name"] or "") and board in r["board_type"]
    ]
    by_id = {
        c["id"]: c
        for c in rows(
            conn,
            "SELECT s.id, s.at, s.board_type, s.role, s.tree, s.ref, s.patches, s.synthetic,"
            " s.verdict, s.severity, s.size, s.worst, s.hints, s.worst_hint,"
            " s.figures, s.unmeasured, s.without_base, s.without_new"
            " FROM read_model.comparison_summary s WHERE s.id = ANY(%(ids)s)",
            {"ids": sorted({r["id"] for r in found})},
        )
    }
    return [{**by_id[r["id"]], "branch_name": r["branch_name"]} for r in found]


def proof(conn: Connection, of: Row | None) -> Row | None:
    """Return the self-proof of a night, or None where nothing was to be predicted.

    It has the keys of `vlag.compare.predictions.proof` and its `rows`, the failed ones first.
    """
    if of is None:
        return None
    found = rows(
        conn,
        "SELECT p.* FROM read_model.prediction p WHERE p.comparison = ANY(%(ids)s)"
        " ORDER BY p.good, p.name, p.comparison",
        {"ids": of["comparisons"]},
    )
    said = predictions.proof(found, of["missing"])
    return None if said is None else {**said, "rows": found}


def _newest(conn: Connection, tree: str | None, branch: str | None) -> list[Row]:
    """Return the newest comparisons: id, branch.

    Those by hand only if a branch has no others on a board type.
    """
    found = rows(
        conn,
        "SELECT n.* FROM read_model.newest_of_role n"
        " WHERE (%(tree)s::text IS NULL OR (n.tree, n.branch) = (%(tree)s, %(branch)s))",
        {"tree": tree, "branch": branch},
    )

    def place(r: Row) -> tuple[object, ...]:
        return r["branch_name"] or r["new_kernel"], r["board_type"]

    watched = {place(r) for r in found if r["role"] is not None}
    kept = [r for r in found if r["role"] or place(r) not in watched]
    return sorted(kept, key=lambda r: r["id"])


def branch(conn: Connection, tree: str, name: str, board_type: str | None = None) -> Row:
    """Return the state of a branch, on one board type or all.

    `comparisons` are the newest on each board type with their `verdicts`; `changes` the
    steps in its history, the newest first; `alerts` the open ones; `suspicions` those that
    a rerun has not decided.
    """
    found = by_ids(conn, [r["id"] for r in _newest(conn, tree, name)])
    found = [c for c in found if board_type in (None, c["board_type"])]
    of: dict[int, list[Row]] = {}
    for v in verdicts(conn, [c["id"] for c in found]):
        of.setdefault(v["comparison"], []).append(v)
    values = {"tree": tree, "branch": name, "board_type": board_type}
    return {
        "comparisons": [{**c, "verdicts": of.get(c["id"], [])} for c in found],
        "changes": rows(
            conn,
            "SELECT p.* FROM read_model.change_point p WHERE p.tree = %(tree)s"
            " AND p.branch = %(branch)s AND p.withdrawn_at IS NULL"
            " AND p.board_type = coalesce(%(board_type)s, p.board_type)"
            " ORDER BY p.committed_at DESC, p.id DESC",
            values,
        ),
        "alerts": alerts(conn, tree=tree, branch=name, board_type=board_type),
        "suspicions": rows(
            conn,
            "SELECT s.* FROM read_model.suspicion s JOIN read_model.kernel_branch f"
            "   ON f.kernel = s.new_kernel AND f.tree = %(tree)s AND f.branch = %(branch)s"
            " WHERE s.stand IN ('open', 'undecided')"
            " AND NOT s.predicted"
            " AND s.board_type = coalesce(%(board_type)s, s.board_type) ORDER BY s.id",
            values,
        ),
    }


def series_of(conn: Connection, tree: str, name: str, board_type: str | None = None) -> list[Row]:
    """Return the series and statistics with values of a branch's kernels, for a selector."""
    return rows(
        conn,
        "SELECT s.*, v.statistic FROM read_model.series s"
        " JOIN (SELECT DISTINCT v.series, v.statistic FROM read_model.verdict c"
        "   JOIN read_model.comparison k ON k.id = c.comparison"
        "   JOIN read_model.kernel_branch f ON f.kernel = k.new_kernel,"
        "   LATERAL (SELECT coalesce(c.series_new, c.series_base) AS series, c.statistic) v"
        "   WHERE f.tree = %(tree)s AND f.branch = %(branch)s) v ON v.series = s.id"
        " WHERE s.board_type = coalesce(%(board_type)s, s.board_type)"
        " ORDER BY s.board_type, s.benchmark, s.parameters, s.metric, s.id, v.statistic",
        {"tree": tree, "branch": name, "board_type": board_type},
    )


def run(conn: Connection, id_: int) -> Row | None:
    """Return everything about one run, or None.

    It has the run's columns, the `kernels` it counts for, `values`, `health`, `environment`,
    and the `comparisons` that use it.
    """
    found = one(conn, "SELECT r.* FROM read_model.run r WHERE r.id = %(id)s", {"id": id_})
    if found is None:
        return None
    values = {"id": id_}
    return {
        **found,
        "kernels": rows(
            conn,
            "SELECT k.* FROM read_model.kernel k WHERE k.id = %(kernel)s OR k.id IN"
            " (SELECT x.kernel FROM read_model.kernel_run x WHERE x.run = %(id)s) ORDER BY k.id",
            {**values, "kernel": found["kernel"]},
        ),
        "values": rows(
            conn,
            "SELECT s.metric, s.unit, s.direction, s.tool, s.tool_version, v.*"
            " FROM read_model.run_value v JOIN read_model.series s ON s.id = v.series"
            " WHERE v.run = %(id)s ORDER BY s.metric, v.statistic",
            values,
        ),
        "health": rows(
            conn,
            "SELECT h.* FROM read_model.run_health h WHERE h.run = %(id)s ORDER BY number",
            values,
        ),
        "environment": rows(
            conn,
            "SELECT e.name, e.value FROM read_model.run_environment e WHERE e.run = %(id)s"
            " ORDER BY e.name",
            values,
        ),
        "comparisons": rows(
            conn,
            # One after the other: as one join, its plan takes longer than all the rest.
            "WITH mine AS MATERIALIZED (SELECT c.id, c.base, c.new, c.board_type, c.at"
            "   FROM read_model.comparison c, (SELECT ARRAY(SELECT x.kernel"
            "     FROM read_model.kernel_run x WHERE x.run = %(id)s) AS kernels) k"
            "   WHERE c.base_kernel = ANY(k.kernels) OR c.new_kernel = ANY(k.kernels))"
            " SELECT m.* FROM mine m WHERE m.id IN (SELECT v.comparison FROM read_model.verdict v"
            "   WHERE v.comparison = ANY(ARRAY(SELECT m.id FROM mine m))"
            "   AND %(id)s = ANY(v.base_runs || v.new_runs)) ORDER BY m.id DESC",
            values,
        ),
    }


def location(conn: Connection, run: int) -> str | None:
    """Return where a run's bundle is, or None for a run that is not on record."""
    found = one(conn, "SELECT r.location FROM read_model.run r WHERE r.id = %(id)s", {"id": run})
    return None if found is None else str(found["location"])


def command(conn: Connection, id_: int) -> str | None:
    """Return the command that repeats a run, or None."""
    found = one(conn, "SELECT r.reproduce FROM read_model.run r WHERE r.id = %(id)s", {"id": id_})
    return None if found is None else found["reproduce"]


def alerts(
    conn: Connection,
    *,
    tree: str | None = None,
    branch: str | None = None,
    board_type: str | None = None,
    closed: bool = False,
) -> list[Row]:
    """Return the open alerts, the newest first; with `closed` all alerts."""
    return rows(
        conn,
        "SELECT a.* FROM read_model.alert a WHERE (a.open OR %(closed)s)"
        " AND (%(tree)s::text IS NULL OR a.tree = %(tree)s)"
        " AND (%(branch)s::text IS NULL OR %(branch)s = ANY(a.branches))"
        " AND (%(board_type)s::text IS NULL OR a.board_type = %(board_type)s"
        "   OR a.board_type IS NULL)"
        " ORDER BY a.open DESC, a.opened_at DESC, a.id DESC",
        {"tree": tree, "branch": branch, "board_type": board_type, "closed": closed},
    )


def alert(conn: Connection, id_: int, said: int | None = None) -> Row | None:
    """Return an alert with its `verdicts`, worst first, its `texts` and `events`, or None.

    `texts` are all that it has said, oldest first; each has `since` and `said`, the first and last
    number under which it counts (`vlag.store.statements`), and `text` is the one shown.  With the
    number `said`, title, body and figures are those of then, as this connection's views are from
    now on; UsageError for a number that nothing has, or from before the alert.
    """
    found = one(conn, "SELECT a.* FROM read_model.alert a WHERE a.id = %(id)s", {"id": id_})
    if found is None:
        return None
    texts = rows(
        conn,
        "SELECT t.*, t.said AS since FROM read_model.alert_text t WHERE t.alert = %(id)s"
        " ORDER BY t.said",
        {"id": id_},
    )
    ends = [t["since"] - 1 for t in texts[1:]] + [statements.last(conn)]
    texts = [{**t, "said": end} for t, end in zip(texts, ends, strict=True)]
    shown = texts[-1]
    if said is not None:
        statements.show_at(conn, said, since=texts[0]["since"], what=f"alert {id_}")
        shown = next(t for t in texts if said <= t["said"])
    return {
        **found,
        "title": shown["title"],
        "body": shown["body"],
        "text": shown,
        "texts": texts,
        "verdicts": rows(
            conn,
            "SELECT v.* FROM read_model.verdict v WHERE v.id = ANY(%(ids)s)"  # noqa: S608 - constants
            " ORDER BY " + worst_first.FIGURES,
            {"ids": shown["verdicts"]},
        ),
        "events": rows(
            conn,
            "SELECT e.* FROM read_model.alert_event e WHERE e.alert = %(id)s ORDER BY e.id",
            {"id": id_},
        ),
    }


def boards(conn: Connection) -> list[Row]:
    """Return every board with its state, and its last `checks`, the newest first."""
    found = rows(conn, "SELECT b.* FROM read_model.board b ORDER BY b.board_type, b.name")
    checks: dict[str, list[Row]] = {}
    for c in rows(
        conn,
        "SELECT c.* FROM read_model.board b CROSS JOIN LATERAL (SELECT x.*"
        " FROM read_model.board_check x WHERE x.board = b.name ORDER BY x.id DESC"
        " LIMIT %(most)s) c ORDER BY c.board, c.id DESC",
        {"most": CHECKS},
    ):
        checks.setdefault(c["board"], []).append(c)
    return [{**b, "checks": checks.get(b["name"], [])} for b in found]
