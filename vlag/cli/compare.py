# SPDX-License-Identifier: GPL-2.0-only
"""`vlag compare`: two kernels on record, or files of two kernels on disk."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from attrs import frozen

from vlag import config
from vlag.cli.command import echo, emit, one_sentence, pairs_of, say
from vlag.config import catalogue as catalogues
from vlag.config import checkout
from vlag.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from vlag.compare.kernels import StoredComparison
    from vlag.file_data import FilesData
    from vlag.report.document import ComparisonData

# Marks "--" among the operands; no argument of a process can be this.
_BETWEEN = "\0"
_BOARD_TYPE = "qemu-sim-2"


@frozen(kw_only=True)
class OfKernels:
    """Options for kernels on record."""

    base_knob: tuple[str, ...]
    new_knob: tuple[str, ...]
    base_param: tuple[str, ...]
    new_param: tuple[str, ...]
    plan: str | None
    stage: Literal["screen", "confirm"] | None
    round_: int | None
    benchmark: tuple[str, ...]
    role: str | None
    baseline: str | None
    synthetic: bool
    merge_base: bool


# Those that files do not take, by their names in Python.
_OF_KERNELS = {
    "base_knob": "--base-knob",
    "new_knob": "--new-knob",
    "base_param": "--base-param",
    "new_param": "--new-param",
    "plan": "--plan",
    "stage": "--stage",
    "round_": "--round",
    "benchmark": "--benchmark",
    "role": "--role",
    "baseline": "--baseline",
    "synthetic": "--synthetic",
    "merge_base": "--merge-base",
}

# Those that runs take which differ in a parameter.
_OF_PARAMETERS = (
    "base_knob", "new_knob", "base_param", "new_param", "plan", "benchmark", "synthetic",
)  # fmt: skip


class _TwoSides(click.Command):
    """A command that splits its operands at "--" and takes options anywhere."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [_BETWEEN if a == "--" else a for a in args])


@click.command(cls=_TwoSides)
@click.argument("operands", nargs=-1, metavar="BASE... [--] NEW...")
@click.option("--board-type",
              help=f"Board type of the runs (default for kernels: {_BOARD_TYPE}).")  # fmt: skip
@click.option("--base-knob", multiple=True, metavar="NAME=VALUE", help="Knobs of BASE's runs.")
@click.option("--new-knob", multiple=True, metavar="NAME=VALUE", help="Knobs of NEW's runs.")
@click.option("--base-param", multiple=True, metavar="NAME=VALUE",
              help="A parameter of BASE's runs, where NEW's have another value.")  # fmt: skip
@click.option("--new-param", multiple=True, metavar="NAME=VALUE",
              help="A parameter of NEW's runs; the other's have the default.")  # fmt: skip
@click.option("--plan", help="Compare only the runs of this plan (default: all).")
@click.option("--stage", type=click.Choice(["screen", "confirm"]),
              help="Stage of the plan's boots (default: screen).")  # fmt: skip
@click.option("--round", "round_", type=click.IntRange(min=1), metavar="N",
              help="For --stage confirm: reruns up to this round (default: 1).")  # fmt: skip
@click.option("--benchmark", multiple=True, help="Only this benchmark; repeatable.")
@click.option("--role", type=click.Choice(["baseline", "parent"]),
              help="Record BASE as NEW's baseline or parent.")  # fmt: skip
@click.option("--baseline", metavar="TREE/REF",
              help="With --role baseline: what the settings call it.")  # fmt: skip
@click.option("--merge-base", is_flag=True,
              help="Compare NEW with the commit where it left BASE.")  # fmt: skip
@click.option("--synthetic", is_flag=True,
              help="Compare the synthetic runs of `vlag scenario`.")  # fmt: skip
@click.option("--tool", help="The tool that wrote the files (default: recognise it).")
@click.option("--equal-files", is_flag=True,
              help="Take files with equal content for boots of their own.")  # fmt: skip
@click.option("--factor", multiple=True, metavar="PARAMETER",
              help="Parameter that may differ between bundles of BASE and NEW; repeatable.",
              )  # fmt: skip
@click.option("--exit-code", is_flag=True, help="Exit with 10 if anything is a REGRESSION.")
@click.option("--format", "form", default="text", show_default=True,
              type=click.Choice(["text", "json", "text+json", "markdown"]),
              help="Format of the result on stdout; JSON is the last line.")  # fmt: skip
@one_sentence
def compare(
    operands: tuple[str, ...],
    board_type: str | None,
    tool: str | None,
    equal_files: bool,
    factor: tuple[str, ...],
    exit_code: bool,
    form: str,
    **of_kernels: Any,
) -> None:
    """Compare two recorded kernels, or files of two kernels.

    A branch, tag, `git describe` text or commit (7 digits or more) means its kernel without
    patches; BRANCH+SERIES and "BRANCH+SERIES:solo(2)" are those with patches, and a digest
    means its one kernel.  `vlag kernels` lists the names.  The verdicts are stored.

    --base-param and --new-param compare runs of one benchmark under two values of a parameter, as
    in --benchmark mysql-tprocc --new-param policy=batch.  Nothing is stored of these.

    --merge-base compares what NEW itself changed, as `git diff BASE...NEW` does: not what BASE
    got since. BASE may be a branch of the tree that was never built.

    A hint of a REGRESSION counts for --exit-code too; where a patch's header predicts what
    is flagged, only what is otherwise counts.

    Files are run bundles (folders with run.json, or that file) or raw output of one
    tool, any number a side, as in `vlag compare base-*.txt -- new-*.txt`.  Each file is
    one boot, and a copy is refused.  They need no database and no settings, and nothing is stored.
    --factor policy compares bundles whose parameter `policy` differs; all others must be equal.
    """
    base, new = _sides(operands)
    given = OfKernels(**of_kernels)
    if _are_files(base, new, parted=_BETWEEN in operands):
        for name, option in _OF_KERNELS.items():
            if getattr(given, name):
                raise UsageError(f"{option} is for kernels on record; these are files")
        bad = _files(base, new, board_type, tool, form, equal_files=equal_files, factor=factor)
    else:
        checkout.need(f"{base[0]} is no file here, and a kernel on record")
        if tool is not None:
            raise UsageError("--tool is for raw files; these are kernels on record")
        if equal_files:
            raise UsageError("--equal-files is for files; these are kernels on record")
        if factor:
            raise UsageError("--factor is for run bundles; these are kernels on record")
        where = board_type or _BOARD_TYPE
        judged = _parameters if given.base_param or given.new_param else _kernels
        bad = judged(base[0], new[0], where, form, given)
    if exit_code and bad:
        sys.exit(ExitCode.REGRESSION)


def _sides(operands: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split the operands at the "--"; without one, expect one operand per side."""
    marks = [i for i, word in enumerate(operands) if word == _BETWEEN]
    if len(marks) == 1:
        base, new = list(operands[: marks[0]]), list(operands[marks[0] + 1 :])
        for name, side in (("BASE", base), ("NEW", new)):
            if not side:
                raise UsageError(f"{name} is empty; write BASE... -- NEW...")
        return base, new
    if marks:
        raise UsageError("give -- only once; write BASE... -- NEW...")
    if len(operands) != 2:
        raise UsageError(
            f"give one BASE and one NEW, not {len(operands)} operands; for several files per side"
            " write BASE... -- NEW..."
        )
    return [operands[0]], [operands[1]]


def _are_files(base: Sequence[str], new: Sequence[str], *, parted: bool) -> bool:
    """Return whether the operands are files; raise UsageError if only some of them are."""
    words = [*base, *new]
    files = [word for word in words if _is_file(word)]
    if not files:
        # A branch may be called like a folder; but nobody has two such branches.
        return parted or len(words) > 2 or all(Path(word).is_dir() for word in words)
    odd = next((word for word in words if word not in files), None)
    if odd is not None:
        what = "is a folder without run.json" if Path(odd).is_dir() else "is not a file"
        raise UsageError(
            f"{files[0]} exists on disk but {odd} {what}; give files on both sides, or two"
            " kernels on record"
        )
    return True


def _is_file(word: str) -> bool:
    path = Path(word)
    return next(path.glob("**/run.json"), None) is not None if path.is_dir() else path.exists()


def _files(
    base: Sequence[str],
    new: Sequence[str],
    board_type: str | None,
    tool: str | None,
    form: str,
    *,
    equal_files: bool,
    factor: tuple[str, ...],
) -> bool:
    """Compare files, print the answer and return whether anything is a REGRESSION."""
    from vlag.compare.files import compare as stage

    data = stage(
        [Path(word) for word in base],
        [Path(word) for word in new],
        catalogue=catalogues.load(),
        board_type=board_type,
        tool=tool,
        equal_files=equal_files,
        differing=factor,
    )
    return _told(form, data)


def _parameters(base: str, new: str, board_type: str, form: str, given: OfKernels) -> bool:
    """Compare runs on record that differ in a parameter, as `_files` does."""
    from vlag.compare.by_parameter import Side, find
    from vlag.compare.files import compare as stage
    from vlag.store.database import connect
    from vlag.store.kernels import KernelRef

    for name, option in _OF_KERNELS.items():
        if name not in _OF_PARAMETERS and getattr(given, name):
            raise UsageError(f"{option} is not for runs that differ in a parameter")
    if len(given.benchmark) != 1:
        raise UsageError("--base-param and --new-param need one --benchmark")
    settings = config.load()
    catalogue = catalogues.of(settings)
    with connect(settings.dsn()) as conn:
        sides = find(
            conn,
            catalogue,
            Side("BASE", KernelRef(text=base, knobs=pairs_of(given.base_knob, "--base-knob")),
                 pairs_of(given.base_param, "--base-param")),
            Side("NEW", KernelRef(text=new, knobs=pairs_of(given.new_knob, "--new-knob")),
                 pairs_of(given.new_param, "--new-param")),
            board_type=board_type,
            benchmark=given.benchmark[0],
            plan=given.plan,
            synthetic=given.synthetic,
        )  # fmt: skip
    data = stage(sides.base, sides.new, catalogue=catalogue, differing=sides.factors)
    return _told(form, data)


def _told(form: str, data: FilesData) -> bool:
    """Print a comparison of files and return whether anything is a REGRESSION."""
    from vlag.report import compared

    _print(form, data, data, compared.render(data))
    return any(row["verdict"] == "REGRESSION" for row in data["rows"])


def _kernels(base: str, new: str, board_type: str, form: str, given: OfKernels) -> bool:
    """Compare kernels on record, print the answer and return whether it is bad."""
    from vlag.compare.kernels import compare as stage_compare
    from vlag.report import text
    from vlag.report.data.comparison import report as stage_report
    from vlag.store.database import connect
    from vlag.store.kernels import KernelRef

    if given.baseline is not None and given.role != "baseline":
        raise UsageError("--baseline names the baseline of the settings: give --role baseline too")
    settings = config.load()
    catalogue = catalogues.of(settings)
    second = KernelRef(text=new, knobs=pairs_of(given.new_knob, "--new-knob"))
    with connect(settings.dsn()) as conn:
        if given.merge_base:
            from vlag.pipeline.merge_base import find

            kernel, sentence = find(
                conn, upstream=base, new=second, board_type=board_type, mirror_of=settings.mirror
            )
            say(sentence)
            base = kernel.digest
        stored = stage_compare(
            conn=conn,
            catalogue=catalogue,
            base=KernelRef(text=base, knobs=pairs_of(given.base_knob, "--base-knob")),
            new=second,
            board_type=board_type,
            plan=None if given.plan is None else catalogue.plan(given.plan),
            stage=given.stage,
            round_=given.round_,
            benchmarks=frozenset(given.benchmark) or None,
            role=given.role,
            baseline=given.baseline,
            synthetic=given.synthetic,
        )
        data = stage_report(conn, catalogue, stored.id, settings.state)
    for note in data["prediction"]["notes"] if data["prediction"] is not None else ():
        say(note)
    answer = _answer(stored, data)
    _print(form, data, answer, text.render(data))
    return bool(stored.regressed) if data["prediction"] is None else not data["prediction"]["good"]


def _answer(stored: StoredComparison, data: ComparisonData) -> dict[str, Any]:
    """Return what a program that asked for a comparison wants to know."""
    return {
        "comparison": stored.id,
        "said": data["said"],
        "new": stored.new,
        "boots": [
            max((row[side] or 0 for row in data["rows"]), default=0) for side in ("n_base", "n_new")
        ],
        "summary": data["summary"],
        "regressions": stored.regressions,
        "hints": stored.hints,
        "regressed": stored.regressed,
        "improved": stored.improved,
        "suspects": stored.suspects,
        "better": stored.better,
        "proof": stored.proof,
        "open": stored.open,
        "unsettled": list(stored.unsettled),
        "settled": list(stored.settled),
        "prediction": data["prediction"],
    }


def _print(form: str, data: Mapping[str, Any], answer: Mapping[str, object], text: str) -> None:
    """Print `data` as text or Markdown, or `answer` as JSON."""
    from vlag.report import markdown

    if form == "markdown":
        echo(markdown.render(data), nl=False)
        return
    if form == "text+json":
        echo(text, nl=False)
    emit("json" if form == "text+json" else form, answer, text)
