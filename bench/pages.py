"""The pages of docs/evidence/: what makes each, how long that takes, what its figures depend on.

The head of a page has the digest of each dependency.  `python -m bench stale` lists the pages
that are older than what they measure, `python -m bench renew` measures those anew.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from bench.dependencies import NONE, Tree, digest
from bench.origin import is_known
from vlag import ROOT

FOLDER = ROOT / "docs" / "evidence"

_LINE = re.compile(r"^- depends: (.+) ([0-9a-f]{12}|none)$", re.MULTILINE)
_COMMIT = re.compile(r"^- commit: ([0-9a-f]{7,40})", re.MULTILINE)
_MARK = re.compile(r"^\*\*Out of date\*\* since (\S+) (\S+): (.+) changed\.\n\n?", re.MULTILINE)


@frozen
class Page:
    """One page; `bench` is the name for `python -m bench`, or a file of tests."""

    name: str
    bench: str
    minutes: int  # about, on two CPUs
    depends: tuple[str, ...]
    only: str = ""  # of a file of tests that writes several pages: pytest's -k for this one

    @property
    def path(self) -> Path:
        """Return its file."""
        return FOLDER / f"{self.name}.md"

    @property
    def command(self) -> list[str]:
        """Return the command that measures and writes it."""
        if self.bench.endswith(".py"):
            chosen = ["-k", self.only] if self.only else []
            return [sys.executable, "-m", "pytest", "-q", "-m", "long", *chosen, self.bench]
        return [sys.executable, "-m", "bench", self.bench]


def _code(bench: str, *more: str) -> str:
    return f"code of bench/{bench}.py in bench {' '.join(more)}".rstrip()


_COMPOSE = (
    "tests/long/test_compose.py", "tests/long/engine.py", "docker-compose.yml", "images.env",
    "*Dockerfile", "master/compose.toml", "master/enter", "schemas/container.sh",
    "lava-jobs/server/*")  # fmt: skip
_JUDGING = "code of vlag/compare/kernels.py in vlag/stats vlag/compare"
_HEADERS = "kernel-patches/known-regressions/*"


def _night(plan: str, *more: str) -> tuple[str, ...]:
    return (_JUDGING, f"plan {plan}", f"relevances of plan {plan}", "images", *more)


PAGES = (
    Page("verdicts", "verdicts", 25, (
        _code("verdicts", "vlag/stats"), "plan nightly", "relevances of plan nightly",
        "plan weekly", "relevances of plan weekly")),
    Page("changepoints", "changepoints", 30, (_code("changepoints", "vlag/stats"),)),
    Page("histograms", "histograms", 40, (
        _code("histograms", "vlag/stats"), "plan nightly", "relevances of plan nightly")),
    Page("modes", "modes", 5, (_code("modes", "vlag/stats"),)),
    Page("relevance", "relevance", 90, (
        _code("relevance", "vlag/stats"), "plan nightly", "relevances of plan nightly",
        "plan weekly", "images")),
    Page("peers", "peers", 25, (_code("peers", "vlag/stats"),)),
    Page("statistics-plots", "plots", 15, (_code("plots", "vlag/stats"),)),
    Page("sweep", "sweep", 45, (
        "code of vlag/compare/files.py in vlag/stats vlag/compare",
        "bench/sweep.py", "relevances of plan commit", "images")),
    Page("path-sweep", "path_sweep", 60, (
        "code of vlag/profile/path.py in vlag/profile vlag/stats",
        "bench/path_sweep.py", "bench/sweep.py", "lava-jobs/path-metrics.toml",
        "lava-jobs/lockstep/*", "images")),
    Page("observing", "observing", 20, (
        "bench/observing.py", "lava-jobs/lockstep/*", "vlag/lava/marker.py",
        "code of vlag/profile/bundles.py in vlag/profile", "plan nightly", "images")),
    Page("parsers", "parsers", 5, (
        "bench/parsers.py", "vlag/parsers/__init__.py",
        "code of vlag/parsers/cyclictest.py in vlag/parsers")),
    Page("fuzzing", "fuzz", 6, ("vlag/parsers/*.py", "tests/fuzz/*.py", "bench/fuzz.py")),
    Page("chaos", "chaos", 5, (
        "bench/chaos*.py", "tests/integration/line.py", "vlag/pipeline/ingest.py",
        "vlag/durable.py", "vlag/bundle.py",
        "vlag/lava/artifact_server.py", "vlag/lava/expiry.py",
        "vlag/operate/service/postgres.py")),
    Page("chaos-service", "tests/long/test_chaos_service.py", 15, (
        "tests/long/test_chaos_service.py", "vlag/pipeline/run.py", "vlag/lava/local.py",
        "vlag/lava/outcome.py", "vlag/operate/service/*.py", "master/kernel.py")),
    Page("sandbox", "sandbox", 60, (
        "bench/sandbox.py", "vlag/sandbox/*.py", "vlag/kernel/tuxmake.py",
        "lava-jobs/lockstep/install", "plan nightly", "images")),
    Page("scale", "scale", 40, (
        "bench/scale.py", "bench/partitions.py", "bench/*.sql", "schemas/views/*.sql",
        "schemas/migrations/*.sql", "dashboards/json/*.json", "vlag/store/partition*.py")),
    Page("pages-speed", "pages_speed", 15, (
        "bench/pages_speed.py", "bench/*.sql", "schemas/views/*.sql", "vlag/web/*.py",
        "vlag/web/pages/*.py", "vlag/web/templates/*.html", "vlag/web/static/*",
        "vlag/report/read_model/*.py", "vlag/report/plots/*.py")),
    Page("lockstep", "lockstep", 15, (
        "bench/lockstep.py", "tests/emulated_guest.py", "lava-jobs/lockstep/*")),
    Page("kernel-config", "kconfig", 15, (
        "bench/kconfig.py", "workers/kconfig/qemu-sim.config", "workers/kconfig/scheduler.config")),
    Page("runner", "runner", 20, (
        "bench/runner.py", "lava-jobs/boot/init.sh", "lava-jobs/boot/environment.sh", "images")),
    Page("packages", "packages", 1, ("bench/packages.py", "layers")),
    Page("first-light", "night", 25, _night("commit")),
    Page("per-commit", "commits", 35, _night("commit", "tests/night/test_per_commit.py")),
    Page("whole-night", "whole_night", 75, _night(
        "nightly", "plan known-regressions", _HEADERS)),
    Page("first-minutes", "first_minutes", 30, (
        "plan first", "plan nightly", "docs/evidence/whole-night.md", "workers/setup-host",
        "workers/packages/host.txt", "workers/packages/worker.txt", "master/first.py",
        "vlag/kernel/prebuilt.py", "vlag/kernel/images.py")),
    Page("releases", "releases", 30, (
        "plan releases", "vlag/cli/releases.py", "vlag/pipeline/releases.py",
        "vlag/kernel/images.py", "vlag/kernel/prebuilt.py")),
    Page("known-regressions", "tests/long/test_known_regressions.py", 60, _night(
        "known-regressions", _HEADERS)),
    Page("arm64", "arm64", 90, (
        "tests/long/test_arm64.py", "tests/long/emulated.py", "workers/kconfig/*arm64*",
        "workers/kconfig/pages-16k.config", "lava-jobs/devices/qemu-arm64*.yaml",
        "vlag/lava/initramfs.py", "lava-jobs/boot/*.sh")),
    Page("bisect", "bisect", 60, (
        "tests/long/test_bisect.py", "tests/long/history.py", "vlag/pipeline/bisect.py",
        "vlag/kernel/search.py", "vlag/stats/nearer.py", "images")),
    Page("matrix", "matrix", 15, (
        "tests/long/test_matrix.py", "vlag/pipeline/series_matrix.py", "vlag/stats/patches.py",
        "images")),
    Page("cpus-480", "cpus_480", 90, (
        "tests/long/test_cpus_480.py", "tests/long/emulated.py", "workers/kconfig/*480*",
        "lava-jobs/devices/qemu-*-480.yaml", "lava-jobs/boot/*.sh")),
    Page("catalogue", "catalogue_runs", 60, (
        "plan catalogue", "lava-jobs/benchmarks/*", "lava-jobs/boot/*.sh",
        "tests/long/test_catalogue_runs.py")),
    Page("pair", "pair", 30, (
        "tests/long/test_pair.py", "lava-jobs/boot/pair*", "lava-jobs/benchmarks/iperf3-pair/*",
        "vlag/pipeline/lab_boot.py")),
    Page("guests", "guests", 5, (
        "tests/long/test_guests.py", "tests/long/emulated.py", "lava-jobs/boot/guests.sh",
        "lava-jobs/benchmarks/iperf3-vms/*", "lava-jobs/benchmarks/kworker-wakeup-vms/*",
        "lava-jobs/devices/qemu-vhost-host.yaml", "vlag/pipeline/guest.py",
        "vlag/kernel/package.py", "vlag/kernel/modules.py")),
    Page("tprocc", "tests/long/test_tprocc.py", 10, (
        "tests/long/test_tprocc.py", "lava-jobs/boot/pair.sh",
        "lava-jobs/benchmarks/mysql-tprocc/*", "vlag/parsers/hammerdb.py")),
    Page("tprocc-boards", "tests/long/test_tprocc_boards.py", 15, (
        "tests/long/test_tprocc_boards.py", "lava-jobs/boot/pair*",
        "lava-jobs/benchmarks/mysql-tprocc/*", "lava-jobs/devices/qemu-sut.yaml",
        "lava-jobs/devices/qemu-loadgen.yaml", "lava-jobs/devices/types/vlag-emulated.jinja2",
        "workers/kconfig/disk.config", "workers/kconfig/network.config",
        "vlag/parsers/hammerdb.py")),
    Page("farm-faults", "tests/long/test_farm_faults.py", 30, (
        "tests/long/test_farm_faults.py", "tests/night/farm.py", "vlag/lava/lab.py",
        "vlag/lava/server.py", "vlag/pipeline/lab_boot.py")),
    Page("first-board", "tests/long/test_first_board.py", 15, (
        "tests/long/test_first_board.py", "tests/long/uboot_box.py", "vlag/lava/first_boot.py",
        "vlag/operate/farm/first_boot.py", "lava-jobs/devices/qemu-uboot.yaml",
        "lava-jobs/devices/types/qemu-uboot.jinja2", "workers/kconfig/qemu-uboot.config",
        "lava-jobs/boot/uboot.yaml.jinja2", "lava-jobs/boot/*.sh")),
    Page("masters", "tests/long/test_masters.py", 30, (
        "tests/long/test_masters.py", "master/multimaster/*", "vlag/config/masters.py",
        "vlag/operate/service/parts.py")),
    Page("backup", "tests/long/test_backup.py", 10, (
        "tests/long/test_backup.py", "vlag/operate/backup/*.py")),
    Page("compose", "tests/long/test_compose.py", 40, _COMPOSE, "rootful"),
    Page("compose-rootless", "tests/long/test_compose.py", 40, _COMPOSE, "rootless"),
    Page("ansible", "ansible_roles", 90, (
        "tests/long/test_ansible_roles.py", "tests/long/farm.py", "ansible/*.yml",
        "ansible/templates/*", "ansible/roles/[!l]*")),
    Page("ansible-lava", "ansible_lava", 90, (
        "tests/long/test_ansible_lava.py", "tests/long/farm.py", "ansible/*.yml",
        "ansible/roles/lava_*", "ansible/roles/board_host/*", "vlag/lava/lab.py")),
    Page("reproducible-build", "tests/long/test_reproducible_build.py", 30, (
        "tests/long/test_reproducible_build.py", "vlag/kernel/build.py", "vlag/kernel/tuxmake.py",
        "workers/kconfig/*")),
)  # fmt: skip
BY_NAME = {page.name: page for page in PAGES}
#: Pages that only grow: each reading has its own date and commit, and stays.
RECORDS = ("heldout",)


def lines(name: str, tree: Tree | None = None) -> list[str]:
    """Return the lines of a page's head with the digests of what it depends on."""
    tree = tree or Tree()
    return [f"depends: {d} {digest(tree, d)}" for d in BY_NAME[name].depends]


@frozen(kw_only=True)
class State:
    """A page beside the tree."""

    moved: tuple[str, ...]  # dependencies whose digest is another one now
    marked: tuple[str, ...]  # dependencies that its mark names
    undeclared: tuple[str, ...]  # lines that are missing, or that nothing asks for

    @property
    def fresh(self) -> bool:
        """Return whether the page measures the tree."""
        return not self.moved and not self.undeclared

    @property
    def honest(self) -> bool:
        """Return whether the page is fresh, or says of exactly what it is out of date."""
        return not self.undeclared and self.moved == self.marked


def state(page: Page, text: str, tree: Tree) -> State:
    """Return the state of a page with that text in a tree."""
    known = dict(_LINE.findall(text))
    mark = _MARK.search(text)
    moved = {d for d in page.depends if d in known and known[d] != digest(tree, d)}
    return State(
        moved=tuple(d for d in page.depends if d in moved),
        marked=tuple(mark[3].split("; ")) if mark else (),
        undeclared=tuple(sorted(set(page.depends) ^ set(known))),
    )


def marked(page: Page, text: str, tree: Tree, since: str) -> str:
    """Return a page's text with all its dependencies and, where one has moved, the mark.

    `since` is a commit and its date, and goes into a new mark; one that is there keeps its
    own.  A line that is missing gets the digest of the commit that the page was made at.
    """
    text = _stamped(page, text)
    moved = state(page, text, tree).moved
    old = _MARK.search(text)
    text = _MARK.sub("", text)
    if not moved:
        return text
    since = f"{old[1]} {old[2]}" if old else since
    mark = f"**Out of date** since {since}: {'; '.join(moved)} changed."
    title, _, rest = text.partition("\n\n")
    return f"{title}\n\n{mark}\n\n{rest}"


def _stamped(page: Page, text: str) -> str:
    known = dict(_LINE.findall(text))
    if set(known) != set(page.depends):
        made = _COMMIT.search(text)
        then = Tree(made[1]) if made and is_known(made[1]) else None
        for d in page.depends:
            known.setdefault(d, digest(then, d) if then else NONE)
    text = re.sub(r"(?m)^- depends: .*\n", "", text)
    head, separator, rest = text.partition("\n- Python ")
    version, newline, rest = rest.partition("\n")
    written = "".join(f"- depends: {d} {known[d]}\n" for d in page.depends)
    return head + separator + version + newline + written + rest


def measured(pages: Iterable[Page] = PAGES) -> list[Page]:
    """Return the pages that are there; some need hours and were never kept."""
    return [page for page in pages if page.path.exists()]
