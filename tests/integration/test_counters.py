# SPDX-License-Identifier: GPL-2.0-only
"""Scheduler counters in the report and on the page of a comparison, where they explain a change."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import define, evolve

from tests.conftest import fresh_database
from tests.fuzz.properties import CAPTURES
from tests.integration import bundles
from tests.integration.alerting import BASE, SAME, SLOW, SMALL, head
from tests.integration.reports import wide
from tests.integration.webpages import read
from tests.integration.websites import application, visitor
from tests.typed import faults
from tests.unit.schedstats import raw, snapshots
from vlag.compare.kernels import compare
from vlag.config.catalogue import Catalogue
from vlag.lava import kernel_events
from vlag.parsers import schedstat
from vlag.report import short, text
from vlag.report.data import counter_data
from vlag.report.data.comparison import report
from vlag.report.document import ComparisonData
from vlag.store import database
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

NEW = head(1)
OBSERVES = "schedstats"
# How far boots of one kernel differ, as those of `SAME` do.
NOISE = (1.0, 1.001, 0.999, 1.0005, 0.9995)
# Of the new kernel: what goes with 0.88 of the operations, and what does not.
FOLLOWS = dict.fromkeys(("sched_count", "sched_goidle", "ttwu_count", "ttwu_local"), 0.88)
OTHERWISE = {"sched_goidle": 1.5, "ttwu_local": 0.6}
# The end of a line: its interval.
ENDS = r" %  \[[+-][\d.]+, [+-][\d.]+\]"
SCORED = {"pcount": 1.2, "rq_cpu_time": 1.0, "run_delay": 1.0}


#: What perf 6.1 counted in a guest.
EVENTS = (CAPTURES / "perf-stat" / "6.1-guest-events.txt").read_text()
SCATTERS = {**bundles.BOARD, "deterministic": False}


def perf_said(factors: Mapping[str, float], every: float) -> str:
    """Return the capture with each figure so many times as large."""
    return re.sub(
        r"([\d,]+)( +)([a-z-]+)(?= *$)",
        lambda m: (
            f"{round(int(m[1].replace(',', '')) * every * factors.get(m[3], 1.0)):,}{m[2]}{m[3]}"
        ),
        EVENTS, flags=re.M,
    )  # fmt: skip


@define(kw_only=True)
class Record:
    """Kernels with boots that keep their counters, on record and compared."""

    conn: Connection
    catalogue: Catalogue
    folder: Path
    hz: int = 250  # of the kernels that are built
    ticks: int = 250  # jiffies a second in what they count

    def build(self, of: Mapping[str, Any], image: str) -> str:
        """Store a kernel's build with a kernel's image and return the digest of its config."""
        folder = self.folder / "builds" / of["digest"][:12]
        bundles.build(folder, of)
        made = {
            "image": bundles.add(folder, "bzImage", f"image {image}".encode()),
            "config": bundles.add(folder, "config", f"CONFIG_HZ={self.hz}\n".encode()),
        }
        log = bundles.add(folder, "build.log", b"make\n")
        self.ingest([bundles.edit(folder, **made, files=[*made.values(), log])])
        return str(made["config"]["sha256"])

    def boot(
        self,
        of: Mapping[str, Any],
        rates: tuple[float, ...],
        factors: Mapping[str, float],
        *,
        capture: str = "v16",
        noise: tuple[float, ...] = NOISE,
        first: int = 1,
        image: Mapping[str, Any] | None = None,
        events: Mapping[str, float] | str | None = None,
        **changes: Any,
    ) -> None:
        """Store a kernel with a boot a rate, which counted `factors` times what the capture has.

        `events` are such factors of what perf counts, or what it says where it cannot.
        """
        digest = (image or of)["digest"]
        config = self.build(of, digest)
        paths = []
        for seed, (rate, every) in enumerate(zip(rates, noise, strict=False), first):
            name = bundles.sha(f"{of['digest']} {capture} {seed} {sorted(changes.items())}")[:12]
            folder = bundles.run(
                self.folder / "runs" / name, of, self.catalogue, raw=bundles.stress_ng(rate),
                seed=seed, config_sha256=config, image_sha256=bundles.sha(f"image {digest}"),
                run_key=bundles.sha(name), **changes,
            )  # fmt: skip
            pair = snapshots(capture, factors, every, self.ticks)
            document = json.loads((folder / "run.json").read_text())
            files = [
                bundles.add(folder, f"raw/{file}", data)
                for file, data in zip((schedstat.BEFORE, schedstat.AFTER), pair, strict=True)
            ]
            if events is not None:
                said = events if isinstance(events, str) else perf_said(events, every)
                files.append(bundles.add(folder, f"raw/{kernel_events.FILE}", said.encode()))
            paths.append(bundles.edit(folder, files=[*document["files"], *files]))
        self.ingest(paths)

    def observe(self, of: Mapping[str, Any], rates: tuple[float, ...], **more: Any) -> None:
        """Store boots of a kernel that observe schedstats."""
        given = {"factors": {}, "capture": "v16-on", **more}
        self.boot(of, rates, observes=OBSERVES, **given)

    def ingest(self, paths: list[Path]) -> None:
        bundles.store(self.conn, self.catalogue, paths)

    def both(self, rates: tuple[float, ...] = SLOW, observed: int = 3, **more: Any) -> None:
        """Store five scored and some observing boots of base and new; `more` are of new's."""
        self.boot(BASE, SAME, {})
        self.boot(NEW, rates, SCORED)
        if observed:
            self.observe(BASE, SAME[:observed])
            self.observe(NEW, rates[:observed], **{"factors": {**FOLLOWS, **OTHERWISE}, **more})

    def compared(self, base: Mapping[str, Any] = BASE, new: Mapping[str, Any] = NEW) -> int:
        return compare(
            conn=self.conn, catalogue=self.catalogue, board_type=SMALL,
            base=KernelRef(text=base["digest"]), new=KernelRef(text=new["digest"]),
        ).id  # fmt: skip

    def report(self, **sides: Any) -> Mapping[str, Any]:
        made = report(self.conn, self.catalogue, self.compared(**sides), self.folder)
        assert list(faults(made, ComparisonData)) == []
        return made

    def named(self, **sides: Any) -> list[str]:
        """Return the counters that the report of base against new names."""
        return [row["counter"] for row in self.report(**sides)["counters"]]


@pytest.fixture
def record(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Record:
    return Record(conn=conn, catalogue=catalogue, folder=tmp_path)


def test_three_counters_explain_a_change(record: Record) -> None:
    record.both()
    data = record.report()
    found = {row["counter"]: row for row in data["counters"]}
    assert list(found) == ["sched_goidle", "ttwu_local", "pcount"]
    # For an operation, of which the new kernel does 0.88 times as many.
    assert found["sched_goidle"]["effect"] == pytest.approx(1.5 / 0.88 - 1, rel=0.01)
    assert found["ttwu_local"]["effect"] == pytest.approx(0.6 / 0.88 - 1, rel=0.01)
    assert found["pcount"]["effect"] == pytest.approx(1.2 / 0.88 - 1, rel=0.01)
    pcount = schedstat.between(*(schedstat.read(raw(f"v16-{w}.txt"), path=w)
                                 for w in ("before", "after")))  # fmt: skip
    assert found["pcount"]["base"] == pytest.approx(pcount.cpu["pcount"] / 886409, rel=0.01)
    # What the kernel always counts comes from the boots that are scored.
    boots = {name: (row["observing"], row["n_base"], row["n_new"]) for name, row in found.items()}
    assert boots == {
        "sched_goidle": (True, 3, 3), "ttwu_local": (True, 3, 3), "pcount": (False, 5, 5),
    }  # fmt: skip
    assert {row["per"] for row in found.values()} == {"operation"}
    for row in found.values():
        assert row["low"] < row["effect"] < row["high"]


def test_the_short_report_has_them_beneath_the_figures(record: Record) -> None:
    record.both()
    data = record.report()
    said = short.render(data)
    lines = said.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("Scheduler counters "))
    worse = next(n for n, line in enumerate(lines) if line.startswith("Worse "))
    assert worse < at
    assert lines[at].split() == [
        "Scheduler", "counters", "base", "new", "change", "95", "%", "interval"
    ]  # fmt: skip
    assert lines[at + 1] == "  stress-ng-switch, an operation, n 3 + 3 observing boots"
    assert re.fullmatch(rf"    sched_goidle +[\d.]+ +[\d.]+ +\+7\d\.\d\d{ENDS}", lines[at + 2])
    assert re.fullmatch(rf"    ttwu_local +[\d.]+ +[\d.]+ +-3\d\.\d\d{ENDS}", lines[at + 3])
    assert lines[at + 4] == "  stress-ng-switch, an operation, n 5 + 5"
    assert re.fullmatch(rf"    pcount +[\d.]+ +[\d.]+ +\+3\d\.\d\d{ENDS}", lines[at + 5])
    assert lines[at + 6] == ""
    assert wide(said) == []
    assert len(lines) <= short.COMPARISON_LINES
    # The whole report has the same.
    assert all(line in text.render(data).splitlines() for line in lines[at + 1 : at + 6])


def test_the_page_has_the_same(
    cluster: str, template: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    dsn = fresh_database(cluster, template)
    with database.connect(dsn) as conn:
        record = Record(conn=conn, catalogue=catalogue, folder=tmp_path)
        record.both()
        record.boot(head(2), SAME, SCORED)
        explained = record.report()["id"]
        plain = record.report(new=head(2))["id"]
    site = visitor(application(dsn, tmp_path))
    page = read(site, f"/compare?id={explained}")
    assert "Scheduler counters" in page
    rows = re.findall(r'<tr><th scope="row">(\w+)</th><td>(.*?)</td>', page)
    assert [name for name, _ in rows] == ["sched_goidle", "ttwu_local", "pcount"]
    assert {said for _, said in rows} == {"stress-ng-switch, an operation"}
    assert (
        len(re.findall(rf"<td>{ENDS.removeprefix(' %').strip()}</td><td>[35] \+ [35]", page)) == 3
    )
    # Negative control: the other kernel's figure did not change.
    assert "Scheduler counters" not in read(site, f"/compare?id={plain}")


def test_without_observing_boots_of_both_there_is_what_is_always_counted(record: Record) -> None:
    record.both(observed=0)
    assert [(r["counter"], r["observing"]) for r in record.report()["counters"]] == [
        ("pcount", False)
    ]
    record.observe(BASE, SAME[:3])
    assert record.named() == ["pcount"]
    record.observe(NEW, SLOW[:3], factors={**FOLLOWS, **OTHERWISE})
    assert record.named() == ["sched_goidle", "ttwu_local", "pcount"]


def test_a_benchmark_that_did_not_change_has_none(record: Record) -> None:
    record.both(rates=SAME)
    data = record.report()
    assert [r["verdict"] for r in data["rows"]] == ["UNCHANGED"]
    assert data["counters"] == []


def test_the_same_kernel_twice_has_none(record: Record) -> None:
    """Another commit with the same image: whatever its boots count, only chance is in it."""
    record.both()
    twin = head(3)
    record.boot(twin, SLOW, SCORED, image=BASE)
    record.observe(twin, SLOW[:3], factors=OTHERWISE, image=BASE)
    assert record.named(new=twin) == []


@pytest.mark.parametrize("factor", [0.88, 1.0])
def test_what_follows_the_operations_or_the_time_explains_nothing(
    record: Record, factor: float
) -> None:
    alike = dict.fromkeys((*FOLLOWS, "pcount", "rq_cpu_time", "run_delay"), factor)
    record.boot(BASE, SAME, {})
    record.boot(NEW, SLOW, alike)
    record.observe(BASE, SAME[:3])
    record.observe(NEW, SLOW[:3], factors=alike)
    assert record.named() == []


def test_a_counter_must_differ_by_more_than_boots_of_one_kernel(record: Record) -> None:
    record.both(noise=(0.5, 1.0, 1.7))
    assert record.named() == ["pcount"]


def test_one_boot_of_each_is_judged_by_a_history_of_kernels(record: Record) -> None:
    record.both(observed=1)
    assert record.named() == ["pcount"]
    # Repeating a boot of a deterministic board adds nothing.
    record.observe(NEW, SLOW[:1], factors={**FOLLOWS, **OTHERWISE}, plan="again")
    record.observe(BASE, SAME[:1], plan="again")
    record.observe(BASE, SAME[:1], plan="and again")
    assert record.named() == ["pcount"]
    for number in range(4, 10):
        record.observe(head(number), SAME[:1], noise=(NOISE[number % 5],))
    assert record.named() == ["sched_goidle", "ttwu_local", "pcount"]


def test_other_parameters_tools_and_knobs_are_not_mixed(record: Record) -> None:
    record.both(observed=0)
    record.observe(BASE, SAME[:3])
    factors = {**FOLLOWS, **OTHERWISE}
    emulator = {**bundles.EMULATOR, "version": "7.2"}
    unlike: list[dict[str, Any]] = [
        {"knobs": {"sched_features": "NO_NEXT_BUDDY"}},
        {"board": {**bundles.BOARD, "emulator": emulator}},
        {"observes": "profile"},
        {"outcome": "panic", "reason": "Oops"},
    ]
    for n, changes in enumerate(unlike):
        given: dict[str, Any] = {"capture": "v16-on", "observes": OBSERVES, **changes}
        record.boot(NEW, SLOW[:3], factors, first=20 * n, **given)
        assert record.named() == ["pcount"], changes
    # Negative control: without any of them.
    record.observe(NEW, SLOW[:3], factors=factors, first=90)
    assert record.named() == ["sched_goidle", "ttwu_local", "pcount"]


@pytest.mark.parametrize(("ticks", "found"), [(100, False), (250, True)])
def test_a_second_is_a_second_whatever_the_kernels_hz(
    record: Record, ticks: int, found: bool
) -> None:
    """A kernel of 100 Hz whose counters follow the time; with 250 jiffies they would not."""
    alike = dict.fromkeys((*FOLLOWS, "pcount", "rq_cpu_time", "run_delay"), 1.0)
    record.boot(BASE, SAME, {})
    record.observe(BASE, SAME[:3])
    record.hz, record.ticks = 100, ticks
    record.boot(NEW, SLOW, alike)
    record.observe(NEW, SLOW[:3], factors=alike)
    assert bool(record.named()) == found


def test_counters_of_an_unknown_version_are_said_and_not_read(
    cluster: str, template: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    dsn = fresh_database(cluster, template)
    with database.connect(dsn) as conn:
        record = Record(conn=conn, catalogue=catalogue, folder=tmp_path)
        record.both()
        known = record.report()
        for file in tmp_path.glob("runs/*/raw/schedstat-*.txt"):
            file.write_bytes(file.read_bytes().replace(b"version 16", b"version 18", 1))
        counter_data._counted.cache_clear()
        data = record.report()
    why = "schedstat-before.txt:1: this is version 18 of /proc/schedstat; known are 15, 16, 17"
    said = f"the scheduler counters of 16 boots were not read: {why}"
    assert [note for note in known["notes"] if "counters" in note] == []
    assert data["counters"] == []
    assert said in data["notes"]
    assert said in " ".join(text.render(data).split())
    assert said in read(visitor(application(dsn, tmp_path)), f"/compare?id={data['id']}")


# The capture's 12 migrations differ by chance alone as much.
MIGRATIONS = {"cpu-migrations": 100.0}
MORE_MIGRATIONS = {"cpu-migrations": 160.0, "context-switches": 0.88, "page-faults": 0.88}
FEW_MORE = {**MORE_MIGRATIONS, "cpu-migrations": 1.6}


def counted_by_perf(
    record: Record,
    board: Mapping[str, Any],
    new: Mapping[str, float] | str,
    base: Mapping[str, float] = MIGRATIONS,
) -> Any:
    """Return the report where only events of perf may differ, of boots on a board."""
    kind = record.catalogue.board_type(SMALL)
    kinds = {
        **record.catalogue.board_types,
        SMALL: evolve(kind, deterministic=board["deterministic"]),
    }
    record.catalogue = evolve(record.catalogue, board_types=kinds)
    record.boot(BASE, SAME, {}, board=board)
    record.boot(NEW, SLOW, dict.fromkeys(("pcount", "rq_cpu_time", "run_delay"), 0.88), board=board)
    record.observe(BASE, SAME, board=board, events=base)
    record.observe(NEW, SLOW, factors=FOLLOWS, board=board, events=new)
    return record.report()


def test_what_perf_counts_beside_them_stands_with_them(record: Record) -> None:
    data = counted_by_perf(record, SCATTERS, MORE_MIGRATIONS)
    [row] = data["counters"]  # what follows the operations explains nothing
    assert (row["counter"], row["unit"], row["per"]) == ("cpu-migrations", "events", "operation")
    assert (row["observing"], row["n_base"], row["n_new"]) == (True, 5, 5)
    assert row["effect"] == pytest.approx(1.6 / 0.88 - 1, rel=0.01)
    assert row["low"] < row["effect"] < row["high"]
    lines = short.render(data).splitlines()
    at = next(n for n, line in enumerate(lines) if "n 5 + 5 observing boots" in line)
    assert re.fullmatch(rf"    cpu-migrations +[\d.]+ +[\d.]+ +\+8\d\.\d\d{ENDS}", lines[at + 1])
    assert [note for note in data["notes"] if "perf" in note] == []


def test_as_few_as_chance_brings_are_not_named(record: Record) -> None:
    assert counted_by_perf(record, SCATTERS, FEW_MORE, {})["counters"] == []


def test_a_deterministic_board_has_none_of_it(record: Record) -> None:
    data = counted_by_perf(
        record, bundles.BOARD, f"{kernel_events.NOTHING} it is not on this board"
    )
    assert data["counters"] == []
    assert [note for note in data["notes"] if "perf" in note] == []


def test_where_perf_could_not_count_the_report_says_why(record: Record) -> None:
    said = f"{kernel_events.NOTHING} Error: the \x1b[31mkernel has no perf_event_open\n"
    data = counted_by_perf(record, SCATTERS, said)
    assert data["counters"] == []
    [note] = [note for note in data["notes"] if "perf" in note]
    assert note == (
        "perf's events of 5 boots were not read: perf-stat.txt:1: perf counts no events here:"
        " Error: the [31mkernel has no perf_event_open"
    )


def test_boots_from_before_perf_counted_say_nothing_of_it(record: Record) -> None:
    record.both()
    assert record.named() == ["sched_goidle", "ttwu_local", "pcount"]
    assert [note for note in record.report()["notes"] if "perf" in note] == []


def test_bundles_that_are_gone_are_as_if_never_there(record: Record) -> None:
    record.both()
    assert record.named()
    for folder in (record.folder / "runs").iterdir():
        shutil.rmtree(folder)
    counter_data._counted.cache_clear()
    assert record.named() == []
