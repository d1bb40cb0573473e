# SPDX-License-Identifier: GPL-2.0-only
"""`vlag schedstat`: compare /proc/schedstat counters of two runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vlag.cli.command import FORMAT, emit, one_sentence
from vlag.errors import UsageError

if TYPE_CHECKING:
    from vlag.schedstat.interval_difference import Side


@click.group()
def schedstat() -> None:
    """Compare the counters of /proc/schedstat."""


@schedstat.command()
@click.argument("a", required=False)
@click.argument("b", required=False)
@click.option("--perf-diff", type=click.Path(path_type=Path), help="Text of perf sched stats diff.")
@click.option("--versions", metavar="A,B", help="Versions of /proc/schedstat behind --perf-diff.")
@click.option("--hz", type=click.IntRange(1, 10000), help="CONFIG_HZ of both kernels.")
@FORMAT
@one_sentence
def diff(
    a: str | None,
    b: str | None,
    perf_diff: Path | None,
    versions: str | None,
    hz: int | None,
    form: str,
) -> None:
    """Compare the counters of B with those of A, field by field.

    A and B are each BEFORE..AFTER (two copies of /proc/schedstat), a folder that holds
    schedstat-before.txt and schedstat-after.txt (as a run bundle does), or the text of
    `perf sched stats report`. Instead of A and B, --perf-diff reads the text of `perf sched
    stats diff` and corrects the field names of its second column.
    """
    from vlag.schedstat import interval_difference, perf
    from vlag.schedstat.interval_difference import Side

    if perf_diff is not None:
        match = re.fullmatch(r"(\d+),(\d+)", versions or "")
        if a is not None or match is None:
            raise UsageError("--perf-diff takes --versions, as in 15,17, and neither A nor B")
        both = (int(match[1]), int(match[2]))
        counted = perf.diff(_bytes(perf_diff), both, path=str(perf_diff))
        sides = [
            Side(source=f"{perf_diff} COUNT{i}", counts=counts, hz=hz)
            for i, counts in enumerate(counted, start=1)
        ]
    else:
        if a is None or b is None or versions is not None:
            raise UsageError("give A and B, or --perf-diff with --versions")
        sides = [_side(x, hz) for x in (a, b)]
    data = interval_difference.diff(*sides)
    emit(form, data, interval_difference.render(data) if form == "text" else "")


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, IsADirectoryError) as e:
        raise UsageError(f"{path}: {e.strerror}") from e


def _side(operand: str, hz: int | None) -> Side:
    """Read an operand; raise UsageError if it cannot be compared."""
    from vlag.parsers import schedstat as counters
    from vlag.schedstat import perf
    from vlag.schedstat.interval_difference import Side

    path = Path(operand)
    if path.is_file():
        data = _bytes(path)
        if re.match(rb"version \d", data):
            raise UsageError(f"{path} is one snapshot, which counts since boot; give BEFORE..AFTER")
        counts = perf.report(data, path=operand)
        return Side(source=operand, counts=counts, hz=hz)
    before, after = _pair(path)
    counts = counters.between(
        counters.read(_bytes(before), path=str(before)),
        counters.read(_bytes(after), path=str(after)),
    )
    return Side(source=operand, counts=counts, hz=hz or _hz_of(after))


def _pair(operand: Path) -> tuple[Path, Path]:
    """Return the two snapshots that a folder holds or that BEFORE..AFTER names."""
    from vlag.parsers.schedstat import AFTER, BEFORE

    if operand.is_dir():
        for folder in (operand, operand / "raw"):
            if (folder / BEFORE).is_file():
                return folder / BEFORE, folder / AFTER
        raise UsageError(f"{operand} holds no {BEFORE}")
    text = str(operand)
    # Paths may hold ".." themselves.
    splits = [(Path(text[: m.start()]), Path(text[m.start() + 2 :]))
              for m in re.finditer(r"(?=\.\.)", text)]  # fmt: skip
    pairs = [(x, y) for x, y in splits if x.is_file() and y.is_file()]
    if len(pairs) != 1:
        raise UsageError(f"{operand}: no such folder or file; two snapshots are BEFORE..AFTER")
    return pairs[0]


def _hz_of(snapshot: Path) -> int | None:
    """Return CONFIG_HZ of the kernel that a run's bundle measured, or None.

    Its build is in the same state folder as the bundle; the digest of the config identifies it.
    """
    from vlag.bundle import sha256
    from vlag.kernel import kconfig

    run = snapshot.absolute().parent.parent / "run.json"
    if not run.is_file():
        return None
    try:
        document = json.loads(run.read_bytes())
        kernel, digest = str(document["kernel"]["digest"]), document["config_sha256"]
    except (ValueError, KeyError, TypeError):
        return None
    if len(run.parents) < 4 or not re.fullmatch(r"[0-9a-f]{64}", kernel):
        return None
    for config in run.parents[3].glob(f"builds/{kernel[:16]}/*/config"):
        if sha256(config) == digest:
            return kconfig.hz(kconfig.options(config.read_text("utf-8")))
    return None
