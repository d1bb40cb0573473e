# SPDX-License-Identifier: GPL-2.0-only
"""Reader of ffmpeg's speed: runs of several instances, and one run's `-benchmark` lines.

ffmpeg's own `fps=` is 0 on runs below a second and a running mean elsewhere, so the rate
here is always frames by time.  A file of several instances holds, for each, one line by
whoever ran it and below it what that instance wrote to `-progress`:

    instances 2
    instance 0 frames 240 wall_s 0.981204 cpus 0-1
    frame=240
    ...
    progress=end
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.lines import Line, lines
from vlag.parsers.settings import Setting

TOOL = "ffmpeg"

QUANTITIES: Mapping[str, Quantity] = {
    "total-fps": Quantity(unit="1/s", direction=Direction.HIGHER),
    "fps": Quantity(unit="1/s", direction=Direction.HIGHER),
}

DEFAULTS: Sequence[str] = ("clock", "instances")

SETTINGS: Mapping[str, Setting] = {
    # Input #0, lavfi, from 'testsrc2=size=640x360:rate=30:duration=8':
    "input": Setting(r"^Input #\d+, .+, from '(?:.*/)?([^/']+)':"),
    # Stream #0:0 -> #0:0 (wrapped_avframe (native) -> h264 (libx264))
    "streams": Setting(r"^ *Stream #\S+ -> #\S+ \((.+)\)$"),
}

# instances 2
_INSTANCES = re.compile(r"instances (?P<count>[1-9]\d{0,5})")

# instance 0 frames 240 wall_s 0.981204 cpus 0-1
_INSTANCE = re.compile(
    r"instance (?P<number>\d{1,6}) frames (?P<frames>\d{1,12}) wall_s (?P<wall>\d{1,9}\.\d{2,9})"
    r" cpus (?P<cpus>[\d,-]+)"
)

# frame=240
# progress=continue
_PROGRESS = re.compile(r"(?P<key>[a-z][a-z0-9_]*)=(?P<value>.*)")

# frame=  240 fps=0.0 q=-1.0 Lsize=N/A time=00:00:07.93 bitrate=N/A speed=11.8x
_STATUS = re.compile(
    r"frame= *(?P<frames>\d{1,12}) fps= *\S{1,12} (?:q=\S{1,12} ){0,9}(?P<last>L?)size= *\S{1,20}"
    r" time=\S{1,20} bitrate= *\S{1,20} [^L]{0,60}speed= *\S{1,20}(?: elapsed=\S{1,20})? *"
)

# bench: utime=0.654s stime=0.050s rtime=0.672s
_BENCH = re.compile(r"bench: utime=\d+\.\d{3}s stime=\d+\.\d{3}s rtime=(?P<wall>\d{1,9}\.\d{3})s")

# ffmpeg version 7.1.1-1+b1 Copyright (c) 2000-2025 the FFmpeg developers
_VERSION = re.compile(r"ffmpeg version (?P<version>\S+) Copyright")

# Conversion failed!
# [out#0 @ 0x55851c147640] Error opening output files: Invalid argument
_FAULT = re.compile(r"(?:\[[^]]*\] )?(?:Conversion failed!|Error .*|Exiting normally, received .*)")


@frozen
class _Run:
    """One instance that ran to its end."""

    number: str
    frames: int
    wall_s: float

    @property
    def fps(self) -> float:
        return self.frames / self.wall_s


def _run(number: str, frames: str, wall: str, line: Line) -> _Run:
    run = _Run(number, int(frames), float(wall))
    if run.frames == 0 or run.wall_s == 0:
        raise line.refuse(f"{frames} frames in {wall} s give no rate; let ffmpeg run longer")
    return run


def _instance(read: Sequence[Line], head: re.Match[str]) -> _Run:
    """Return one instance; `read` begins at its own line and ends before the next one."""
    frames: str | None = None
    ended = False
    for line in read[1:]:
        match = _PROGRESS.fullmatch(line.text)
        if match is None:
            continue
        if ended:
            raise line.refuse(f"instance {head['number']} goes on after its progress=end")
        if match["key"] == "frame":
            frames = match["value"]
        ended = match["key"] == "progress" and match["value"] == "end"
    if not ended:
        raise read[0].refuse(
            f"instance {head['number']} did not end well: its progress=end is missing"
        )
    if frames != head["frames"]:
        raise read[0].refuse(
            f"instance {head['number']} made {frames} frames by its progress, {head['frames']} by"
            " its own line"
        )
    return _run(head["number"], head["frames"], head["wall"], read[0])


def _instances(read: Sequence[Line], count: int) -> list[_Run]:
    """Return the `count` instances of the file."""
    heads: list[tuple[int, re.Match[str]]] = []
    for k, line in enumerate(read):
        match = _INSTANCE.fullmatch(line.text)
        if match is not None:
            heads.append((k, match))
        elif line.text.startswith("instance "):
            raise line.refuse(f"'{line.text[:80]}' is cut off or says that an instance failed")
    numbers = [match["number"] for _, match in heads]
    if numbers != [str(k) for k in range(count)]:
        raise read[-1].refuse(
            f"there must be the instances 0 to {count - 1}, there are"
            f" {', '.join(numbers) or 'none'}"
        )
    ends = [k for k, _ in heads[1:]] + [len(read)]
    return [_instance(read[k:end], match) for (k, match), end in zip(heads, ends, strict=True)]


def _benchmark(read: Sequence[Line]) -> list[_Run]:
    """Return the one run of `-benchmark`."""
    frames: re.Match[str] | None = None
    bench: tuple[Line, re.Match[str]] | None = None
    for line in read:
        match = _BENCH.fullmatch(line.text)
        if match is not None and bench is not None:
            raise line.refuse("the line 'bench:' appears twice; one run is expected")
        if match is not None:
            bench = (line, match)
        # The status line is written over and over, with a carriage return before it.
        for status in map(_STATUS.fullmatch, line.text.split("\r")):
            frames = frames if status is None else status
    if bench is None:
        raise read[-1].refuse(
            "ffmpeg says no time: run it with -benchmark, or time each instance and write its"
            " line above its progress"
        )
    line, match = bench
    if frames is None or not frames["last"]:
        raise line.refuse(
            "the last status line before 'bench:' is missing, so the number of frames is unknown"
        )
    return [_run("0", frames["frames"], match["wall"], line)]


def recognise(data: bytes) -> bool:
    """Return whether this looks like ffmpeg's output."""
    return (
        re.search(
            rb"^(?:instance \d+ frames \d+ wall_s |ffmpeg version |bench: utime=|"
            rb"out_time_us=|Stream mapping:)",
            data,
            re.M,
        )
        is not None
    )


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return how many frames per second ffmpeg encoded.

    Samples in 1/s: `fps`, one instance for each parallel ffmpeg process, and
    `total-fps`, their sum.  `defaults` holds the number of `instances` and which `clock`
    the time is from: "wall" is the script's own around each process, "rtime" ffmpeg's.

    Raises ParseError if an instance is missing, did not end or failed, if its frames
    contradict its progress, and if there is no time.
    """
    read = lines(data, path)
    for line in read:
        if _FAULT.match(line.text):
            raise line.refuse(f"ffmpeg did not end well: '{line.text[:80]}'")
    counts = [m for m in (_INSTANCES.fullmatch(line.text) for line in read) if m]
    runs = _instances(read, int(counts[0]["count"])) if counts else _benchmark(read)
    version = next((m for m in (_VERSION.match(line.text) for line in read) if m), None)
    return ParsedOutput(
        tool=TOOL,
        benchmark=TOOL,
        tool_version=None if version is None else version["version"],
        defaults={
            "clock": "wall" if counts else "rtime",
            "instances": str(len(runs)),
        },
        samples=(
            Sample(metric="total-fps", values=(sum(run.fps for run in runs),), instances=("",)),
            Sample(
                metric="fps",
                values=tuple(run.fps for run in runs),
                instances=tuple(run.number for run in runs),
            ),
        ),
        histograms=(),
    )
