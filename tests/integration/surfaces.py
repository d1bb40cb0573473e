# SPDX-License-Identifier: GPL-2.0-only
"""A night on all surfaces that show it: pages, reports, the API, mails, panels, the terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any
from urllib.parse import quote

from attrs import evolve, frozen
from click.testing import CliRunner
from flask.testing import FlaskClient

from tests.integration.figures_shown import FigureReader, Shown, Surface, disagreements, one_change
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
class WalkedNight:
    """What the walk needs of an installation in which nights and pushes have ended."""

    conn: Connection
    catalogue: Catalogue
    reader: Reader
    site: FlaskClient
    state: Path
    branch: str  # TREE/BRANCH
    board_type: str
    vlag: Callable[..., str]  # its words -> what it prints

    @property
    def comparisons(self) -> Mapping[str, int]:
        """The branch's comparisons on the board type, by a name that says role and number."""
        return {f"{role} {id_}": id_ for id_, role in self._of_branch()}

    @property
    def by_role(self) -> Mapping[str, int]:
        """The branch's newest comparison with each kind of base."""
        return {role: id_ for id_, role in self._of_branch()}

    @property
    def of_last_night(self) -> Mapping[str, int]:
        """Those that the last night made, which its mail tells."""
        [(made,)] = self.conn.execute(
            "SELECT comparisons FROM read_model.night ORDER BY finished_at DESC LIMIT 1"
        ).fetchall()
        return {role: id_ for id_, role in self._of_branch() if id_ in made}

    def _of_branch(self) -> list[tuple[int, str]]:
        """Return number and role, the oldest first; a rerun has its figures in its screen."""
        return self.conn.execute(
            "SELECT c.id, c.role FROM read_model.comparison c JOIN comparison k ON k.id = c.id"
            " WHERE c.branch_name = %s AND c.board_type = %s AND c.role IS NOT NULL"
            " AND k.stage = 'screen' ORDER BY c.id",
            (self.branch, self.board_type),
        ).fetchall()

    @property
    def names(self) -> list[str]:
        """All figures, the longest name first."""
        rows = self.conn.execute(
            "SELECT DISTINCT name FROM read_model.verdict WHERE comparison = ANY(%s)",
            (list(self.comparisons.values()),),
        )
        return sorted((str(row[0]) for row in rows), key=lambda n: (-len(n), n))


def in_process(environment: Mapping[str, str]) -> Callable[..., str]:
    """Return what runs `vlag` in this process and returns its words."""

    def vlag(*words: str) -> str:
        done = CliRunner().invoke(main, words, env=dict(environment))
        assert done.exit_code == 0, done.output
        return done.output

    return vlag


def surfaces(night: WalkedNight) -> list[Surface]:
    """Return all surfaces of a night."""
    r = FigureReader(night.names, night.by_role)
    return [
        *_pages(night, r), *_reports(night, r), *_programs(night, r), *_messages(night, r),
        *_panels(night, r), *_terminal(night, r),
    ]  # fmt: skip


def all_of(walked: Iterable[Surface]) -> list[Shown]:
    return [s for surface in walked for s in surface.shown()]


def named_if_spoiled(surface: Surface, walked: Sequence[Surface]) -> bool:
    """Return whether a surface is named as soon as the last digit of its first number is another.

    Fails for one that shows no number.
    """
    shown = next(
        s for s in surface.shown()
        if s.what not in ("boots", "verdict") and float(s.text.replace(",", ""))
    )  # fmt: skip
    said = shown.text
    digits = said[:-1] + str((int(said[-1]) + 5) % 10) if len(said) < 12 else _other(said)
    spoiled = re.sub(rf"(?<![\d.]){re.escape(said)}(?!\d)", digits, surface.raw)
    if spoiled == surface.raw:  # a share in JSON
        share = repr(float(said) / (1 if shown.what in ("base", "new") else 100))
        spoiled = surface.raw.replace(share, _other(share))
    assert spoiled != surface.raw, (surface.name, shown)
    others = [other for other in walked if other is not surface]
    faults = disagreements(all_of([*others, evolve(surface, raw=spoiled)]))
    return any(f"{surface.name} has" in f for f in faults)


def _other(number: str) -> str:
    return repr(float(number) * 1.01)


def _pages(night: WalkedNight, r: FigureReader) -> Iterator[Surface]:
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


def _reports(night: WalkedNight, r: FigureReader) -> Iterator[Surface]:
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
    for s in whole["states"]:
        id_, own = s["id"], {**whole, "states": [s]}
        for form, reader in (
            ("text", r.full(id_)), ("markdown", r.markdown(id_)), ("html", r.html(id_)),
            ("json", r.rows("states", "*", "rows", of=id_)),
        ):  # fmt: skip
            raw = forms.render(own, form)
            yield Surface(name=f"branch as {form}, {s['role']}", raw=raw, read=reader)


def _programs(night: WalkedNight, r: FigureReader) -> Iterator[Surface]:
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


def _messages(night: WalkedNight, r: FigureReader) -> Iterator[Surface]:
    by_branch = r"worse than its baseline, by (?P<number>[\d.]+) %"
    then = FigureReader(r.names, night.of_last_night)
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
            yield Surface(name=f"{kind}, its sentence", raw=words, read=then.worst(by_branch))


def _panels(night: WalkedNight, r: FigureReader) -> Iterator[Surface]:
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
        own = [f["worst"] for f in found if f["comparison"] == id_ and f["worst"] is not None]
        raw = " ".join(repr(100 * worst) for worst in own)
        yield Surface(name=name, raw=raw, read=one_change(id_))


def _terminal(night: WalkedNight, r: FigureReader) -> Iterator[Surface]:
    found = night.vlag("status")
    row = r"(?P<role>baseline|parent) +REGRESSION +(?P<number>[\d.]+) % worse"
    by_branch = r"worse than its baseline, by (?P<number>[\d.]+) %"
    yield Surface(name="vlag status", raw=found, read=r.worst(row))
    yield Surface(name="vlag status, its sentence", raw=found, read=r.worst(by_branch))
    for role, id_ in night.comparisons.items():
        raw = night.vlag("report", "--comparison", str(id_))
        yield Surface(name=f"vlag report, {role}", raw=raw, read=r.short(id_))
        raw = night.vlag("export", "kcidb", "--comparison", str(id_))
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
            name=f"vlag alerts show {alert}",
            raw=night.vlag("alerts", "show", str(alert)),
            read=r.prose,
        )
