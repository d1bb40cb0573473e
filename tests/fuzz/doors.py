# SPDX-License-Identifier: GPL-2.0-only
"""The same content in another form, at the doors where people bring files.

    python -m tests.fuzz.doors --seconds 600

A file that somebody quotes, indents, re-encodes or re-orders still says the same.  Each door gives
the answer of the original then, or refuses the file in one sentence with the status of a user's
mistake; it never gives another answer, and never a traceback.  Prints each fault by its door, file
and form; the exit status is 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click
from attrs import frozen
from click.testing import CliRunner

from tests.fuzz.properties import CAPTURES, EXPECTED
from vlag import ROOT
from vlag.cli.changepoints import changepoints
from vlag.cli.compare import compare
from vlag.cli.parse import parse
from vlag.cli.schedstat import diff
from vlag.errors import ExitCode, VlagError
from vlag.kernel import patch_mail
from vlag.lava import console
from vlag.model import Verdict

#: Inputs as people brought them, rebuilt.
WILD = ROOT / "tests" / "data" / "wild"
COUNTERS = ROOT / "tests" / "data" / "schedstat"
_BOOTS = 3  # of a side, the fewest that get a verdict
_OF_A_VERDICT = ("metric", "statistic", "unit", "base", "new", "verdict", "parameters")
_LARGEST = 30_000  # bytes of a seed: larger ones take long and say no more
_FORMS_AT_ONCE = 3  # of the command

Form = Callable[[str, random.Random], str]


def _each(before: Callable[[int], str]) -> Form:
    return lambda text, _: "\n".join(
        f"{before(n)}{line}" if line else line for n, line in enumerate(text.split("\n"))
    )


def _wrapped(text: str, _: random.Random) -> str:
    lines = text.split("\n")
    return "\n".join(line[at : at + 72] for line in lines for at in range(0, max(1, len(line)), 72))


def _swapped(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


def _time(n: int) -> str:
    return f"10:{n // 60 % 60:02}:{n % 60:02}"


#: Forms of a text that says the same.
FORMS: Mapping[str, Form] = {
    "CRLF": lambda text, _: text.replace("\n", "\r\n"),
    "BOM": lambda text, _: f"\ufeff{text}",
    "quoted": _each(lambda _: "> "),
    "quoted twice": _each(lambda _: "> > "),
    "indented": _each(lambda _: "    "),
    "coloured": _each(lambda _: "\x1b[32m"),
    "CI log": _each(lambda n: f"2026-11-21T{_time(n)}.123456Z "),
    "journal": _each(lambda n: f"Nov 21 {_time(n)} host tool[6575]: "),
    "tabs as spaces": lambda text, _: text.expandtabs(8),
    "blank lines around": lambda text, _: f"\n\n{text}\n\n",
    "no last line feed": lambda text, _: text.rstrip("\n"),
    "spaces at the ends": lambda text, _: text.replace("\n", "  \n"),
    "wrapped": _wrapped,
    "two lines swapped": _swapped,
}
#: Encodings of a text that says the same.
ENCODINGS: tuple[str, ...] = ("utf-8", "utf-8", "utf-8", "utf-8", "utf-16", "utf-16-le", "utf-32")

Answer = object  # of which equal ones are equal


class RefusedError(Exception):
    """A door refused a file as it should."""


@frozen(kw_only=True)
class Door:
    """What a file may be brought to."""

    answer: Callable[[bytes, Path], Answer]  # of a form of a seed; raises RefusedError
    seeds: Callable[[], Iterator[Path]]


def _called(command: click.Command, data: bytes) -> str:
    """Return what a command prints of a file; raise RefusedError where it refuses it."""
    with tempfile.NamedTemporaryFile(prefix="vlag-door-") as file:
        file.write(data)
        file.flush()
        return _run(command, file.name)


def _run(command: click.Command, *words: str) -> str:
    done = CliRunner().invoke(command, [*words, "--format", "json"])
    if done.exit_code == ExitCode.REFUSED and isinstance(done.exception, SystemExit):
        raise RefusedError(done.stderr)
    if done.exception is not None:
        raise done.exception
    return done.stdout


def _figures(data: bytes, _seed: Path) -> Answer:
    """Return the figures without the settings, in no order: instances may have none."""
    rows = json.loads(_called(parse, data))
    kept = ({k: v for k, v in r.items() if k not in {"settings", "instance"}} for r in rows)
    return sorted(json.dumps(row, sort_keys=True) for row in kept)


def _steps(data: bytes, _seed: Path) -> Answer:
    return json.loads(_called(changepoints, data))


def _patches(data: bytes, _seed: Path) -> Answer:
    with tempfile.TemporaryDirectory(prefix="vlag-door-") as folder:
        path = Path(folder) / "thread.mbox"
        path.write_bytes(data)
        try:
            thread = patch_mail.thread(patch_mail.read(path), None)
        except VlagError as e:
            if e.exit_code == ExitCode.REFUSED:
                raise RefusedError(f"vlag: {e}") from None
            raise
    return [(patch.subject, patch.diff.rstrip()) for patch in thread.patches]


def _alarms(data: bytes, _seed: Path) -> Answer:
    lines = data.decode(errors="replace").split("\n")
    return sorted(alarm.kind for alarm in console.read(lines).health)


def _verdicts(data: bytes, seed: Path) -> Answer:
    """Return the verdicts on boots in another form against the same ones as they were written.

    A form whose settings cannot be read is not comparable, which is a refusal.
    """
    with tempfile.TemporaryDirectory(prefix="vlag-door-") as folder:
        sides = {"base": seed.read_bytes(), "new": data}
        names = {
            side: [f"{folder}/{side}-{n}{seed.suffix}" for n in range(_BOOTS)] for side in sides
        }
        for side, content in sides.items():
            for name in names[side]:
                Path(name).write_bytes(content)
        said = _run(compare, "--equal-files", *names["base"], "--", *names["new"])
    rows = json.loads(said)["rows"]
    if any(row["verdict"] == Verdict.NOT_COMPARABLE.value for row in rows):
        raise RefusedError("vlag: not comparable")
    return sorted(json.dumps([row[key] for key in _OF_A_VERDICT]) for row in rows)


def _counters(data: bytes, seed: Path) -> Answer:
    """Return how counters in another form differ from the same ones as they were written."""
    with tempfile.NamedTemporaryFile(prefix="vlag-door-") as file:
        file.write(data)
        file.flush()
        if seed.name.startswith("perf-diff-"):
            versions = ",".join(seed.stem.split("-")[2:4])
            said = _run(diff, "--perf-diff", file.name, "--versions", versions)
        else:
            before = seed.with_name(seed.name.replace("-after", "-before"))
            spans = [f"{before}..{name}" for name in (seed, file.name)]
            said = _run(diff, *([str(seed), file.name] if before == seed else spans))
    return json.loads(said.replace(file.name, "FILE"))


def _snapshots() -> Iterator[Path]:
    yield from COUNTERS.glob("v*-after.txt")
    yield from COUNTERS.glob("perf-*.txt")


def _outputs() -> Iterator[Path]:
    yield from WILD.glob("*.txt")
    yield from WILD.glob("ps-*.csv")
    yield from WILD.glob("*.json")
    yield from (p for p in CAPTURES.glob("*/*") if not p.name.endswith(EXPECTED))


DOORS: Mapping[str, Door] = {
    "changepoints": Door(answer=_steps, seeds=lambda: WILD.glob("cp-*.csv")),
    "compare": Door(answer=_verdicts, seeds=_outputs),
    "console": Door(answer=_alarms, seeds=lambda: WILD.glob("console-*.txt")),
    "mail": Door(answer=_patches, seeds=lambda: WILD.glob("*.mbox")),
    "parse": Door(answer=_figures, seeds=_outputs),
    "schedstat": Door(answer=_counters, seeds=_snapshots),
}
_LAYOUT = {"tabs as spaces", "spaces at the ends", "wrapped", "two lines swapped"}
#: Door -> forms that change what the file says, so that another answer is right.
OTHER_ANSWERS: Mapping[str, set[str]] = {
    "changepoints": {"two lines swapped"},  # without times the order of lines is what counts
    "console": {"wrapped"},  # a message in two halves is none
    "compare": {"two lines swapped"},  # an instance without a name is known by its place
    "schedstat": {"two lines swapped"},  # a domain belongs to the processor above it
    "mail": _LAYOUT,  # a patch is its white space and its lines
}
#: Doors whose bytes come from a machine, in one encoding.
ONE_ENCODING = {"console"}


def tried(door: str, seed: Path, forms: list[str], encoding: str, chance: random.Random) -> str:
    """Return "same", "refused", or else what is wrong with the answer to another form."""
    data = seed.read_bytes()
    answer = DOORS[door].answer
    try:
        wanted = answer(data, seed)
        text = data.decode()
    except (RefusedError, UnicodeDecodeError):
        return "no answer"
    for form in forms:
        text = FORMS[form](text, chance)
    try:
        given = answer(text.encode(encoding), seed)
    except RefusedError as e:
        return "refused" if str(e).count("vlag: ") == 1 else f"several refusals: {e}"
    except Exception as e:  # noqa: BLE001 - whatever it is, it is a fault
        return f"{type(e).__name__}: {e}"
    other = given != wanted and not OTHER_ANSWERS.get(door, set()) & set(forms)
    return "another answer" if other else "same"


def small(door: str) -> list[Path]:
    """Return the seeds of a door that are not large, by name."""
    return sorted(p for p in DOORS[door].seeds() if p.stat().st_size <= _LARGEST)


def main() -> int:
    """Try forms at random until the time is over."""
    options = argparse.ArgumentParser(prog="python -m tests.fuzz.doors", description=__doc__)
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    chance = random.Random(given.seed)
    end = time.monotonic() + given.seconds
    faults: set[str] = set()
    count = 0
    while time.monotonic() < end:
        door = chance.choice(sorted(DOORS))
        seed = chance.choice(small(door))
        forms = chance.sample(sorted(FORMS), chance.randint(1, _FORMS_AT_ONCE))
        encoding = "utf-8" if door in ONE_ENCODING else chance.choice(ENCODINGS)
        outcome = tried(door, seed, forms, encoding, chance)
        count += 1
        if outcome not in {"same", "refused", "no answer"}:
            faults.add(" | ".join((door, seed.name, " + ".join(forms), encoding, outcome[:200])))
    for fault in sorted(faults):
        print(fault)
    print(f"{count} files in {given.seconds} s, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
