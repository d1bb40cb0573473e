# SPDX-License-Identifier: GPL-2.0-only
"""Reader of oslat's output, rt-tests 2.4 to 2.6: its JSON file and its text.

A bucket's name is the whole microsecond at which it ends: bucket 1 holds what took less
than 1 us.  The tool reckons its own mean with these names, and so does this reader.  Its
last bucket holds everything longer as well, so all of it is given as overflow.
rt-tests 2.5 and 2.6 round up twice and count nearly all samples a bucket higher.
"""

from __future__ import annotations

import getopt
import re
from collections.abc import Callable, Mapping, Sequence

from attrs import frozen

from vlag.errors import ParseError
from vlag.model import Direction, Histogram, ParsedOutput, Quantity
from vlag.parsers import rt_tests
from vlag.parsers.jsonfile import JsonFile, load
from vlag.parsers.lines import Line, lines
from vlag.parsers.settings import COMMAND_LINE, Setting, seconds

TOOL = "oslat"

QUANTITIES: Mapping[str, Quantity] = {"latency": Quantity(unit="us", direction=Direction.LOWER)}

DEFAULTS: Sequence[str] = ()

SETTINGS: Mapping[str, Setting] = {
    "options": COMMAND_LINE,
    "duration": Setting(r"^Total runtime:[ \t]+(\S.*)$", seconds),
    "priority": Setting(r"^Thread priority:[ \t]+(\S.*)$"),
    "cpus": Setting(r"^CPU list:[ \t]+(\S.*)$"),
    "workload": Setting(r"^Workload:[ \t]+(\S.*)$"),
    "workload_memory": Setting(r"^Workload mem:[ \t]+(\S.*)$"),
    "bias": Setting(r"^Global bias set to (.+)$"),
}

_BUCKETS = 32  # of a run without --bucket-size
_DURATION_S = 1  # of a run without --duration
_MAXIMUM = 10**15  # of a count or a latency; a larger value is damaged
# A run of a second ends up to 2 % early or late; an interrupted one ends "well" too.
_SHORTEST = 0.9

_WORDS_MAX = 500  # of a command line: reading options takes time with the square of them
_SHORT = "b:Bc:C:D:f:hm:qsw:W:T:vz"
_LONG = [
    "bias", "bucket-size=", "bucket-width=", "cpu-list=", "cpu-main-thread=", "duration=", "help",
    "json=", "quiet", "rtprio=", "single-preheat", "trace-threshold=", "version", "workload=",
    "workload-mem=", "zero-omit",
]  # fmt: skip
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
# --duration=90  -D 20m
_TIME = re.compile(r"(?P<count>[1-9]\d{0,8})(?P<unit>[smhdSMHD]?)", re.ASCII)
_DIGITS = re.compile(r"[1-9]\d{0,8}", re.ASCII)

# oslat V 2.40
_VERSION = re.compile(r"oslat V (?P<version>\d{1,3}\.\d\d)", re.ASCII)
_VERSION_BYTES = re.compile(rb"^oslat V \d+\.\d\d\r*$", re.M)
# Total runtime: 		2 seconds
_RUNTIME = re.compile(r"Total runtime: \t\t(?P<seconds>\d{1,9}) seconds", re.ASCII)

# Global bias set to 1 (us)
_BIAS = re.compile(r"Global bias set to (?P<bias>\d{1,9}) \(us\)", re.ASCII)

#         Core:	 0 1
# Counter Freq:	 2304 2304 (Mhz)
#     001 (us):	 75720322 14163911
#     032 (us):	 86 140 (including overflows)
#     Duration:	 1.005 1.014 (sec)
_FIELD = re.compile(
    r" *(?P<label>[A-Z][A-Za-z -]{2,12}|\d{3,9} \(us\)):\t"
    r"(?P<values>(?: \d{1,16}(?:\.\d{3})?)+)(?P<end> \([A-Za-z ]{2,20}\))?",
    re.ASCII,
)
_GAP = "    ..."  # replaces empty buckets with --zero-omit
_BUCKET_END = " (us)"
_LAST_BUCKET = " (including overflows)"
_END = " (sec)"
_BELOW = ("Minimum", "Average", "Maximum", "Max-Min", "Duration")
# Beginning of a line that is one of the fields, whatever follows.
_BEGIN = re.compile(
    r" *(?:Core|Counter Freq|Minimum|Average|Maximum|Max-Min|Duration)\b| +\d| *\d+ \(us\)"
)


@frozen(kw_only=True)
class _Core:
    """What one core's thread counted."""

    name: int
    buckets: Mapping[int, int]  # name of a bucket -> samples, the last one included
    minimum: int
    maximum: int
    duration_s: float


def _fault(core: _Core, limit: int, runtime_s: int | None) -> str | None:
    """Return what is wrong with a core's figures, or None."""
    hit = [bucket for bucket, samples in core.buckets.items() if samples]
    if not hit:
        return f"core {core.name} took no sample"
    if max(hit) > limit or max(core.buckets.values()) > _MAXIMUM or core.maximum > _MAXIMUM:
        return f"core {core.name} has samples beyond the last bucket of {limit} us, or too many"
    # rt-tests 2.4 names a latency by the bucket's end, later ones by its beginning.
    highest = max(hit)
    if core.maximum < highest - 1 or (highest < limit and core.maximum > highest):
        return (
            f"core {core.name} has a maximum of {core.maximum} us, its highest bucket is {highest}"
        )
    if core.minimum > min(hit):
        return (
            f"core {core.name} has a minimum of {core.minimum} us, its lowest bucket is {min(hit)}"
        )
    if runtime_s is not None and core.duration_s < _SHORTEST * runtime_s:
        return f"oslat was stopped after {core.duration_s:.3f} of {runtime_s} s"
    return None


def _parsed(
    cores: Sequence[_Core],
    limit: int,
    runtime_s: int | None,
    version: str,
    error: Callable[[str], ParseError],
) -> ParsedOutput:
    for core in cores:
        fault = _fault(core, limit, runtime_s)
        if fault is not None:
            raise error(fault)
    if len({core.name for core in cores}) < len(cores):
        raise error("a core appears twice")
    bounds = sorted(
        {b for core in cores for b, samples in core.buckets.items() if samples and b < limit}
    )
    latency = Histogram(
        metric="latency",
        bounds=tuple(bounds),
        counts=[[core.buckets.get(bound, 0) for bound in bounds] for core in cores],
        overflow=tuple(core.buckets.get(limit, 0) for core in cores),
        limit=limit,
        maximum=tuple(float(core.maximum) for core in cores),
        instances=tuple(str(core.name) for core in cores),
    )
    return ParsedOutput(
        tool=TOOL,
        benchmark=TOOL,
        tool_version=version,
        defaults={},
        samples=(),
        histograms=(latency,),
    )


def _options(file: JsonFile, cmdline: str) -> tuple[int, int]:
    """Return the number of buckets and the seconds that the command line asks for."""
    limit, seconds = _BUCKETS, _DURATION_S
    words = cmdline.split()[1:]
    if len(words) > _WORDS_MAX:
        raise file.error(f"the command line has {len(words)} words", "cmdline:")
    try:
        options, _ = getopt.gnu_getopt(words, _SHORT, _LONG)
    except getopt.GetoptError as error:
        raise file.error(f"the command line cannot be read: {error}", "cmdline:") from None
    for name, word in options:
        if name in ("-b", "--bucket-size"):
            if not _DIGITS.fullmatch(word):
                raise file.error(f"--bucket-size is '{word}'", "cmdline:")
            limit = int(word)
        elif name in ("-D", "--duration"):
            time = _TIME.fullmatch(word)
            if time is None:
                raise file.error(f"--duration is '{word}' where a time must stand", "cmdline:")
            seconds = int(time["count"]) * _SECONDS[time["unit"].lower()]
        elif name in ("-B", "--bias"):
            raise file.error(
                "the file does not say how far --bias moved the buckets; keep the text instead",
                "cmdline:",
            )
        elif name in ("-W", "--bucket-width"):
            raise file.error(
                "buckets of 1 us are read, no others; run oslat without --bucket-width", "cmdline:"
            )
    return limit, seconds


def _json(data: bytes, path: str) -> ParsedOutput:
    file, whole = load(data, path=path, remedy="run oslat with --json")
    cmdline, version = rt_tests.header(file, whole)
    limit, seconds = _options(file, cmdline)
    cores = []
    for k, thread in enumerate(rt_tests.threads(file, whole)):
        above = ("thread", str(k))
        histogram = rt_tests.part(file, thread, "histogram", *above)
        for bucket in histogram:
            if not _DIGITS.fullmatch(bucket):
                raise file.error(
                    f"the bucket '{bucket[:20]}' is not a whole number of microseconds",
                    *above,
                    "histogram",
                    bucket,
                )
        duration = thread.get("duration")
        if type(duration) not in (int, float) or not 0 <= duration <= _MAXIMUM:  # type: ignore[operator]
            raise file.error("'duration' must be a number of 0 or more", *above, "duration")
        cores.append(
            _Core(
                name=file.integer(thread, "cpu", *above),
                buckets={
                    int(b): file.integer(histogram, b, *above, "histogram") for b in histogram
                },
                minimum=file.integer(thread, "min", *above),
                maximum=file.integer(thread, "max", *above),
                duration_s=float(duration),  # type: ignore[arg-type]
            )
        )
    return _parsed(cores, limit, seconds, version, lambda sentence: file.error(sentence, "thread"))


@frozen
class _Field:
    """One line of the summary; `values` has one a core."""

    line: int
    label: str
    values: tuple[str, ...]
    end: str


def _fields(own: Sequence[Line]) -> list[_Field]:
    """Return the lines of the summary in their order."""
    fields = []
    for line in own:
        if line.text == _GAP:
            fields.append(_Field(line.number, _GAP, (), ""))
        elif _BEGIN.match(line.text):
            match = _FIELD.fullmatch(line.text)
            if match is None:
                raise line.refuse(f"'{line.text[:80]}' is cut off or of an unknown layout")
            values = tuple(match["values"].split())
            fields.append(_Field(line.number, match["label"], values, match["end"] or ""))
    return fields


def _rows(fields: Sequence[_Field], bias: int, path: str) -> dict[int, tuple[int, ...]]:
    """Return the buckets of the histogram's rows: name -> samples a core, in order."""
    rows: dict[int, tuple[int, ...]] = {}
    last, gap = bias, False
    for field in fields:
        if field.label == _GAP and field is not fields[-1]:
            gap = True
            continue
        digits = field.label.removesuffix(_BUCKET_END)
        if not digits.isdigit() or not all(value.isdigit() for value in field.values):
            raise ParseError(
                f"'{field.label}' appears instead of a bucket", path=path, line=field.line
            )
        bucket = int(digits)
        if bucket <= last or (bucket > last + 1 and not gap):
            raise ParseError(
                f"bucket {bucket} follows bucket {last}: rows are missing or appear twice, or"
                " oslat ran with --bucket-width",
                path=path,
                line=field.line,
            )
        if field.end != (_LAST_BUCKET if field is fields[-1] else ""):
            raise ParseError(
                "the last bucket must be the one that includes overflows",
                path=path,
                line=field.line,
            )
        rows[bucket], last, gap = tuple(map(int, field.values)), bucket, False
    return rows


def _text(data: bytes, path: str) -> ParsedOutput:
    own = lines(data, path)
    rt_tests.ended(own, TOOL)
    versions = [m["version"] for line in own if (m := _VERSION.fullmatch(line.text))]
    runtimes = [int(m["seconds"]) for line in own if (m := _RUNTIME.fullmatch(line.text))]
    biases = [int(m["bias"]) for line in own if (m := _BIAS.fullmatch(line.text))]
    fields = _fields(own)
    labels = [field.label for field in fields]
    end = own[-1].number if own else None
    if len(versions) != 1 or max(len(runtimes), len(biases)) > 1:
        raise ParseError("there must be one line 'oslat V …', that of one run", path=path, line=end)
    if (
        labels[:2] != ["Core", "Counter Freq"]
        or tuple(labels[-5:]) != _BELOW
        or len(labels) < 8
        or fields[-1].end != _END
    ):
        raise ParseError(
            "the output is cut off: the summary from 'Core:' to 'Duration:' is not whole",
            path=path,
            line=end,
        )
    names = fields[0].values
    for field in fields:
        if field.label != _GAP and len(field.values) != len(names):
            raise ParseError(
                f"'{field.label}' has {len(field.values)} values for {len(names)} cores",
                path=path,
                line=field.line,
            )
    rows = _rows(fields[2:-5], sum(biases), path)
    minimum, _, maximum, spread, duration = (field.values for field in fields[-5:])
    if not all(v.isdigit() for v in (*names, *minimum, *maximum, *spread)) or any(
        int(maximum[k]) - int(minimum[k]) != int(spread[k]) for k in range(len(names))
    ):
        raise ParseError(
            "minimum, maximum and their distance do not agree", path=path, line=fields[-2].line
        )
    cores = [
        _Core(
            name=int(name),
            buckets={bucket: samples[k] for bucket, samples in rows.items()},
            minimum=int(minimum[k]),
            maximum=int(maximum[k]),
            duration_s=float(duration[k]),
        )
        for k, name in enumerate(names)
    ]
    runtime = runtimes[0] if runtimes else None
    return _parsed(
        cores,
        max(rows),
        runtime,
        versions[0],
        lambda sentence: ParseError(sentence, path=path, line=fields[0].line),
    )


def recognise(data: bytes) -> bool:
    """Return whether this looks like oslat's output."""
    return rt_tests.recognise(data, TOOL) or _VERSION_BYTES.search(data) is not None


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return how long oslat's busy loops were kept from running.

    One histogram, `latency`, in microseconds with a row a core; `limit` is the last
    bucket, whose samples are all given as `overflow`, and `expected` is None.
    `defaults` is empty, as quiet text names no setting.

    Raises ParseError for a run that failed, was stopped or cut off, for figures that
    contradict each other, and for buckets of another width or, in JSON, with a bias.
    """
    if data.lstrip().startswith(b"{"):
        return _json(data, path)
    return _text(data, path)
