# SPDX-License-Identifier: GPL-2.0-only
"""The installation that the pages belong to."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import quote, urlencode

from attrs import field, frozen
from flask import current_app

from vlag.alerts.parts import Derive
from vlag.alerts.rehearsal import Recipients
from vlag.buildbot import UI
from vlag.config import Alerts
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.operate.farm.queue import Queue
from vlag.operate.service.activity import Activity
from vlag.operate.service.live import Live
from vlag.store import database, statements
from vlag.store.database import Connection
from vlag.store.pool import Pool
from vlag.web.access import Access
from vlag.web.params import missing, sentence

#: Before and after what a link to a dashboard is about.
_DAY = datetime.timedelta(days=1)


@frozen(kw_only=True)
class Site:
    """Addresses and folders for the pages, and the people with rights."""

    reader_dsn: str = field(repr=False)  # of the role that may only read the views
    writer_dsn: str | None = field(repr=False)  # for triage; None: nobody may change alerts
    state: Path  # folder of bundles and reports
    url: str  # of the site: its root leads to the overview
    catalogue: Catalogue = field(repr=False)
    derive: Derive = field(repr=False)  # by the settings' thresholds
    thresholds: Alerts = field(factory=Alerts)  # those of the settings
    recipients: Recipients | None = None  # of mail about a branch; None: nobody has any
    grafana: str | None = None  # address of Grafana, with a slash at its end; None: no links
    triage: tuple[str, ...] = ()  # names of those who may change alerts
    labs: Mapping[str, str] = field(factory=dict)  # lab -> URL of its LAVA server
    # Returns the queues of the boards, and the number of waiting kernels; None: unknown.
    queue: Callable[[], tuple[Sequence[Queue], int]] | None = None
    live: Callable[[], Live | None] | None = None  # the present of the master; None: unknown
    # Returns the work of the builders; InfrastructureError if the master does not answer.
    activity: Callable[[], Activity] | None = None
    commits: Mapping[str, str] = field(factory=dict)  # tree -> URL with {commit} in it
    mirrors: Mapping[str, Path] = field(factory=dict)  # tree -> bare repository on this machine
    try_bases: tuple[str, ...] = ()  # TREE/BRANCH to which patches are applied; empty: to none
    check_hours: tuple[int, ...] = ()  # hours of the day at which boards are checked
    # Returns what a start of the service waits for, in a sentence; None: nothing.
    lacks: Callable[[], str | None] = lambda: None
    pool: Pool | None = None  # of the reader's connections; None: each is a new one

    @property
    def buildbot_url(self) -> str:
        """Return the URL of Buildbot's own pages; "#/builders" after it names one of them."""
        return self.url + UI

    def build_url(self, url: str) -> str:
        """Return the URL of a build's page, which may have been named at a former address."""
        return re.sub(r"^[^#]*(?=#/builders/\d+/builds/\d+$)", lambda _: self.buildbot_url, url)

    @property
    def sign_in_url(self) -> str | None:
        """Return the URL of Buildbot's sign-in, or None if the settings name no people.

        Without people Buildbot has no sign-in: it answers with an error.
        """
        return None if self.writer_dsn is None else f"{self.url}auth/login?redirect=/vlag"

    def dashboard_url(
        self,
        uid: str,
        since: datetime.datetime | None = None,
        around: datetime.datetime | None = None,
        **variables: object,
    ) -> str | None:
        """Return the URL of a dashboard of Grafana, or None if the settings name no Grafana.

        `variables` are those of the dashboard; None leaves one to Grafana.  The range begins a day
        before `since` and ends now, or is the month before a time and the day after it; without
        both it is the dashboard's own.
        """
        if self.grafana is None:
            return None
        asked = [(f"var-{name}", str(v)) for name, v in variables.items() if v is not None]
        if since is not None:
            asked += [("from", _milliseconds(since - _DAY)), ("to", "now")]
        elif around is not None:
            asked += [("from", _milliseconds(around - 30 * _DAY))]
            asked += [("to", _milliseconds(around + _DAY))]
        return f"{self.grafana}d/{uid}" + (f"?{urlencode(asked, quote_via=quote)}" if asked else "")

    def commit_url(self, tree: str, commit: str) -> str | None:
        """Return the URL of a commit, or None if its tree has no pages."""
        pattern = self.commits.get(tree)
        return None if pattern is None else pattern.replace("{commit}", quote(commit, safe=""))


def _milliseconds(at: datetime.datetime) -> str:
    """Return a time as Grafana has it in a URL."""
    return str(round(at.timestamp() * 1000))


def site() -> Site:
    """Return the site of the current application."""
    site_: Site = current_app.extensions["vlag-site"]
    return site_


def access() -> Access:
    """Return the access rules of the current application."""
    access_: Access = current_app.extensions["vlag-access"]
    return access_


def show_at(conn: Connection, statement: int | None, *, since: int, what: str) -> None:
    """Show what was said up to a number of a link, if it has one.

    A number that shows nothing ends the request with 404; `since` and `what` as in
    `vlag.store.statements.show_at`.
    """
    if statement is None:
        return
    try:
        statements.show_at(conn, statement, since=since, what=what)
    except UsageError as e:
        missing(sentence(e))


def reading() -> AbstractContextManager[Connection]:
    """Yield a connection that can only read the views; InfrastructureError without one."""
    pool = site().pool
    return database.connect(site().reader_dsn) if pool is None else pool.connection()
