# SPDX-License-Identifier: GPL-2.0-only
"""Settings that a tool's output prints: read, and files of unlike settings not compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from release import parser_settings
from tests.unit.captures import CAPTURES, expected, figures, parsed
from tests.unit.compared_files import answer
from vlag.errors import ParseError
from vlag.model import Verdict
from vlag.parsers import PARSERS, parse
from vlag.parsers.settings import Setting, options, seconds

GOOD = [c for c in CAPTURES if "refused" not in expected(c)]

#: Tool and what of it -> a capture, and lines of it that change together with one setting among
#: its defaults.
UNLIKE = {
    "hackbench": ("2.4-pipe.txt", [("messages of 100 bytes", "messages of 200 bytes")]),
    "perf-bench": ("6.1-messaging.txt", [("# 2 groups == 80", "# 3 groups == 120")]),
    "perf-bench epoll wait": ("6.1-epoll-wait.txt", [("on 64 file", "on 32 file")]),
    "perf-bench epoll ctl": ("6.12-epoll-ctl.txt", [("for 1 secs.", "for 2 secs.")]),
    "perf-bench numa": ("6.1-numa-mem.txt", [("--thp 1", "--thp 0")]),
    "perf-bench numa, quiet": ("6.1-numa-quiet.txt", [("-P 16 -l 5", "-P 16 -l 6")]),
    "perf-bench futex hash": ("6.1-futex-hash.txt", [("1024 [private]", "1024 [shared]")]),
    "perf-bench futex lock-pi": ("6.12-futex-lock-pi.txt", [("for 1 secs.", "for 2 secs.")]),
    "perf-bench futex wake": ("6.1-futex-wake.txt", [("up 1 at", "up 2 at")]),
    "perf-bench futex wake-parallel": (
        "6.1-futex-wake-parallel.txt", [("2 threads waking up", "4 threads waking up")],
    ),
    "perf-bench futex requeue": ("6.12-futex-requeue.txt", [("1 at a time", "4 at a time")]),
    "sysbench": ("1.0.20-cpu.txt", [("Prime numbers limit: 10000", "Prime numbers limit: 20000")]),
    "tbench": ("4.00.txt", [("Running for 2", "Running for 3")]),
    "tbench clients": (
        "4.00.txt", [("2 clients  2 procs", "4 clients  2 procs")],
    ),
    "tbench load": ("4.00.txt", [("/client.txt", "/other.txt")]),
    "tbench warmup": ("4.00.txt", [("warmup 0", "warmup 5")]),
    "will-it-scale": ("2024-board.txt", [("via pipes", "via sockets")]),
    "netperf": ("2.7.1-table.txt", [("first burst 0", "first burst 4")]),
    "netperf request": ("2.7.1-bound.txt", [("131072 64  ", "131072 99  ")]),
    "netperf options": ("2.7.1-bound.txt", [(" : cpu bind", "")]),
    "netperf keys": ("2.7.1-udp-keys.txt", [("RESPONSE_SIZE=1", "RESPONSE_SIZE=2")]),
    "unixbench": ("6.0.0-context1-board.txt", [("context1 2", "context1 3")]),
    "unixbench copies": ("6.0.0-report.txt", [("running 2 parallel", "running 3 parallel")]),
    "unixbench samples": ("6.0.0-report.txt", [("(10.0 s, 1 samples)", "(10.0 s, 7 samples)")]),
    "kernbench": ("6.1-builds.txt", [("-j2", "-j4")]),
    "kernbench files": ("6.1-builds.txt", [("FILES=4", "FILES=5")]),
    "kernbench source": ("6.1-builds.txt", [("6.1.192", "6.1.193")]),
    "kernbench compiler": ("6.1-builds.txt", [(") 12.2.0", ") 12.3.0")]),
    "kernbench load": ("0.42-optimal.txt", [("Optimal load -j 2", "Half load -j 2")]),
    "uperf": ("1.0-raw.txt", [("Starting 1 threads", "Starting 2 threads")]),
    "schbench": ("git-text.txt", [("runtime 3 (s)", "runtime 4 (s)")]),
}  # fmt: skip
#: Tools whose output tells nothing of how they were run but what names the figures.
SILENT = {"perf-c2c", "return-probe", "wakeup-trace"}


def cases() -> Iterator[Any]:
    for tool, parser in PARSERS.items():
        for name in parser.SETTINGS:
            mine = [c for c in GOOD if c.parent.name == tool]
            printed = next((c for c in mine if name in parsed(f"{tool}/{c.name}").settings), None)
            assert printed is not None, f"no capture of {tool} prints {name}"
            yield pytest.param(tool, name, printed, id=f"{tool}-{name}")


def changed(setting: Setting, data: bytes) -> bytes:
    """Return an output that prints another value of a setting, wherever it prints it."""

    def other(match: re.Match[str]) -> str:
        [group] = [n for n, value in enumerate(match.groups(), 1) if value is not None]
        start, end = (match.span(group)[k] - match.start() for k in (0, 1))
        value, text = match[group], match[0]
        if value.isdigit():
            value = str(int(value) + 1)
        elif match.lastgroup == "list":
            value = f"{value}{value}"
        elif re.fullmatch(r"\d+ seconds?", value):
            value = f"{int(value.split()[0]) + 1} seconds"
        else:
            value = f"{value} -m" if '"cmdline' in text or text.startswith("$") else f"{value}0"
        return text[:start] + value + text[end:]

    text = data.replace(b"\r", b"").decode()
    made, count = re.subn(setting.pattern, other, text, flags=re.M | re.A)
    assert count
    return made.encode()


def rows(folder: Path, one: bytes, other: bytes, suffix: str) -> Any:
    (folder / f"base{suffix}").write_bytes(one)
    (folder / f"new{suffix}").write_bytes(other)
    found = answer([folder / f"base{suffix}"], [folder / f"new{suffix}"], equal_files=True)
    assert found["rows"]
    return found["rows"]


@pytest.mark.parametrize(("tool", "name", "capture"), list(cases()))
def test_another_printed_setting_is_not_comparable(
    tool: str, name: str, capture: Path, tmp_path: Path
) -> None:
    data = capture.read_bytes()
    other = changed(PARSERS[tool].SETTINGS[name], data)
    try:
        new = parse(tool, other, path="new").settings.get(name)
    except ParseError:
        return  # its own figures contradict it: no verdict either
    assert new != parsed(f"{tool}/{capture.name}").settings[name]
    for row in rows(tmp_path, data, other, capture.suffix):
        assert row["verdict"] == Verdict.NOT_COMPARABLE.value
        assert name.replace("_", " ") in row["reason"]
        assert str(new) in row["reason"]
    # Negative control: the same output is comparable.
    assert all(r["verdict"] != "NOT_COMPARABLE" for r in rows(tmp_path, data, data, capture.suffix))


@pytest.mark.parametrize("of", sorted(UNLIKE))
def test_another_default_is_not_comparable(of: str, tmp_path: Path) -> None:
    tool, (name, changes) = of.partition(" ")[0], UNLIKE[of]
    data = next(c for c in GOOD if (c.parent.name, c.name) == (tool, name)).read_bytes()
    other = data
    for old, new in changes:
        assert old.encode() in data
        other = other.replace(old.encode(), new.encode())
    for row in rows(tmp_path, data, other, Path(name).suffix):
        assert row["verdict"] == Verdict.NOT_COMPARABLE.value


def given(tool: str) -> set[str]:
    """Return the names of defaults that the captures of a tool give."""
    outputs = [parsed(f"{tool}/{c.name}") for c in GOOD if c.parent.name == tool]
    return {name for output in outputs for name in output.defaults}


@pytest.mark.parametrize("tool", PARSERS)
def test_a_parser_declares_the_defaults_that_it_gives(tool: str) -> None:
    assert sorted(PARSERS[tool].DEFAULTS) == sorted(given(tool))


def test_a_default_that_no_parser_declares_is_seen() -> None:
    """Negative control."""
    assert "groups" in given("hackbench")
    assert {*PARSERS["hackbench"].DEFAULTS} - {"groups"} != given("hackbench")


def test_the_table_of_the_page_is_that_of_the_declarations() -> None:
    page = parser_settings.PAGE.read_text(encoding="utf-8")
    assert parser_settings.text(page, PARSERS) == page, "run python -m release.parser_settings"
    silent = {t for t, p in PARSERS.items() if not p.SETTINGS and t not in UNLIKE}
    assert silent == SILENT


def test_another_declaration_is_another_table(tmp_path: Path) -> None:
    """Negative control: a setting less, a tool more, and a page without the table."""
    page = parser_settings.PAGE.read_text(encoding="utf-8")
    less = {**PARSERS, "uperf": PARSERS["wakeup-trace"]}
    assert "| uperf | threads |" in page
    assert "| uperf | nothing |" in parser_settings.text(page, less)
    more = {**PARSERS, "dd": PARSERS["sysbench"]}
    assert parser_settings.text(page, more).count("| prime-limit, rate, threads |") == 2
    bare = tmp_path / "page.md"
    bare.write_text("no table\n")
    with pytest.raises(ValueError, match="has 0 tables"):
        parser_settings.write(bare)
    bare.write_text(page.replace("| uperf | threads |\n", ""))
    parser_settings.write(bare)
    assert bare.read_text() == page


def test_what_only_one_side_says_is_not_alike(tmp_path: Path) -> None:
    capture = next(c for c in GOOD if c.name == "0.19.02-pipe.txt")
    data = capture.read_bytes()
    silent = b"".join(
        line for line in data.splitlines(keepends=True) if b"run per stressor" not in line
    )
    for row in rows(tmp_path, data, silent, ".txt"):
        assert row["verdict"] == Verdict.NOT_COMPARABLE.value
        assert "duration 2 s against not given" in row["reason"]
    # What neither says is said.
    (tmp_path / "a.txt").write_bytes(silent)
    (tmp_path / "b.txt").write_bytes(silent + b"\n")
    both = answer([tmp_path / "a.txt"], [tmp_path / "b.txt"], equal_files=True)
    assert "the output does not say duration: taken to be alike in all files" in both["notes"]
    assert all(row["verdict"] != "NOT_COMPARABLE" for row in both["rows"])


def test_who_knows_the_settings_need_not_look_for_them() -> None:
    capture = next(c for c in GOOD if c.name == "0.19.02-pipe.txt")
    data = capture.read_bytes()
    untold = parse("stress-ng", data, path="raw", told=False)
    assert untold.settings == {}
    assert figures(untold) == figures(parse("stress-ng", data, path="raw"))


def test_equal_settings_in_other_words_are_equal() -> None:
    assert seconds("1 min, 30.00 secs") == seconds("90 second") == "90 s"
    assert seconds("1 day, 0.00 secs") == "86400 s"
    assert options("cyclictest -q -t 2 --json=a.json") == options("./cyclictest -t 2") == "-t 2"
    assert options("cyclictest -t 2") != options("cyclictest -t 3")
