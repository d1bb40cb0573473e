# SPDX-License-Identifier: GPL-2.0-only
"""The settings as values."""

from __future__ import annotations

import datetime
import fnmatch
import os
from collections.abc import Mapping
from pathlib import Path

from attrs import Factory, evolve, field, frozen

from vlag import ROOT
from vlag.config.database_server import Database
from vlag.errors import UsageError
from vlag.kept_folders import Store
from vlag.kernel import refs
from vlag.kernel.refs import Files, merge_base
from vlag.lava.lab_settings import Lab
from vlag.model import BoardType
from vlag.sandbox import Rules

#: In `applications`: solo(i) of every patch that applies to the branch.
EACH = "each"

#: The build-time variant without a config fragment of its own.
DEFAULT = "default"

#: The worker host if the settings name none: this machine.
LOCAL = "local"
#: Kinds of work a worker host may take.
KINDS = ("build", "run", "lab")
#: Seconds without a heartbeat after which other masters take over a master's work.
TAKEOVER_S = 600
#: The list of boards of the checkout.
INVENTORY = ROOT / "ansible" / "inventory" / "boards.yml"


@frozen(kw_only=True)
class Tree:
    """A git mirror: cloned from `url`, or filled from Debian's packages of sources or images."""

    name: str
    url: str | None
    packages: Mapping[str, str]  # branch -> Debian package
    #: Branch -> pattern of Debian packages with a built kernel, or image and config.
    images: Mapping[str, str | Files] = Factory(dict)
    sources: Path | None = None  # apt's file of sources of `images`; None: this machine's
    web: str | None = None  # address of a commit's page, with {commit} in it

    @property
    def public(self) -> bool:
        """Return whether others can find its commits: it is a clone, and its pages are named."""
        return self.url is not None and self.web is not None


#: Paths of the scheduler, as git matches them: of a merge, what touches them is run alone.
PATHS = (
    "kernel/sched/",
    "include/linux/sched*",
    "include/uapi/linux/sched*",
    "include/trace/events/sched.h",
)

#: Begins a baseline that is the commit where the branch left another one of its tree.
MERGE_BASE = "merge-base:"


@frozen(kw_only=True)
class Branch:
    """A branch that is watched, and what it is compared with."""

    tree: str
    branch: str
    baseline: str  # tag or pattern of tags, or merge-base:UPSTREAM
    board_types: tuple[str, ...]  # board types, or classes of them
    plan: str  # of each night
    commit_plan: str  # of each push
    series: str | None  # folder of `kernel-patches/`
    applications: tuple[str, ...]  # applications of it, or `each`; empty without a series
    variant: str = DEFAULT  # build-time variant of its kernels and of their baseline
    paths: tuple[str, ...] = PATHS  # commits of a merge that touch them are pushes of their own
    baseline_tree: str | None = None  # of its baseline, if that is another one than `tree`
    weekly_plans: tuple[str, ...] = ()  # each is run in place of `plan` once a week
    lanes: tuple[str, ...] = ()  # build lanes of its commits
    where: str = field(default="", eq=False)  # file and key of the settings, for errors

    @property
    def base_tree(self) -> str:
        """Return the tree of its baseline."""
        return self.baseline_tree or self.tree

    def fits(self, name: str) -> bool:
        """Return whether a branch of its tree is its branch, or one that fits its pattern."""
        return fnmatch.fnmatchcase(name, self.branch)

    def base_label(self, ref: str) -> str:
        """Return the name of its baseline `ref` for people, with the tree if it is another one."""
        return baseline_label(ref, None if self.base_tree == self.tree else self.base_tree)


@frozen(kw_only=True)
class First:
    """Two kernels of one tree that a new installation compares before its first night."""

    tree: str
    baseline: str  # as `vlag build --ref` takes them
    branch: str
    board_types: tuple[str, ...]  # board types, or classes of them
    plan: str


def baseline_of(baseline: str, branch: str | None, ref: str) -> str:
    """Return the baseline of a branch's commit `ref`, as `vlag build --ref` takes it.

    `merge-base:UPSTREAM` is where the commit left UPSTREAM; UPSTREAM itself is its own baseline.
    """
    upstream = baseline.removeprefix(MERGE_BASE)
    if upstream == baseline:
        return baseline
    return ref if upstream == branch else merge_base(upstream, ref)


def baseline_name(tree: str, ref: str) -> str:
    """Return the name of a baseline, whatever its tag or commit is now: "debian/v6.1.*".

    `ref` is that of the settings, or what `baseline_of` makes of it: all commits that left
    UPSTREAM have one baseline.
    """
    upstream, dots, _commit = ref.partition(refs.MERGE_BASE)
    return f"{tree}/{MERGE_BASE}{upstream}" if dots else f"{tree}/{ref}"


def baseline_label(ref: str, tree: str | None) -> str:
    """Return the name of a baseline for people; `tree`: its own, if it is not the branch's."""
    return f"baseline {ref}" if tree is None else f"baseline {ref} of tree {tree}"


#: Days of `[weekly]`; the first is 0, as in Python and in Buildbot.
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@frozen(kw_only=True)
class Weekly:
    """When the weekly plans of the branches begin, in the local time of the leading master."""

    day: int  # of `DAYS`
    hour: int
    minute: int


@frozen(kw_only=True)
class Mail:
    """The mail server, and the owners of trees and branches."""

    host: str
    port: int
    sender: str
    tls: str  # "none", "starttls" or "tls" from the first byte
    user: str | None
    password_file: Path | None
    owners: Mapping[str, tuple[str, ...]]  # TREE or TREE/BRANCH -> addresses

    def recipients(self, tree: str, branch: str) -> tuple[str, ...]:
        """Return the owners of a branch and of its tree, each once."""
        addresses = (*self.owners.get(f"{tree}/{branch}", ()), *self.owners.get(tree, ()))
        return tuple(dict.fromkeys(addresses))


@frozen(kw_only=True)
class Webhook:
    """The URL that gets the JSON of a night."""

    url: str
    secret_file: Path  # key that signs the request


#: What a subscription has patterns of.
FOLLOWED = ("branches", "boards", "benchmarks", "functions", "authors")


@frozen(kw_only=True)
class Subscription:
    """Who follows which alerts: an empty list of patterns fits all."""

    name: str
    mail: str | None  # address; None: a webhook
    webhook: Webhook | None
    weekly: bool  # a digest each week instead of each alert at once
    branches: tuple[str, ...] = ()  # TREE/BRANCH
    boards: tuple[str, ...] = ()  # of board types, or of boards
    benchmarks: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()  # names or addresses, as in git

    @property
    def channel(self) -> str:
        """Return the channel of its messages."""
        return "mail" if self.webhook is None else f"webhook:{self.name}"


@frozen(kw_only=True)
class People:
    """The users of the pages, and those of them who may change alerts."""

    password_file: Path  # as `htpasswd` writes it
    triage: tuple[str, ...]


@frozen(kw_only=True)
class Alerts:
    """When an alert is opened, and who sends notifications."""

    throughput: float = 0.02  # confirmed loss, a share
    latency: float = 0.10  # confirmed rise, a share
    # On boards that count instructions: times what matters (the metric's relevance on the board),
    # where that is less.
    deterministic: float = 2.0
    # The same for boards of a class or a type.
    relevances: Mapping[str, float] = field(factory=dict)
    channel: str = "mail"  # or "grafana": its contact points notify, the mail only links

    def limit(
        self,
        *,
        latency: bool,
        relevance: float | None,
        board: BoardType | None,
        explained: bool = False,
    ) -> float:
        """Return the change from which an alert is opened, a share.

        `relevance` is that of the metric on the board; None, as for the board: unknown.  Of a
        change whose cause is known all that matters is told (`explained`).
        """
        share = self.latency if latency else self.throughput
        if relevance is None or board is None:
            return share
        names = board.name, *board.classes
        factors = [self.relevances[name] for name in names if name in self.relevances]
        if not factors and board.deterministic:
            factors = [self.deterministic]
        if explained:
            factors.append(1.0)
        return min([share, *(factor * relevance for factor in factors)])


@frozen(kw_only=True)
class Profiles:
    """Which confirmed changes are profiled by themselves, and what is counted of every commit."""

    automatic: bool = True
    known_regressions: bool = False  # the self-proof's as well
    boots: int = 60  # at most, after a push or a night; the largest changes come first
    board_hours: float = 2.0  # in 24 hours, on boards of one type that are not deterministic
    #: Benchmarks in which each commit that is compared is counted, on deterministic boards.
    history: tuple[str, ...] = ("stress-ng-switch",)


@frozen(kw_only=True)
class Toggles:
    """For which confirmed regressions the scheduler's toggles are tried by themselves."""

    automatic: bool = True
    known_regressions: bool = False  # the self-proof's as well
    boots: int = 150  # at most, after a push or a night; the largest losses come first
    board_hours: float = 4.0  # in 24 hours, on boards of one type that are not deterministic


@frozen(kw_only=True)
class Bisects:
    """For which confirmed regressions the commit is searched by itself."""

    automatic: bool = True
    builds: int = 16  # kernels of one search, at most; that with the culprit reverted is one
    boots: int = 150  # boots of one search, at most; both ends' are among them
    board_hours: float = 8.0  # in 24 hours, on boards of one type that are not deterministic


@frozen(kw_only=True)
class Gc:
    """After how many days `vlag gc` removes what nothing points to; None: never."""

    runs_days: int | None = None  # raw files of runs
    builds_days: int | None = None  # images, modules and logs of builds
    buildbot_days: int | None = None  # finished builds in Buildbot's database


#: The rule of the checkout's settings; `vlag gc --dry-run` shows it where the settings have none.
USUAL_GC = Gc(runs_days=365, builds_days=180, buildbot_days=365)


@frozen(kw_only=True)
class Host:
    """A machine that runs workers."""

    name: str = LOCAL
    slots: int | None = None  # boots side by side; None: as many as this machine has CPUs
    takes: tuple[str, ...] = KINDS
    master: str | None = None  # to which its workers connect; None: there is only one


@frozen(kw_only=True)
class Master:
    """One of several masters; the first leads: it requests all work and sends notifications."""

    name: str
    web_port: int
    worker_port: int
    address: str | None  # base of links to its pages, if not the port on its machine


@frozen(kw_only=True)
class Settings:
    """All settings of one installation."""

    path: Path  # the file they came from
    state: Path  # absolute
    postgresql_port: int
    web_port: int
    worker_port: int
    grafana_port: int
    trees: Mapping[str, Tree]
    branches: tuple[Branch, ...]
    nightly_hour: int
    nightly_minute: int
    jobs: int
    poll_interval_s: int
    check_hours: tuple[int, ...]  # time of the check of every board
    labs: Mapping[str, Lab]
    listen: str  # address of the artifact store and of LAVA's callbacks
    callback_port: int
    artifacts_port: int
    mail: Mail | None
    webhook: Webhook | None
    people: People | None
    alerts: Alerts
    profile: Profiles = Profiles()
    toggles: Toggles = Toggles()
    bisect: Bisects = Bisects()
    gc: Gc | None = None  # None: nothing is removed
    dispatcher: bool = False  # of LAVA, which all other boards need, around deterministic ones
    snapshots_gb: float = 4  # of booted deterministic boards; 0: all boots are from power on
    objects_gb: float = 2  # of builds, from which a branch's next one goes on; 0: none
    sandbox: Rules = Factory(Rules)
    first: First | None = None
    subscriptions: tuple[Subscription, ...] = ()
    nightly_end: datetime.time | None = None  # by which nights end; None: when all is done
    weekly: Weekly | None = None
    weekly_only: tuple[Branch, ...] = ()  # branches that are in no night
    database: Database | None = None  # an external server; None: a private cluster
    web_listen: str = "127.0.0.1"
    web_address: str | None = None  # base of links, if not the port on this machine
    grafana_address: str | None = None  # to which the pages link; None: they do not
    worker_listen: str = "127.0.0.1"
    worker_password: Path | None = None  # a file; None: the service makes one
    named_hosts: tuple[Host, ...] = ()
    inventory: Path = INVENTORY
    masters: tuple[Master, ...] = ()  # empty: one that does everything
    takeover_s: int = TAKEOVER_S
    reported_by: str | None = None  # NAME <address>, of reports on confirmed regressions
    master: Master | None = None  # which of them this process is

    def mirror(self, tree: str) -> Path:
        """Return the local bare git repository of a tree."""
        return self.state / "mirrors" / f"{tree}.git"

    def tree(self, name: str) -> Tree:
        """Return a tree; UsageError lists those that there are."""
        if name not in self.trees:
            raise UsageError(f"no tree {name!r} in {self.path}; there are: {', '.join(self.trees)}")
        return self.trees[name]

    def watched(self, tree: str) -> tuple[str, ...]:
        """Return names and patterns of a tree's branches that the settings build on."""
        own = [b for b in (*self.branches, *self.weekly_only) if b.tree == tree]
        bases = (b.baseline for b in own if b.baseline.startswith(MERGE_BASE))
        upstreams = [baseline.removeprefix(MERGE_BASE) for baseline in bases]
        return tuple(dict.fromkeys([*(b.branch for b in own), *upstreams]))

    def of_week(self) -> Settings:
        """Return the settings as the week's work sees them: each branch once a weekly plan."""
        weekly = tuple(
            evolve(watched, plan=plan, where=f"{watched.where}.weekly_plans.{i}")
            for watched in (*self.branches, *self.weekly_only)
            for i, plan in enumerate(watched.weekly_plans)
        )
        return evolve(self, branches=weekly, weekly_only=(), nightly_end=None)

    def lanes_of(self, tree: str, branch: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the lanes of a branch, none if nobody watches it, and the scheduler's paths."""
        own = [
            b
            for b in self.branches
            if b.tree == tree and fnmatch.fnmatchcase(branch or "", b.branch)
        ]
        lanes = dict.fromkeys(lane for b in own for lane in b.lanes)
        return tuple(lanes), tuple(dict.fromkeys([*PATHS, *(p for b in own for p in b.paths)]))

    @property
    def lane_builds(self) -> Path:
        """Return the folder of the records of build lanes."""
        return self.state / "lanes"

    @property
    def tries(self) -> Path:
        """Return the folder of the series that were sent on the pages."""
        return self.state / "tries"

    @property
    def builds(self) -> Path:
        """Folder of build bundles, one a kernel digest."""
        return self.state / "builds"

    @property
    def runs(self) -> Path:
        """Folder of run bundles."""
        return self.state / "runs"

    @property
    def snapshots(self) -> Store | None:
        """Return where snapshots of booted boards are kept; None: nowhere."""
        if not self.snapshots_gb:
            return None
        return Store(
            folder=self.state / "snapshots", most_bytes=int(self.snapshots_gb * 1_000_000_000)
        )

    @property
    def kept_objects(self) -> Store | None:
        """Return where objects of builds are kept; None: nowhere."""
        if not self.objects_gb:
            return None
        return Store(folder=self.state / "objects", most_bytes=int(self.objects_gb * 1_000_000_000))

    def bundle(self, path: Path) -> Path:
        """Return where a bundle is that a person or a record names, absolute.

        A name that leads nowhere is below the state folder, as commands that repeat a boot have
        it, or it has the state folder's former place before it.
        """
        places = [path, self.state / path]
        if path.parts[-3:-2] in ((self.builds.name,), (self.runs.name,)):
            places.append(self.state.joinpath(*path.parts[-3:]))
        for place in places:
            if place.exists():
                return place.absolute()
        return path.absolute()

    @property
    def lab_jobs(self) -> Path:
        """Folder of the boots given to labs, one folder each."""
        return self.state / "lab"

    @property
    def programs(self) -> Path:
        """Return the folder of programs that no Debian package has, a folder each ARCH."""
        return self.state / "programs"

    @property
    def artifacts(self) -> Path:
        """Folder of the artifact store."""
        return self.state / "artifacts"

    @property
    def passfile(self) -> Path:
        """libpq password file of the private cluster."""
        return self.state / "secrets" / "pgpass"

    @property
    def url(self) -> str:
        """Address of Buildbot's pages, with a slash at its end."""
        return self.web_address or f"http://127.0.0.1:{self.web_port}/"

    @property
    def web_host(self) -> str:
        """Name or address at which this machine reaches Buildbot's pages."""
        return reachable(self.web_listen)

    @property
    def worker_password_file(self) -> Path:
        """File with the password of all workers."""
        return self.worker_password or self.state / "secrets" / "worker"

    @property
    def control_file(self) -> Path:
        """File with the token by which the master knows the service itself."""
        return self.state / "secrets" / "control"

    @property
    def push_hook_file(self) -> Path:
        """File with the token by which the master knows who tells it of a push."""
        return self.state / "secrets" / "push-hook"

    @property
    def hosts(self) -> tuple[Host, ...]:
        """Machines that run workers: those of the settings, else one that does everything."""
        return self.named_hosts or (Host(),)

    @property
    def leads(self) -> bool:
        """Whether this process is the leading master, or no master at all."""
        return self.master is None or self.master == self.masters[0]

    @property
    def own_hosts(self) -> tuple[Host, ...]:
        """Worker hosts of this master."""
        return tuple(h for h in self.hosts if self.master is None or h.master == self.master.name)

    def of_master(self, name: str | None) -> Settings:
        """Return the settings as one master sees them, by default the only one.

        Raises UsageError for a missing or unknown name.
        """
        if not self.masters:
            if name is None:
                return self
            raise UsageError(
                f"--name {name}: there is one master, which has no name; leave it out, or write"
                f" all masters under [[masters]] in {self.path}"
            )
        there = ", ".join(m.name for m in self.masters)
        if name is None and len(self.masters) > 1:
            raise UsageError(f"which master is this? Give --name NAME; there are: {there}")
        master = next((m for m in self.masters if name in (None, m.name)), None)
        if master is None:
            raise UsageError(
                f"no master {name!r} under [[masters]] in {self.path}; there are: {there}"
            )
        return evolve(
            self,
            master=master,
            web_port=master.web_port,
            worker_port=master.worker_port,
            web_address=master.address,
        )

    def host(self, name: str | None) -> Host:
        """Return a worker host, by default the only one; UsageError lists the known ones."""
        there = ", ".join(h.name for h in self.hosts)
        if name is None and len(self.hosts) > 1:
            raise UsageError(f"which worker host is this? Give --host NAME; there are: {there}")
        host_ = next((h for h in self.hosts if name in (None, h.name)), None)
        if host_ is None:
            raise UsageError(
                f"no worker host {name!r} under [[workers.hosts]] in {self.path};"
                f" there are: {there}"
            )
        return host_

    def dsn(self, database: str = "vlag") -> str:
        """Return the libpq connection string; `VLAG_DATABASE` overrides that of vlag itself.

        Raises UsageError for a password file that cannot be read.
        """
        override = os.environ.get("VLAG_DATABASE")
        if database == "vlag" and override:
            return self._located(override)
        if self.database is not None:
            address = self.database.dsn(database, self.state / "secrets")
        else:
            address = (
                f"host=127.0.0.1 port={self.postgresql_port} user=vlag dbname={database}"
                f" passfile='{self.passfile}' connect_timeout=10"
            )
        return self._located(address) if database == "vlag" else address

    def reader_dsn(self) -> str:
        """Return the connection string of the role that may only read the views.

        `VLAG_READER_DATABASE` overrides it; else it is vlag's own with another user, whose
        password is in the same password file.
        """
        from vlag.store import database, views  # noqa: PLC0415 - few commands need the driver

        override = os.environ.get("VLAG_READER_DATABASE")
        if override:
            return self._located(override)
        if self.database is not None and not os.environ.get("VLAG_DATABASE"):
            return self._located(self.database.reader_dsn(self.state / "secrets"))
        return database.as_user(self.dsn(), views.READER)

    def _located(self, dsn: str) -> str:
        """Return a connection string that says where the state folder is: tables name it not."""
        from vlag.store import database  # noqa: PLC0415 - few commands need the driver

        return database.with_state(dsn, self.state.resolve())


def reachable(listen: str) -> str:
    """Return the address at which this machine reaches a service that listens on `listen`."""
    return {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(listen, listen)  # noqa: S104
