# SPDX-License-Identifier: GPL-2.0-only
"""A night on all surfaces that show it: pages, reports, the API, mails, panels, the terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any
from urllib.parse import quote

from attrs import frozen
from click.testing import CliRunner
from flask.testing import FlaskClient

from tests.integration.figures_shown import FigureReader, Shown, Surface, one_change
from tests.integration.grafana import Reader
from tests.integration.webpages import read, text
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.report import forms
from vlag.report.data.branch_state import state
from vlag.report.data.comparison import report
from vlag.store import messages
from vlag.store.database import Connection


@frozen(kw_only=True)
class ToldNight:
    """A night in a database, told in all ways."""

    conn: Connection
    catalogue: Catalogue
    reader: Reader
    site: FlaskClient
    state: Path
    branch: str  # TREE/BRANCH
    board_type: str
    comparisons: Mapping[str, int]  # role -> the branch's newest
    environment: Mapping[str, str]  # for `vlag`

    @property
    def names(self) -> list[str]:
        """All figures, the longest name first."""
        rows = self.conn.execute(
            "SELECT DISTINCT name FROM read_model.verdict WHERE comparison = ANY(%s)",
            (list(self.comparisons.values()),),
        )
        return sorted((str(row[0]) for row in rows), key=lambda n: (-len(n), n))


def surfaces(night: ToldNight) -> list[Surface]:
    """Return all surfaces of a night."""
    r = FigureReader(night.names, night.comparisons)
    return [
        *_pages(night, r), *_reports(night, r), *_programs(night, r), *_messages(night, r),
        *_panels(night, r), *_terminal(night, r),
    ]  # fmt: skip


def _pages(night: ToldNight, r: FigureReader) -> Iterator[Surface]:
    def page(name: str, url: str, reader: Callable[[str, str], Iterable[Shown]]) -> Surface:
        return Surface(name=name, raw=read(night.site, url), read=reader)

    branch = quote(night.branch, safe="")
    for role, id_ in night.comparisons.items():
        yield page(f"/compare, {role}", f"/compare?id={id_}", r.html(id_))
        yield page(f"/latency, {role}", f"/latency?id={id_}", r.quantiles(id_))
        base, new = next(
            iter(night.conn.execute(
                "SELECT base_kernel, new_kernel FROM comparison WHERE id = %s", (id_,)
            ))
        )  # fmt: skip
        names = [
            night.conn.execute("SELECT left(digest, 12) FROM kernel WHERE id = %s", (k,)).fetchone()
            for k in (base, new)
        ]
        one, other = (str(n[0]) for n in names if n is not None)
        yield page(f"/choose, {role}", f"/choose?base={one}&new={other}", r.html(id_))
        yield page(f"/across, {role}", f"/across?kernels={one},{other}", r.across(id_))
    yield page("/branch", f"/branch?branch={branch}", r.html(None))
    for (alert,) in night.conn.execute("SELECT id FROM alert ORDER BY id"):
        yield page(f"/alert {alert}", f"/alert?id={alert}", r.html(None))
    share = r"(?P<number>[\d.]+) % worse"
    branch = re.escape(night.branch)
    for name, url, pattern in (
        ("/, its sentence", "/", rf"worse than its baseline, by {share.removesuffix(' worse')}"),
        ("/, its branches", "/", rf"{branch} : \w+ {share} on \S+, against the (?P<role>\w+)"),
        ("/, the table", "/", rf"REGRESSION {share} against the (?P<role>\w+)"),
        ("/branch, all", "/branch", rf"REGRESSION {share} against the (?P<role>\w+)"),
        ("feed", "/alerts.atom", rf"worse than its baseline, by {share.removesuffix(' worse')}"),
    ):  # fmt: skip
        yield page(name, url, r.worst(pattern))
    yield page("feed, its entries", "/alerts.atom", lambda s, raw: r.prose(s, text(raw)))


def _reports(night: ToldNight, r: FigureReader) -> Iterator[Surface]:
    for role, id_ in night.comparisons.items():
        data = report(night.conn, night.catalogue, id_, night.state)
        for form, reader in (
            ("text", r.full(id_)), ("markdown", r.markdown(id_)), ("html", r.html(id_)),
            ("json", r.rows("rows", of=id_)),
        ):  # fmt: skip
            raw = forms.render(data, form)
            yield Surface(name=f"report as {form}, {role}", raw=raw, read=reader)
        raw = json.dumps([
            {**q, "benchmark": d["benchmark"], "metric": d["metric"], "statistic": q.pop("name")}
            for d in json.loads(forms.render(data, "json"))["distributions"]
            for q in d["quantiles"]
        ])  # fmt: skip
        yield Surface(name=f"report's distributions, {role}", raw=raw, read=r.rows(of=id_))
    whole = state(night.conn, night.catalogue, night.branch)
    for role, id_ in night.comparisons.items():
        own = {**whole, "states": [s for s in whole["states"] if s["role"] == role]}
        for form, reader in (
            ("text", r.full(id_)), ("markdown", r.markdown(id_)), ("html", r.html(id_)),
            ("json", r.rows("states", "*", "rows", of=id_)),
        ):  # fmt: skip
            raw = forms.render(own, form)
            yield Surface(name=f"branch as {form}, {role}", raw=raw, read=reader)


def _programs(night: ToldNight, r: FigureReader) -> Iterator[Surface]:
    def api(name: str, url: str, reader: Callable[[str, str], Iterable[Shown]]) -> Surface:
        return Surface(name=name, raw=read(night.site, f"/api/v1/{url}"), read=reader)

    for role, id_ in night.comparisons.items():
        yield api(f"API, {role}", f"comparisons/{id_}", r.rows("verdicts"))
        yield api(
            f"API's quantiles, {role}", f"comparisons/{id_}",
            r.rows("quantiles", of=id_, prefix="quantile"),
        )  # fmt: skip
    for (alert,) in night.conn.execute("SELECT id FROM alert ORDER BY id"):
        yield api(f"API, alert {alert}", f"alerts/{alert}", r.rows("verdicts"))


def _messages(night: ToldNight, r: FigureReader) -> Iterator[Surface]:
    by_branch = r"worse than its baseline, by (?P<number>[\d.]+) %"
    for m in messages.latest(night.conn, 99):
        if m.channel == "webhook":
            raw = m.body.decode()
            for part in ("worse", "better", "maybe", "hints"):
                reader = r.rows("branches", "*", part)
                if all(part in b for b in json.loads(raw)["branches"]):
                    yield Surface(name=f"webhook, {part}", raw=raw, read=reader)
            continue
        mail = message_from_bytes(m.body, policy=default)
        assert isinstance(mail, EmailMessage)
        for part_ in mail.iter_parts():
            body = part_.get_content()
            words = text(body) if part_.get_content_subtype() == "html" else body
            kind = f"mail as {part_.get_content_subtype()}"
            yield Surface(name=kind, raw=words, read=r.prose)
            yield Surface(name=f"{kind}, its sentence", raw=words, read=r.worst(by_branch))


def _panels(night: ToldNight, r: FigureReader) -> Iterator[Surface]:
    def panel(name: str, uid: str, title: str, **given: str) -> tuple[str, list[dict[str, Any]]]:
        return name, night.reader.panel(uid, title, board=night.board_type, **given)

    for role, id_ in night.comparisons.items():
        name, found = panel(
            f"panel of effects, {role}", "vlag-compare", "Effects, worst first", comparison=str(id_)
        )
        raw = json.dumps([
            {**f, "name": f["figure"], "n_base": f["boots of base"], "n_new": f["boots of new"],
             "number": None, "verdict": f["verdict"].removesuffix(" (hint)")}
            for f in found
        ], default=str)  # fmt: skip
        yield Surface(name=name, raw=raw, read=r.rows(of=id_))
        for figure, benchmark, metric in night.conn.execute(
            "SELECT max(id), benchmark, metric FROM verdict WHERE comparison = %s"
            " AND statistic <> 'median' GROUP BY 2, 3", (id_,),
        ).fetchall():  # fmt: skip
            name, found = panel(
                f"panel of the shift, {role}", "vlag-latency", "Shift function",
                comparison=str(id_), figure=str(figure),
            )  # fmt: skip
            raw = json.dumps([
                {**f, "benchmark": benchmark, "metric": metric, "statistic": f["quantile"]}
                for f in found
            ])  # fmt: skip
            yield Surface(name=name, raw=raw, read=r.rows(of=id_))
        base, side = night.reader.rows(
            "SELECT base_kernel::text, new FROM read_model.comparison WHERE id = %s", id_
        )[0]
        name, found = panel(f"panel of the matrix, {role}", "vlag-matrix", "Changes to", base=base)
        raw = json.dumps([f for f in found if f["side"] == side])
        yield Surface(name=name, raw=raw, read=r.matrix(id_))
        name, found = panel(
            f"panel of comparisons, {role}", "vlag-branch", "Comparisons of this branch",
            branch=night.branch,
        )  # fmt: skip
        raw = " ".join(repr(100 * f["worst"]) for f in found if f["comparison"] == id_)
        yield Surface(name=name, raw=raw, read=one_change(id_))


def _terminal(night: ToldNight, r: FigureReader) -> Iterator[Surface]:
    def vlag(*words: str) -> str:
        done = CliRunner().invoke(main, words, env=dict(night.environment))
        assert done.exit_code == 0, done.output
        return done.output

    found = vlag("status")
    row = r"(?P<role>baseline|parent) +REGRESSION +(?P<number>[\d.]+) % worse"
    by_branch = r"worse than its baseline, by (?P<number>[\d.]+) %"
    yield Surface(name="vlag status", raw=found, read=r.worst(row))
    yield Surface(name="vlag status, its sentence", raw=found, read=r.worst(by_branch))
    for role, id_ in night.comparisons.items():
        raw = vlag("report", "--comparison", str(id_))
        yield Surface(name=f"vlag report, {role}", raw=raw, read=r.short(id_))
        raw = vlag("export", "kcidb", "--comparison", str(id_))
        tests = [
            {**t["misc"], "name": t["comment"].partition(" against ")[0],
             "new_value": t["number"]["value"]}
            for t in json.loads(raw)["tests"]
            if ":verdict:" in t["id"] and "number" in t
        ]  # fmt: skip
        yield Surface(
            name=f"KCIDB, {role}", read=r.rows(of=id_),
            raw=json.dumps([{**t, "base": None} for t in tests]),
        )  # fmt: skip
    for (alert,) in night.conn.execute("SELECT id FROM alert ORDER BY id"):
        yield Surface(
            name=f"vlag alerts show {alert}", raw=vlag("alerts", "show", str(alert)), read=r.prose
        )
