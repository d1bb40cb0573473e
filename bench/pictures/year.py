"""A database with a year of nights, told by the service's own code.

Boots come from `bench.pictures.story` and go straight into the tables; comparisons,
suspicions, change points, alerts and nights come from the service's code.  Older nights without
a step are judged more quickly: see `bench.pictures.screens`.  `python -m bench.pictures serve
year` fills such a database, prints the address of its pages and keeps both running.  From
Python:

    with private_cluster(folder) as dsn:
        migrate(dsn)
        fill(dsn, folder / "state", 100)

A smaller number of nights shrinks the year: 1 is the first night of a new installation.
Names, figures and verdicts are the same in each run; times count back from the last night.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from attrs import define, evolve, field

from bench.pictures import screens, story
from bench.pictures.boots import Booted, Farm
from bench.pictures.story import Subject
from tests.integration import bundles
from vlag import config
from vlag.alerts import triage
from vlag.compare import multiple_testing, trends
from vlag.compare.kernels import StoredComparison, compare
from vlag.config import Settings
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel import series
from vlag.kernel.series import PATCHES
from vlag.model import Board, BoardType, PlanEntry
from vlag.notifications.night import tell
from vlag.store import boards as board_rows
from vlag.store import database, nights, runs
from vlag.store.boards import CheckRow, State
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef
from vlag.store.nights import Night

NIGHTS = 100
#: Nights at the end of the year that follow each other; before, there are two a week.
DAILY = 14
#: Nights at the end that are compared as real ones are, with a rerun; of the others those
#: branches where a step comes or goes.
REAL = 2
LASTS = datetime.timedelta(hours=4, minutes=10)
_KNOWN = "known-regressions"
_BEGINS = datetime.time(1, 30, tzinfo=datetime.UTC)

_SETTINGS = """
state = "{state}"
[ports]
postgresql = 1
web = 8010
worker = 3
[trees.linux]
url = "/nowhere"
{branches}
[nightly]
hour = 1
minute = 30
[build]
jobs = 1
poll_interval_s = 60
"""
_BRANCH = """
[[branches]]
tree = "linux"
branch = "{branch}"
baseline = "v6.1.*"
board_types = {board_types}
plan = "nightly"
"""

#: Column names of the tables whose rows say when they were made.
_MADE = {
    "comparison": ("created_at",), "suspicion": ("created_at", "changed_at"),
    "change_point": ("found_at", "withdrawn_at"), "multiple_testing": ("created_at",),
    "alert": ("opened_at", "changed_at", "withdrawn_at", "told_at"), "alert_event": ("at",),
}  # fmt: skip


def settings(state: Path) -> Settings:
    """Return the settings of the made-up installation; its file lies in the state folder."""
    state.mkdir(parents=True, exist_ok=True)
    board_types = str(list(story.BOARDS)).replace("'", '"')
    sections = [_BRANCH.format(branch=b, board_types=board_types) for b in story.BRANCHES]
    path = state / "vlag.toml"
    path.write_text(_SETTINGS.format(state=state, branches="".join(sections)))
    return config.load(path)


def catalogue() -> Catalogue:
    """Return the repository's catalogue with the year's plan and boards."""
    known = catalogues.load()
    plans = {"nightly": story.plan(), _KNOWN: known.plan(_KNOWN)}
    boards = [Board(name=n, board_type=t) for t, names in story.BOARDS.items() for n in names]
    return evolve(known, plans=plans, boards=tuple(boards))


def fill(dsn: str, state: Path, count: int = NIGHTS) -> None:
    """Fill an empty database that has all tables, and a state folder with a few runs' files."""
    with database.connect(dsn) as conn:
        conn.execute("SET synchronous_commit = off")
        known = catalogue()
        year = Year(
            conn=conn, catalogue=known, settings=settings(state), nights=count,
            farm=Farm(conn=conn, catalogue=known, state=state),
        )  # fmt: skip
        year.boards()
        for night in range(count):
            with conn.transaction():
                year.night(night)
            if night % 10 == 9:
                conn.execute("ANALYZE")
        conn.execute("ANALYZE")


@define(kw_only=True)
class Year:
    """What is on record so far."""

    conn: Connection
    catalogue: Catalogue
    settings: Settings
    farm: Farm
    nights: int
    _heads: dict[tuple[str, str], Booted] = field(factory=dict)  # branch, architecture ->
    _before: dict[tuple[str, str], Booted] = field(factory=dict)
    _bases: dict[str, Booted] = field(factory=dict)  # architecture -> the baseline
    _tag: int = -1
    _last: dict[tuple[str, str], int] = field(factory=dict)  # branch, board type -> comparison
    _confirmed: dict[tuple[Any, ...], int] = field(factory=dict)  # a rerun -> its night
    _notes: list[str] = field(factory=list)
    _missing: list[str] = field(factory=list)
    _ids: list[int] = field(factory=list)
    _at: datetime.datetime = field(init=False)  # when the night began

    def boards(self) -> None:
        """Put the boards on record."""
        for board_type, names in story.BOARDS.items():
            for name in names:
                runs.add_board(self.conn, name=name, board_type=self._kind(board_type))
        runs.add_board(self.conn, name=story.AWAY[1], board_type=self._kind(story.AWAY[0]))

    def night(self, night: int) -> None:
        """Boot, compare and tell one night."""
        began = self._now()
        self._at = started = self.time(night)
        self._notes, self._missing, self._ids = [], [], []
        fresh = self._kernels(night)
        self._check_boards(night)
        self._boots(night, fresh)
        if night and night == self.nights // 2:
            self._broken(night)
        self._compare(night, fresh)
        if night == self.nights - 1:
            self._patches(night)
            self._proof(night)
        left = self.nights - 1 - night
        if not left:
            trends.follow(self.conn, self.settings, self.catalogue, lambda _words: None)
        report = f"reports/{started:%Y-%m-%dT%H%M%SZ}.txt"
        (self.farm.state / "reports").mkdir(exist_ok=True)
        (self.farm.state / report).write_text(f"Night of {started:%Y-%m-%d}\n")
        if left < 3:
            self._notes.append(
                f"The night: {len(fresh) * 2} kernels built, {len(self._ids)} comparisons;"
                " 4 h were expected, it took 4 h 10 min."
            )
        ended = started + LASTS
        key, url = f"nightly {night + 1}", f"{self.settings.url}#/builders/5/builds/{night + 1}"
        if left < REAL or self._stepped(night):
            tell(
                self.conn, self.catalogue, self.settings, key=key, started=started, ids=self._ids,
                missing=self._missing, notes=self._notes, url=url, path=report, now=ended,
            )  # fmt: skip
            self._triage(night)
            self._date(began, ended)
            return
        judged = multiple_testing.judge(self.conn, self._ids)
        family = nights.family_of(self.conn, judged.tests, list(judged.told))
        nights.insert(self.conn, Night(
            key=key, started_at=started, finished_at=ended, multiple_testing=family,
            comparisons=self._ids, branches=self._watched(), missing=self._missing,
            notes=self._notes, url=url, report=report,
        ))  # fmt: skip
        self._date(began, ended)

    def _watched(self) -> list[dict[str, Any]]:
        return [
            {"tree": story.TREE, "branch": branch, "board_types": list(story.BOARDS)}
            for branch in story.BRANCHES
        ]

    def _stepped(self, night: int) -> set[str]:
        """Return the branches where a step comes or goes in a night."""
        return {
            s.branch
            for s in story.STEPS
            if story.subject_of(s.branch, night, self.nights) in (s.subject, s.fix)
            if story.head(s.branch, night, self.nights) == night
        }

    def time(self, night: int) -> datetime.datetime:
        """Return when a night begins; the last one began this morning or yesterday."""
        now = datetime.datetime.now(datetime.UTC)
        last = datetime.datetime.combine(now.date(), _BEGINS)
        if now < last + datetime.timedelta(hours=6):
            last -= datetime.timedelta(days=1)
        left = self.nights - 1 - night
        days = left if left < DAILY else DAILY + (left - DAILY) * 4
        return last - datetime.timedelta(days=days)

    def _share(self, night: int) -> float:
        return night / self.nights

    def _kind(self, board_type: str) -> BoardType:
        return self.catalogue.board_type(board_type)

    def _arch(self, board_type: str) -> str:
        return self._kind(board_type).arch

    def _kernels(self, night: int) -> list[str]:
        """Build tonight's baseline and heads; return the branches that have a new head."""
        tag = 160 + night // story.TAG_NIGHTS
        subject = Subject(branch=story.PREVIOUS, share=self._share(night), name=f"v6.1.{tag}")
        if tag != self._tag:
            self._tag = tag
            self._bases = {
                arch: self._kernel(subject, f"v6.1.{tag}", f"v6.1.{tag}", f"Linux 6.1.{tag}", arch)
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
            subject = Subject(branch=branch, share=self._share(night), name=name)
            for arch in ("x86_64", "arm64"):
                if (branch, arch) in self._heads:
                    self._before[branch, arch] = self._heads[branch, arch]
                self._heads[branch, arch] = self._kernel(subject, branch, describe, title, arch)
        return fresh

    def _kernel(
        self, subject: Subject, branch: str, describe: str, title: str, arch: str, **more: Any
    ) -> Booted:
        outcome = more.pop("outcome", "complete")
        identity = bundles.kernel(
            subject.name, tree=story.TREE, branch=branch, describe=describe, subject=title,
            committed_at=(self._at - datetime.timedelta(hours=9)).isoformat(), arch=arch, **more,
        )  # fmt: skip
        return self.farm.kernel(identity, subject, self._at, outcome)

    def _entries(self, board_type: str) -> list[PlanEntry]:
        return [e for e in self.catalogue.plan("nightly").entries if board_type in e.board_types]

    def _boots(self, night: int, fresh: Sequence[str]) -> None:
        """Boot the baseline where boots differ from night to night, and each new head."""
        for board_type in story.BOARDS:
            arch, at = self._arch(board_type), self._at
            new_tag = night % story.TAG_NIGHTS == 0
            again = new_tag or not self._kind(board_type).deterministic
            todo = [self._bases[arch]] if again and (fresh or new_tag) else []
            todo += [self._heads[branch, arch] for branch in fresh]
            for of in todo:
                for entry in self._entries(board_type):
                    at = self._boot(of, board_type, entry, range(1, 6), night, at)
        self.farm.flush()

    def _boot(
        self, of: Booted, board_type: str, entry: PlanEntry, seeds: Iterable[int], night: int,
        at: datetime.datetime, **more: Any,
    ) -> datetime.datetime:  # fmt: skip
        more.setdefault("files", night == self.nights - 1 and board_type == "qemu-sim-2")
        return self.farm.boot(of, board_type, entry, list(seeds), at, self._share(night), **more)

    def _compare(self, night: int, fresh: Sequence[str]) -> None:
        stepped = self._stepped(night)
        new_tag = night % story.TAG_NIGHTS == 0
        for branch in story.BRANCHES:
            for board_type in story.BOARDS:
                head = self._heads[branch, self._arch(board_type)]
                if branch in fresh or new_tag:
                    base = self._bases[self._arch(board_type)]
                    if branch in stepped or night >= self.nights - REAL:
                        found = self._pair(base, head, board_type, "baseline", night)
                        self._parent(branch, board_type, head, night)
                    else:
                        found = screens.screen(
                            self.conn, self.farm, self.catalogue.plan("nightly"), base, head,
                            self._kind(board_type), self._at + LASTS,
                        )  # fmt: skip
                    self._last[branch, board_type] = found
                self._ids.append(self._last[branch, board_type])

    def _parent(self, branch: str, board_type: str, head: Booted, night: int) -> None:
        """Compare a commit with the one before it where the commit is told to matter."""
        before = self._before.get((branch, self._arch(board_type)))
        steps = [s for s in story.STEPS if s.subject == head.identity["subject"]]
        recent = board_type == "qemu-sim-2" and night >= self.nights - REAL
        if before is None or before.id == head.id or not (recent or steps):
            return
        if recent or any(board_type in s.board_types for s in steps):
            id_ = self._pair(before, head, board_type, "parent", night)
            self._ids.append(id_)

    def _pair(
        self, base: Booted, new: Booted, board_type: str, role: str | None, night: int,
        plan: str = "nightly",
    ) -> int:  # fmt: skip
        """Compare two kernels, with a rerun of what the screen suspects."""
        screen = self._compared(base, new, board_type, role, plan, "screen")
        suspects = sorted({*screen.suspects, *screen.better})
        if suspects and plan == "nightly":
            at = self._at + datetime.timedelta(hours=3)
            for of in (base, new):
                for entry in self._entries(board_type):
                    key = (of.id, str(of.knobs), board_type, entry.benchmark, str(entry.parameters))
                    if entry.benchmark in suspects and self._confirmed.get(key) != night:
                        self._confirmed[key] = night  # a night boots a side once
                        at = self._boot(of, board_type, entry, range(6, 16), night, at)
            self.farm.flush()
            fresh = self._compared(
                base, new, board_type, role, plan, "confirm", round_=1,
                benchmarks=frozenset(suspects),
            )  # fmt: skip
            self._ids.append(fresh.id)
        return screen.id

    def _compared(
        self, base: Booted, new: Booted, board_type: str, role: str | None, plan: str, stage: Any,
        **more: Any,
    ) -> StoredComparison:  # fmt: skip
        return compare(
            conn=self.conn, catalogue=self.catalogue, board_type=board_type, role=role,
            base=KernelRef(text=base.identity["digest"], knobs=base.knobs),
            new=KernelRef(text=new.identity["digest"], knobs=new.knobs),
            plan=self.catalogue.plan(plan), stage=stage, **more,
        )  # fmt: skip

    def _variant(self, of: Booted, series_: str, number: int, patches: Sequence[Any],
                 factors: dict[str, float], of_full: bool = False) -> Booted:  # fmt: skip
        """Return a head with patches."""
        given = of.identity
        application = "full" if of_full else f"solo({number})"
        subject = evolve(of.subject, factors=factors, name=f"{of.subject.name} {application}")
        identity = bundles.kernel(
            of.subject.name, tree=story.TREE, branch=given["branch"], describe=given["describe"],
            subject=given["subject"], committed_at=given["committed_at"], arch=given["arch"],
            series=series_, application=application, patches=list(patches),
        )  # fmt: skip
        return self.farm.kernel(identity, subject, self._at)

    def _patches(self, night: int) -> None:
        """Compare a series on a head, each patch alone and all of them, and one knob."""
        every: dict[str, float] = {}
        for factors in story.PATCHES.values():
            every |= factors
        listed = [{"name": n, "sha256": bundles.sha(n)} for n in story.PATCHES]
        wanted = [(i, [p], dict(story.PATCHES[p["name"]])) for i, p in enumerate(listed, 1)]
        for board_type in ("qemu-sim-2", "rpi5"):
            head = self._heads["linux-6.18.y", self._arch(board_type)]
            several = [self._variant(head, story.SERIES, *w) for w in wanted]
            several.append(self._variant(head, story.SERIES, 0, listed, every, of_full=True))
            turned = evolve(
                head, knobs=story.KNOBS, subject=evolve(head.subject, factors=story.KNOB_EFFECT)
            )
            for new in (*several, turned):
                at = self._at + datetime.timedelta(hours=2)
                for entry in self._entries(board_type):
                    if (new, board_type, entry.benchmark) == (several[2], "rpi5", "hackbench-pipe"):
                        reason = "Kernel panic - not syncing: Attempted to kill init!"
                        at = self._boot(new, board_type, entry, [1, 2], night, at,
                                        outcome="panic", reason=reason)  # fmt: skip
                        continue
                    at = self._boot(new, board_type, entry, range(1, 6), night, at)
                self.farm.flush()
                role = None if new is turned else "baseline"
                self._ids.append(self._pair(head, new, board_type, role, night))

    def _proof(self, night: int) -> None:
        """Compare the known regressions, each alone, with the head."""
        patches = series.read(PATCHES, _KNOWN)
        board_type = "qemu-sim-2"
        entries = [e for e in self.catalogue.plan(_KNOWN).entries if board_type in e.board_types]
        head = self._heads["linux-6.18.y", self._arch(board_type)]
        for number, patch in enumerate(patches, 1):
            factors = dict(story.KNOWN.get(patch.name[:2], {}))
            listed = [{"name": patch.name, "sha256": patch.sha256}]
            new = self._variant(head, _KNOWN, number, listed, factors)
            new = evolve(new, knobs=dict(patch.trailers.knobs))
            at = self._at + datetime.timedelta(hours=2)
            for entry in entries:
                at = self._boot(new, board_type, entry, range(1, 6), night, at, plan=_KNOWN)
            self.farm.flush()
            self._ids.append(self._pair(head, new, board_type, "baseline", night, _KNOWN))

    def _broken(self, night: int) -> None:
        """Break a build of one branch and some boots of another."""
        subject = Subject(branch="linux-6.12.y", share=self._share(night), name=f"broken {night}")
        self._kernel(subject, "linux-6.12.y", "v6.12.9-1-gbad", "sched/fair: Rename delta", "arm64",
                     outcome="build_failed")  # fmt: skip
        self._missing.append("linux-6.12.y on rpi5 and altra was not booted: its build failed")
        head = self._heads["master", "arm64"]
        entry = self._entries("altra")[0]
        reason = "Kernel panic - not syncing: hung_task: blocked tasks"
        at = self._at + datetime.timedelta(hours=3)
        self._boot(head, "altra", entry, [16], night, at, outcome="panic", reason=reason)
        self.farm.flush()

    def _check_boards(self, night: int) -> None:
        """Check every board; one leaves its band in the last but one night."""
        entry = PlanEntry(
            benchmark="stress-ng-switch", parameters={}, board_types=tuple(story.BOARDS), seeds=1,
            timeout_s=60,
        )  # fmt: skip
        left = self.nights - 1 - night
        at = self._at - datetime.timedelta(hours=2)
        checked = [(name, t) for t, names in story.BOARDS.items() for name in names]
        if left or not night:
            checked.append((story.AWAY[1], story.AWAY[0]))
        for name, board_type in checked:
            self.farm.boot(
                self._bases[self._arch(board_type)], board_type, entry, [1], at,
                self._share(night), plan="check", board=name,
            )  # fmt: skip
        self.farm.flush()
        found = self.conn.execute(
            "SELECT board, max(id) FROM run WHERE plan = 'check' AND finished_at > %s GROUP BY 1"
            " ORDER BY 1",
            (at,),
        ).fetchall()
        for board, run in found:
            self._checked(board, run, at, night, bad=board == story.AWAY[1] and left == 1)

    def _checked(
        self, board: str, run: int, at: datetime.datetime, night: int, *, bad: bool
    ) -> None:
        """Judge the check of a board."""
        level = 100.0 * (1 + 0.01 * ((night * 7) % 5 - 2)) * (1.25 if bad else 1.0)
        finding = "level left" if bad else "in band" if night > 5 else "too little history"
        words = {"in band": "level and noise are in the band",
                 "too little history": "too few checks for a band yet",
                 "level left": "the noise floor is 125 us, above its band: 96 to 104"}  # fmt: skip
        id_ = board_rows.insert_check(self.conn, CheckRow(
            board=board, run=run, conditions=bundles.sha("conditions"),
            finding=finding, accepted=not bad, level=level, noise=1.2,
            band={"levels": [{"low": 96.0, "high": 104.0}], "noises": [{"high": 1.6}]},
            sentence=words[finding], finished_at=at,
        ))  # fmt: skip
        if bad:
            board_rows.open_doubt(self.conn, board=board, since=at, check=id_)
            board_rows.put_state(self.conn, State(
                board=board, state="maintenance", since=at, reason=words[finding],
                by=f"check {id_}",
            ))  # fmt: skip

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
        for table, columns in _MADE.items():
            for column in columns:
                self.conn.execute(
                    f"UPDATE {table} SET {column} = %(at)s"  # noqa: S608 - constants
                    f" WHERE {column} >= %(since)s",
                    {"at": at, "since": since},
                )
