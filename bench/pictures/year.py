# SPDX-License-Identifier: GPL-2.0-only
"""A database with a year of nights, told by the service's own code.

Boots come from `bench.pictures.story`; all that is said of them comes from the service's code.
`python -m bench.pictures serve year` fills such a database, prints the address of its pages and
keeps both running.  From Python:

    with private_cluster(folder) as dsn:
        migrate(dsn)
        fill(dsn, folder / "state", 40)

A smaller number of nights shrinks the year: 1 is the first night of a new installation.
Names, figures and verdicts are the same in each run; times count back from the last night.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from attrs import define, evolve, field

from bench.pictures import story
from bench.pictures.made_up_boots import Booted, Farm
from bench.pictures.story import Subject
from tests.integration import bundles
from vlag.alerts import triage
from vlag.compare import trends
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.model import BoardType, PlanEntry
from vlag.notifications.night_end import EndedNight, tell
from vlag.operate.farm import board_checks
from vlag.store import runs
from vlag.store.database import Connection

NIGHTS = 40
#: Nights at the end of the year that follow each other; before, there is one each two weeks.
DAILY, APART_D = 14, 13
#: Nights at the end whose commits are compared with their parents; before, those that are steps.
RECENT = 2
LASTS = datetime.timedelta(hours=4, minutes=10)
_BEGINS = datetime.time(1, 30, tzinfo=datetime.UTC)

#: What else happens in a night of the year.
Beside = Callable[["Year", int], None]

#: Column names of the tables whose rows say when they were made.
_MADE = {
    "comparison": ("created_at",), "suspicion": ("created_at",), "decision": ("at",),
    "change_point": ("found_at", "withdrawn_at"), "multiple_testing": ("created_at",),
    "alert": ("opened_at", "changed_at", "withdrawn_at", "told_at"), "alert_event": ("at",),
}  # fmt: skip


@define(kw_only=True)
class Year:
    """What is on record so far."""

    conn: Connection
    catalogue: Catalogue
    settings: Settings
    farm: Farm
    nights: int
    heads: dict[tuple[str, str], Booted] = field(factory=dict)  # branch, architecture ->
    _before: dict[tuple[str, str], Booted] = field(factory=dict)
    bases: dict[str, Booted] = field(factory=dict)  # architecture -> the baseline
    _checked: dict[str, Booted] = field(factory=dict)  # those of the first night
    _tag: int = -1
    _last: dict[tuple[str, str], int] = field(factory=dict)  # branch, board type -> comparison
    _confirmed: dict[tuple[Any, ...], int] = field(factory=dict)  # a rerun -> its night
    _notes: list[str] = field(factory=list)
    missing: list[str] = field(factory=list)
    ids: list[int] = field(factory=list)
    at: datetime.datetime = field(init=False)  # when the night began

    def boards(self) -> None:
        """Put the boards on record."""
        for board in self.catalogue.boards:
            runs.add_board(self.conn, name=board.name, board_type=self._kind(board.board_type))

    def night(self, night: int, beside: Sequence[Beside], after: Sequence[Beside]) -> None:
        """Boot, compare and tell one night; `beside` the boots and `after` the comparisons."""
        began = self._now()
        self.at = started = self.time(night)
        self._notes, self.missing, self.ids = [], [], []
        fresh = self._kernels(night)
        self._check_boards(night)
        self._boots(night, fresh)
        for act in beside:
            act(self, night)
        self._compare(night, fresh)
        for act in after:
            act(self, night)
        left = self.nights - 1 - night
        if not left:
            trends.follow(self.conn, self.settings, self.catalogue)
        report = f"reports/{started:%Y-%m-%dT%H%M%SZ}.txt"
        (self.farm.state / "reports").mkdir(exist_ok=True)
        (self.farm.state / report).write_text(f"Night of {started:%Y-%m-%d}\n")
        if left < 3:
            self._notes.append(
                f"The night: {len(fresh) * 2} kernels built, {len(self.ids)} comparisons;"
                " 4 h were expected, it took 4 h 10 min."
            )
        ended = started + LASTS
        key, url = f"nightly {night + 1}", f"{self.settings.url}#/builders/5/builds/{night + 1}"
        tell(self.conn, self.catalogue, self.settings, EndedNight(
            key=key, started=started, comparisons=self.ids, missing=self.missing,
            notes=self._notes, url=url, report=report, finished=ended,
        ))  # fmt: skip
        self._triage(night)
        self._date(began, ended)

    def _check_boards(self, night: int) -> None:
        """Check every board; one leaves its band in the last night but one."""
        self._checked = self._checked or dict(self.bases)  # a band is of one kernel
        last = self.nights - 2
        at = self.at - datetime.timedelta(hours=2)
        for entry in self.catalogue.plan(board_checks.PLAN).entries:
            for board in self.catalogue.boards:
                away = board.name == story.AWAY[1]
                if board.board_type not in entry.board_types or (away and night > last):
                    continue
                kernel = self._checked[self.arch(board.board_type)]
                if away and night == last:
                    factors = {entry.benchmark: story.AWAY_FACTOR}
                    kernel = evolve(kernel, subject=evolve(kernel.subject, factors=factors))
                at = self.farm.boot(kernel, board.board_type, entry, [1], at, self.share(night),
                                    plan=board_checks.PLAN, board=board.name)  # fmt: skip
                self.farm.flush()
                board_checks.check(self.conn, self.catalogue, board.name)

    def time(self, night: int) -> datetime.datetime:
        """Return when a night begins; the last one began this morning or yesterday."""
        now = datetime.datetime.now(datetime.UTC)
        last = datetime.datetime.combine(now.date(), _BEGINS)
        if now < last + datetime.timedelta(hours=6):
            last -= datetime.timedelta(days=1)
        left = self.nights - 1 - night
        days = left if left < DAILY else DAILY + (left - DAILY) * APART_D
        return last - datetime.timedelta(days=days)

    def share(self, night: int) -> float:
        """Return which share of the year is over, 0 to 1."""
        return night / self.nights

    def _kind(self, board_type: str) -> BoardType:
        return self.catalogue.board_type(board_type)

    def arch(self, board_type: str) -> str:
        """Return the architecture of a board type."""
        return self._kind(board_type).arch

    def _kernels(self, night: int) -> list[str]:
        """Build tonight's baseline and heads; return the branches that have a new head."""
        tag = 160 + night // story.TAG_NIGHTS
        subject = Subject(branch=story.PREVIOUS, share=self.share(night), name=f"v6.1.{tag}")
        if tag != self._tag:
            self._tag = tag
            self.bases = {
                arch: self.kernel(subject, f"v6.1.{tag}", f"v6.1.{tag}", f"Linux 6.1.{tag}", arch)
                for arch in ("x86_64", "arm64")
            }
        fresh = []
        for branch, (every, release) in story.BRANCHES.items():
            if story.head(branch, night, self.nights) != night and night:
                continue
            fresh.append(branch)
            number, since = divmod(night // every, 8)
            name = f"{branch} {night}"
            digits = bundles.sha(name)[:12]
            words = release.format(number + 1)
            describe = f"{words}-{since * 37}-g{digits}" if since else words
            title = f"Linux {words[1:]}" if not since else None
            title = title or story.subject_of(branch, night, self.nights)
            subject = Subject(branch=branch, share=self.share(night), name=name)
            for arch in ("x86_64", "arm64"):
                if (branch, arch) in self.heads:
                    self._before[branch, arch] = self.heads[branch, arch]
                self.heads[branch, arch] = self.kernel(subject, branch, describe, title, arch)
        return fresh

    def kernel(
        self, subject: Subject, branch: str, describe: str, title: str, arch: str, **more: Any
    ) -> Booted:
        """Put a kernel that was built tonight on record."""
        outcome = more.pop("outcome", "complete")
        identity = bundles.kernel(
            subject.name, tree=story.TREE, branch=branch, describe=describe, subject=title,
            committed_at=(self.at - datetime.timedelta(hours=9)).isoformat(), arch=arch, **more,
        )  # fmt: skip
        return self.farm.kernel(identity, subject, self.at, outcome)

    def entries(self, board_type: str) -> list[PlanEntry]:
        """Return what a night boots on a board type."""
        return [e for e in self.catalogue.plan("nightly").entries if board_type in e.board_types]

    def _boots(self, night: int, fresh: Sequence[str]) -> None:
        """Boot the baseline where boots differ from night to night, and each new head."""
        for board_type in story.BOARDS:
            arch, at = self.arch(board_type), self.at
            new_tag = night % story.TAG_NIGHTS == 0
            again = new_tag or not self._kind(board_type).deterministic
            todo = [self.bases[arch]] if again and (fresh or new_tag) else []
            todo += [self.heads[branch, arch] for branch in fresh]
            for kernel in todo:
                for entry in self.entries(board_type):
                    at = self.boot(kernel, board_type, entry, range(1, 6), night, at)
        self.farm.flush()

    def boot(
        self, kernel: Booted, board_type: str, entry: PlanEntry, seeds: Iterable[int], night: int,
        at: datetime.datetime, **more: Any,
    ) -> datetime.datetime:  # fmt: skip
        """Boot an entry once a seed from a time on; return the end."""
        more.setdefault("files", night == self.nights - 1 and board_type == "qemu-sim-2")
        return self.farm.boot(kernel, board_type, entry, list(seeds), at, self.share(night), **more)

    def _compare(self, night: int, fresh: Sequence[str]) -> None:
        new_tag = night % story.TAG_NIGHTS == 0
        for branch in story.BRANCHES:
            for board_type in story.BOARDS:
                head = self.heads[branch, self.arch(board_type)]
                if branch in fresh or new_tag:
                    base = self.bases[self.arch(board_type)]
                    comparison = self.pair(base, head, board_type, "baseline", night)
                    self._parent(branch, board_type, head, night)
                    self._last[branch, board_type] = comparison
                self.ids.append(self._last[branch, board_type])

    def _parent(self, branch: str, board_type: str, head: Booted, night: int) -> None:
        """Compare a commit with the one before it where the commit is told to matter."""
        before = self._before.get((branch, self.arch(board_type)))
        steps = [s for s in story.STEPS if s.subject == head.identity["subject"]]
        recent = board_type == "qemu-sim-2" and night >= self.nights - RECENT
        if before is None or before.id == head.id or not (recent or steps):
            return
        if recent or any(board_type in s.board_types for s in steps):
            id_ = self.pair(before, head, board_type, "parent", night)
            self.ids.append(id_)

    def pair(
        self, base: Booted, new: Booted, board_type: str, role: str | None, night: int,
        plan: str = "nightly",
    ) -> int:  # fmt: skip
        """Compare two kernels, with a rerun of what the screen suspects."""
        screen = self.farm.compare(base, new, board_type, role, "screen", plan=plan)
        suspects = sorted({*screen.suspects, *screen.better})
        if suspects and plan == "nightly":
            at = self.at + datetime.timedelta(hours=3)
            for kernel in (base, new):
                for entry in self.entries(board_type):
                    key = (
                        kernel.id,
                        str(kernel.knobs),
                        board_type,
                        entry.benchmark,
                        str(entry.parameters),
                    )
                    if entry.benchmark in suspects and self._confirmed.get(key) != night:
                        self._confirmed[key] = night  # a night boots a side once
                        at = self.boot(kernel, board_type, entry, range(6, 16), night, at)
            self.farm.flush()
            fresh = self.farm.compare(
                base, new, board_type, role, "confirm", plan=plan, round_=1,
                benchmarks=frozenset(suspects),
            )  # fmt: skip
            self.ids.append(fresh.id)
        return screen.id

    def _triage(self, night: int) -> None:
        """Let people work on the alerts: some soon, the newest not yet."""
        left = self.nights - 1 - night
        if left < 5:
            return
        rows = self.conn.execute(
            "SELECT id, triage FROM alert WHERE withdrawn_at IS NULL AND kind = 'regression'"
            " AND triage NOT IN ('wont_fix', 'fixed', 'invalid') ORDER BY id"
        ).fetchall()
        states = ("acknowledged", "investigating", "wont_fix", "acknowledged")
        words = {"acknowledged": "seen, the author is asked", "investigating": "bisecting",
                 "wont_fix": "the fix of a race; the cost is accepted"}  # fmt: skip
        for id_, known in rows:
            wanted = states[id_ % 4] if known == "new" else "investigating"
            if wanted == known:
                continue
            try:
                triage.set_state(self.conn, id_, wanted, by=("ada", "kim")[id_ % 2],
                                 why=words[wanted])  # fmt: skip
            except UsageError:
                continue

    def _now(self) -> datetime.datetime:
        row = self.conn.execute("SELECT clock_timestamp()").fetchone()
        assert row is not None
        now: datetime.datetime = row[0]
        return now - datetime.timedelta(minutes=1)

    def _date(self, since: datetime.datetime, at: datetime.datetime) -> None:
        """Give all that was made since a time the time of a night's end."""
        # The database refuses to change what was said: its superuser may.
        self.conn.execute("SET session_replication_role = replica")
        for table, columns in _MADE.items():
            for column in columns:
                self.conn.execute(
                    f"UPDATE {table} SET {column} = %(at)s"  # noqa: S608 - constants
                    f" WHERE {column} >= %(since)s",
                    {"at": at, "since": since},
                )
        self.conn.execute("SET session_replication_role = origin")
