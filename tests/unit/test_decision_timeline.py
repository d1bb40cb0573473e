# SPDX-License-Identifier: GPL-2.0-only
"""Timelines of two boots, as other tools read them."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema

from tests.decision_words import trace, wake
from vlag.cli.decisions import write_timelines
from vlag.errors import UsageError
from vlag.profile import (
    decision_course,
    decision_first,
    decision_text,
    decision_timeline,
    ftrace_file,
)
from vlag.profile.decision_first import Pair
from vlag.profile.decision_trace import Trace
from vlag.report import decision_files

A, B, IDLE = 1, 2, 0
#: Both tasks of one name; the one that was born first is of number 2.
NAMES = {A: "pipe#2", B: "pipe#1"}
SWITCHES = 200  # more than a page of a ring buffer has


def boot(first: int, *, preempts: bool, gap: int = 1000) -> Trace:
    """Two tasks take turns; the wake-up in the middle preempts, or does not."""
    words = [f"s0.{first:x}.{IDLE:x}.{A:x}.0.0"]
    at, runs = first, A
    for n in range(SWITCHES):
        at += gap if n == SWITCHES // 2 else 1000
        other = B if runs == A else A
        if n == SWITCHES // 2:
            words += wake(at, B, preempts=preempts)
        words.append(f"s0.{at:x}.{runs:x}.{other:x}.1.0")
        runs = other
    return trace(*words, f"s0.{at + 1000:x}.{runs:x}.{IDLE:x}.1.0", "n0.0.1")


def slices(data: bytes) -> Iterator[tuple[str, str, int, int]]:
    """Yield process and track, task, begin and end of what is drawn as a bar."""
    packets = schema.Trace.FromString(data).packet
    described = {p.track_descriptor.uuid: p.track_descriptor for p in packets
                 if p.HasField("track_descriptor")}  # fmt: skip
    names = {n.iid: n.name for p in packets for n in p.interned_data.event_names}
    open_: dict[int, tuple[str, int]] = {}
    for packet in packets:
        event = packet.track_event
        if event.type == schema.TrackEvent.TYPE_SLICE_BEGIN:
            assert event.track_uuid not in open_
            open_[event.track_uuid] = names[event.name_iid], packet.timestamp
        elif event.type == schema.TrackEvent.TYPE_SLICE_END:
            task, begin = open_.pop(event.track_uuid)
            track = described[event.track_uuid]
            process = described[track.parent_uuid].process.process_name
            yield f"{process}, {track.name}", task, begin, packet.timestamp
    assert not open_


def instants(data: bytes, track: str) -> list[tuple[int, str, list[str]]]:
    packets = schema.Trace.FromString(data).packet
    uuids = {p.track_descriptor.uuid for p in packets if p.track_descriptor.name == track}
    names = {n.iid: n.name for p in packets for n in p.interned_data.event_names}
    return [
        (p.timestamp, names[p.track_event.name_iid],
         [note.string_value for note in p.track_event.debug_annotations])
        for p in packets
        if p.track_event.track_uuid in uuids
        and p.track_event.type == schema.TrackEvent.TYPE_INSTANT
    ]  # fmt: skip


def written(folder: Path, base: Trace, new: Trace) -> dict[str, Path]:
    pair = Pair(seed=3, base=base, new=new)
    shown = decision_timeline.timeline(pair)
    found = decision_files.write(folder, pair, shown, base="v6.12", new="v6.13")
    return {p.name: p for p in found}


def test_perfetto_has_each_turn_of_both_kernels_side_by_side(tmp_path: Path) -> None:
    base, new = boot(5_000, preempts=True), boot(77_000, preempts=False)
    files = written(tmp_path, base, new)
    data = files["seed-3.perfetto-trace"].read_bytes()
    drawn = list(slices(data))
    turns = Counter(track for track, *_ in drawn)
    bars = SWITCHES + 1  # the CPU is idle before and after
    assert turns == {"base: v6.12, CPU 0": bars, "new: v6.13, CPU 0": bars}
    assert {task for _, task, *_ in drawn} == set(NAMES.values())
    # The first difference is at one time, which is the base kernel's own.
    found = decision_timeline.timeline(Pair(seed=3, base=base, new=new)).differences[0]
    ((at, words, notes), *_) = instants(data, "the first of each task and CPU")
    assert at == found.base.at
    assert words == f"the 1st wake-up of {NAMES[B]} that may preempt, while {NAMES[A]} runs"
    assert notes == ["base: preempts; new: does not preempt"]
    checks = instants(data, "CPU 0: checks for preemption")
    assert [when for when, *_ in checks] == [at, at]
    # Negative control: with one switch fewer there is a bar less.
    events = [e for e in base.events if e.kind == "s"]
    less = trace(*[w for w in _words(base) if not w.startswith(f"s0.{events[5].at:x}.")], "n0.0.1")
    other = written(tmp_path, less, new)["seed-3.perfetto-trace"].read_bytes()
    assert Counter(t for t, *_ in slices(other))["base: v6.12, CPU 0"] == bars - 1


def _words(shown: Trace) -> list[str]:
    numbers = {name: number for number, name in {**NAMES, IDLE: "swapper/0"}.items()}
    words = []
    for e in shown.events:
        if e.kind == "s":
            words.append(
                f"s{e.cpu}.{e.at:x}.{numbers[e.task]:x}.{numbers[e.other]:x}.{e.value:x}.0"
            )
    return words


def test_where_no_decision_differs_both_begin_at_one_time(tmp_path: Path) -> None:
    base, new = boot(5_000, preempts=True), boot(77_000, preempts=True)
    files = written(tmp_path, base, new)
    assert set(files) == {"seed-3.perfetto-trace", "seed-3-base.dat", "seed-3-new.dat"}
    drawn = list(slices(files["seed-3.perfetto-trace"].read_bytes()))
    begins = [min(b for t, _, b, _ in drawn if t.startswith(side)) for side in ("base", "new")]
    assert begins[0] == begins[1]


def report(file: Path) -> list[str]:
    """Return what trace-cmd itself reads."""
    done = subprocess.run(
        ["trace-cmd", "report", "-t", file], capture_output=True, text=True, check=True
    )
    assert "FIND FIELD" not in done.stdout, done.stdout[:500]
    return [line for line in done.stdout.splitlines() if ": sched_" in line]


#: A gap that fits into an event, one that does not, and one of an hour.
@pytest.mark.parametrize("gap", [1000, 1 << 27, 3_600_000_000_000])
def test_trace_cmd_reads_each_switch_and_its_time(tmp_path: Path, gap: int) -> None:
    shown = boot(5_000, preempts=True, gap=gap)
    file = tmp_path / "trace.dat"
    file.write_bytes(ftrace_file.ftrace(shown))
    lines = report(file)
    assert [ns(line) for line in lines if "sched_switch" in line] == [
        e.at for e in shown.events if e.kind == "s"
    ]
    (wakeup,) = [line for line in lines if "sched_wakeup" in line]
    assert "pipe:7 [-1] CPU:000" in wakeup
    # Both have one name for the kernel, and are told apart by their pids.
    said = {m[0] for line in lines for m in re.finditer(r"pipe:\d+", line)}
    assert said == {"pipe:9", "pipe:7"}
    # Negative control: a file that is cut off does not have them all.
    file.write_bytes(file.read_bytes()[:-4096])
    assert len(report_or_nothing(file)) < len(lines)


def ns(line: str) -> int:
    (seconds,) = re.findall(r" (\d+\.\d{9}): ", line)
    whole, _, rest = seconds.partition(".")
    return int(whole) * 1_000_000_000 + int(rest)


def report_or_nothing(file: Path) -> Sequence[str]:
    done = subprocess.run(
        ["trace-cmd", "report", file], check=False, capture_output=True, text=True
    )
    return [line for line in done.stdout.splitlines() if ": sched_" in line]


def test_the_picture_has_both_kernels_around_the_difference(tmp_path: Path) -> None:
    base, new = boot(5_000, preempts=True), boot(77_000, preempts=False)
    text = written(tmp_path, base, new)["seed-3.svg"].read_text()
    said = ElementTree.fromstring(text).find(  # noqa: S314 - made here
        "{http://www.w3.org/2000/svg}desc"
    )
    assert said is not None
    assert said.text is not None
    rows = dict(row.split(": ") for row in said.text.split("; "))
    assert list(rows) == ["base, CPU 0", "new, CPU 0"]
    # A quarter of the room is before it: 12 switches behind it, 4 before.
    assert all(len(row.split(", ")) == pytest.approx(17, abs=2) for row in rows.values())


def test_what_is_next_to_the_difference_is_of_one_time_and_so_many_turns() -> None:
    pair = Pair(seed=3, base=boot(5_000, preempts=True), new=boot(77_000, preempts=False))
    whole = decision_timeline.timeline(pair)
    cut = decision_timeline.near(whole, 40)
    at = whole.differences[0].base.at + whole.base.shift
    for side in (cut.base, cut.new):
        ends = [run.end + side.shift for run in side.runs]
        assert len(ends) == pytest.approx(40, abs=2)
        assert sum(end <= at for end in ends) == pytest.approx(10, abs=2)
        assert len(side.checks) == 1
    assert cut.differences == whole.differences[:1]
    # Negative control: a bound that no boot reaches leaves all.
    assert decision_timeline.near(whole, 2000) == whole


def test_a_pair_finds_out_once_how_its_boots_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Trace] = []

    def course(trace: Trace) -> decision_course.Course:
        asked.append(trace)
        return decision_course.course(trace)

    monkeypatch.setattr(decision_first, "course", course)
    pair = Pair(seed=3, base=boot(5_000, preempts=True), new=boot(77_000, preempts=False))
    shown = decision_timeline.timeline(pair)
    answer = decision_text.answer(pair, shown, rows=8)
    assert asked == [pair.base, pair.new]
    assert answer["around"] == decision_timeline.around(shown)


def test_a_folder_that_cannot_be_written_to_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = Pair(seed=3, base=boot(16, preempts=True), new=boot(16, preempts=False))
    shown = decision_timeline.timeline(pair)
    write_timelines(tmp_path / "new", pair, shown, ("v6.12", "v6.13"))
    said = [line.partition(" ")[2] for line in capsys.readouterr().err.splitlines()]
    assert said == [f"wrote {p}" for p in sorted((tmp_path / "new").iterdir(), key=_in_order)]
    taken = tmp_path / "file"
    taken.touch()
    below = taken / "below"
    with pytest.raises(UsageError, match=f"^--timelines {below}: Not a directory; give a folder"):
        write_timelines(below, pair, shown, ("v6.12", "v6.13"))


def _in_order(path: Path) -> tuple[bool, bool, str]:
    """As they are written: Perfetto's first, the picture last."""
    return path.suffix == ".svg", path.suffix == ".dat", path.name
