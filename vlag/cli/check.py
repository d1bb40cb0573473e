# SPDX-License-Identifier: GPL-2.0-only
"""`vlag check`: is the tree in a folder slower than another commit of it?"""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from attrs import evolve, frozen

from vlag import config
from vlag.cli.command import FORMAT, as_value, echo, emit, one_sentence, say
from vlag.cli.runs import BOARD_TYPE
from vlag.config import catalogue as catalogues
from vlag.errors import ExitCode, UsageError
from vlag.model import Outcome

if TYPE_CHECKING:
    from vlag.config import Settings
    from vlag.config.catalogue import Catalogue
    from vlag.kernel.tree_on_disk import TreeOnDisk
    from vlag.pipeline.build_stage import Built
    from vlag.report.document import FigureRow
    from vlag.search.two_kernels import Kernel, TwoKernels

#: Lines of a compiler that are printed.
_SAID = 8
#: Files that git does not know, and commits that may be the first slow one, which are named.
_UNKNOWN_NAMED, _CULPRITS = 3, 4


@frozen(kw_only=True)
class Options:
    """Arguments and options of `vlag check`."""

    folder: Path
    ref: str
    against: str | None
    work_tree: bool
    plan: str
    board_type: str
    since: bool
    patches: int | None
    form: str


@frozen(kw_only=True)
class Side:
    """A commit of the tree, and its name for people."""

    ref: str  # as `vlag build` takes it
    sha: str
    name: str  # in progress
    title: str  # in the table


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--ref", default="HEAD", show_default=True, metavar="REF",
              help="The branch, tag or commit that is judged.")  # fmt: skip
@click.option("--against", metavar="REF",
              help="What it is compared with (default: the newest tag of the baseline's line).",
              )  # fmt: skip
@click.option("--work-tree", is_flag=True,
              help="Judge the files as they are: what `git commit --all` would commit.",
              )  # fmt: skip
@click.option("--since", is_flag=True,
              help="If it is slower, search the commit since which it is.")  # fmt: skip
@click.option("--patches", type=click.IntRange(1, 30), metavar="N",
              help="Judge each of the last N commits against the one before them.")  # fmt: skip
@click.option("--plan", default="commit", show_default=True, help="A plan in lava-jobs/plans/.")
@BOARD_TYPE
@FORMAT
@one_sentence
@as_value(Options)
def check(given: Options) -> None:
    """Say whether the tree in DIR is slower than another commit.

    DIR is a clone or work tree of git, and nothing in it is changed. Both kernels are built and
    booted on deterministic boards of this machine, and what is suspected is booted again with other
    seeds; the table says what changed, and in which function. Kernels and boots on record are not
    made again, so the same command goes on after an interrupt. vlag uses the database of the
    service, or starts its own for as long as the command runs.

    The exit status is 10 if anything is a REGRESSION, and 20 if a kernel does not build or boot.
    """
    from vlag.kernel import tree_on_disk
    from vlag.operate.service.borrowed import database

    tree = tree_on_disk.find(given.folder)
    if given.work_tree and given.ref != "HEAD":
        raise UsageError("--work-tree: the files are of HEAD; leave out --ref")
    if given.patches and (given.against or given.work_tree or given.since):
        raise UsageError("--patches compares commits with the one before them; leave out --against,"
                         " --work-tree and --since")  # fmt: skip
    tree.commit(given.ref)  # a mistake is said before anything starts
    with database(_with_tree(config.load(), tree), "a check") as settings:
        mirror = settings.mirror(tree.name)
        tree_on_disk.link(tree, mirror)
        new = _new(tree, mirror, given)
        if given.patches:
            sides = _patches(tree, mirror, new, given.patches)
        else:
            sides = [_base(settings, tree, mirror, given, new), new]
        sys.exit(_checked(settings, catalogues.of(settings), tree, sides, given))


def _with_tree(settings: Settings, tree: TreeOnDisk) -> Settings:
    """Return the settings with the tree: its mirror is filled, and no remote is asked."""
    known = config.Tree(name=tree.name, url=None, packages={}, web=None)
    return evolve(settings, trees={**settings.trees, tree.name: known})


def _new(tree: TreeOnDisk, mirror: Path, given: Options) -> Side:
    """Return the commit that is judged."""
    from vlag.kernel import tree_on_disk

    sha = tree.commit(given.ref)
    tree_on_disk.refuse_other(mirror, sha, tree, given.ref)
    if tree.work_tree is None:
        if given.work_tree:
            tree_on_disk.snapshot(tree, mirror)  # refuses
        return _side(mirror, sha, given.ref)
    if not given.work_tree and given.ref != "HEAD":
        return _side(mirror, sha, given.ref)
    changed, unknown = tree_on_disk.snapshot(tree, mirror)
    if not given.work_tree:
        if changed is not None:
            say("the work tree has changes that are not committed: --work-tree judges them too")
        return _side(mirror, sha, "HEAD")
    if unknown:
        names = ", ".join(unknown[:_UNKNOWN_NAMED])
        more = f" and {len(unknown) - _UNKNOWN_NAMED} more" if unknown[_UNKNOWN_NAMED:] else ""
        say(f"left out, as unknown to git: {names}{more}; `git add -N FILE` lets a file count")
    if changed is None:
        say("the work tree has no change that is not committed: HEAD is judged")
        return _side(mirror, sha, "HEAD")
    return _side(mirror, changed, "the work tree")


def _side(mirror: Path, ref: str, name: str) -> Side:
    from vlag.kernel.mirror import resolve

    commit = resolve(mirror, ref)
    title = f'{commit.describe} {commit.sha[:12]} ("{commit.subject}")'
    return Side(ref=ref, sha=commit.sha, name=name, title=title)


def _base(settings: Settings, tree: TreeOnDisk, mirror: Path, given: Options, new: Side) -> Side:
    """Return the commit that the other is compared with; UsageError where there is none."""
    from vlag.kernel import tree_on_disk

    name = given.against
    if name is None:
        asked = [b.baseline for b in settings.branches if "merge-base" not in b.baseline]
        name = tree_on_disk.newest_of_line(mirror, asked)
        if name is None:
            line = asked[0] if asked else "any baseline"
            shallow = "; it is a shallow clone: fetch the tag" if tree.shallow else ""
            raise UsageError(
                f"{tree.folder} has no tag of {line}, the baseline of {settings.path}{shallow};"
                " name what it is compared with: --against REF"
            )
        say(f"against {name}, the newest tag of the baseline's line; --against names another")
    sha = tree.commit(name)
    if sha == new.sha:
        raise UsageError(f"{new.name} is {name} itself; name another commit with --against REF")
    tree_on_disk.refuse_other(mirror, sha, tree, name)
    return _side(mirror, sha, name)


def _patches(tree: TreeOnDisk, mirror: Path, last: Side, count: int) -> list[Side]:
    """Return the commit before the last ones, and each of these."""
    from vlag.kernel import tree_on_disk
    from vlag.kernel.git import git

    tree.commit(f"{last.sha}~{count}")
    words = ("rev-list", "--first-parent", f"--max-count={count + 1}", "--abbrev-commit",
             "--abbrev=12", last.sha)  # fmt: skip
    commits = git(mirror, *words).splitlines()[::-1]
    for sha in commits:
        tree_on_disk.refuse_partial(mirror, sha, tree, sha)
    return [_side(mirror, sha, sha) for sha in commits]


def _checked(
    settings: Settings,
    catalogue: Catalogue,
    tree: TreeOnDisk,
    sides: list[Side],
    given: Options,
) -> int:
    """Measure all sides against the first, print the answer and return the exit status."""
    from vlag.operate.service import master
    from vlag.operate.service.pushes import waiting
    from vlag.search.two_kernels import TwoKernels
    from vlag.store.database import connect

    kind, plan = catalogue.board_type(given.board_type), catalogue.plan(given.plan)
    with connect(settings.dsn()) as conn:
        two = TwoKernels(
            settings=settings, catalogue=catalogue, conn=conn, tree=tree.name, board_type=kind,
            plan=plan, wait=waiting(master.web_of(settings)),
        )  # fmt: skip
        _forecast(settings, catalogue, two, sides, patches=given.patches is not None)
        if given.patches:
            return _table(two, sides, given.form)
        return _pair(two, sides[0], sides[1], given)


def _pair(two: TwoKernels, base: Side, new: Side, given: Options) -> int:
    """Build both sides and compare them."""
    from vlag.search.two_kernels import Kernel

    built = []
    for side in (new, base):  # a fault of what is judged is said first
        made = two.build(side.ref, side.name)
        if made.outcome is not Outcome.COMPLETE:
            _tell_failure(two, side, made, given.form)
            return ExitCode.KERNEL_FAILED
        built.append(Kernel(name=side.name, build=made))
    return _compared(two, (built[1], built[0]), (base, new), given)


def _table(two: TwoKernels, sides: list[Side], form: str) -> int:
    """Measure commits against the one before them; print the table for a cover letter."""
    from vlag.report.data import matrices
    from vlag.report.forms import render
    from vlag.search.two_kernels import Kernel

    kernels = []
    for side in sides:
        made = two.build(side.ref, side.name)
        kernels.append(Kernel(name=side.name, build=made))
        if made.outcome is not Outcome.COMPLETE:
            say(f"{side.name} does not build: {made.reason}")
            if side is sides[0]:
                _tell_failure(two, side, made, form)
                return ExitCode.KERNEL_FAILED
    base, comparisons = kernels[0], []
    for new in kernels[1:]:
        built = new.build.outcome is Outcome.COMPLETE
        comparisons.append(two.compare(base, new) if built else two.judge(base, new))
    notes = [f"{side.name}: {side.title}" for side in sides]
    data = matrices.matrix(two.conn, two.catalogue, [str(c.id) for c in comparisons], notes)
    echo(render(data, form), nl=False)
    if any(column["failure"] for m in data["matrices"] for column in m["columns"]):
        return ExitCode.KERNEL_FAILED
    return ExitCode.REGRESSION if any(c.regressed for c in comparisons) else ExitCode.OK


def _forecast(
    settings: Settings, catalogue: Catalogue, two: TwoKernels, sides: list[Side], *, patches: bool
) -> None:
    """Say how many builds and boots there are to do, and how long they take."""
    from vlag.pipeline.forecast import forecast
    from vlag.search import profiling
    from vlag.store import durations

    measured = durations.recent(two.conn)
    watched = tuple(
        config.Branch(
            tree=two.tree, branch=side.sha, baseline=sides[0].sha, plan=two.plan.name,
            board_types=(two.board_type.name,), commit_plan=two.plan.name, series=None,
            applications=(),
        )
        for side in sides[1:]
    )  # fmt: skip
    known = forecast(
        evolve(settings, trees={two.tree: settings.trees[two.tree]}, branches=watched),
        catalogue, measured=measured, early=False,
    )  # fmt: skip
    text = known.text(datetime.datetime.now(datetime.UTC))
    ratio = measured.ratios.get(two.board_type.name, 1.0)
    seconds = profiling.estimate_s(catalogue, two.plan, two.board_type) * ratio
    if seconds and not patches:
        text += f"; to name the function of a loss, about {max(1, round(seconds / 60))} min more"
    say(text)


def _tell_failure(two: TwoKernels, side: Side, made: Built, form: str) -> None:
    """Print why a kernel does not build, with the first lines of its compiler."""
    from vlag.pipeline.build_stage import worktree

    log = made.folder / "build.log"
    # A person knows the paths of the tree, and not where vlag has checked it out.
    text = log.read_text("utf-8", "replace").replace(f"{worktree(two.settings, two.tree)}/", "")
    printed = [line.rstrip() for line in text.splitlines()]
    faults = [n for n, line in enumerate(printed) if "error:" in line or "Error " in line]
    lines = printed[faults[0] : faults[0] + _SAID] if faults else printed[-_SAID:]
    emit(
        form,
        {"answer": "not known", "failed": side.name, "outcome": made.outcome.value,
         "reason": made.reason, "log": str(log)},
        "\n".join([
            f"{side.name} does not build: {made.reason}",
            *(f"    {line}" for line in lines),
            f"the whole log: {log}",
        ]),
    )  # fmt: skip


def _compared(
    two: TwoKernels, kernels: tuple[Kernel, Kernel], sides: tuple[Side, Side], given: Options
) -> int:
    """Compare two built kernels, print the answer and return the exit status."""
    from vlag.report import checked
    from vlag.report.data.comparison import report

    (base, new), (of_base, of_new), form = kernels, sides, given.form
    if base.image == new.image:
        same = f"both have the same image, as {of_new.title} changes nothing that is built"
        emit(form, {"answer": checked.NOT_SLOWER, "why": same},
             f"{of_new.name} is {checked.NOT_SLOWER}: {same}")  # fmt: skip
        return ExitCode.OK
    stored = two.compare(base, new)
    data = report(two.conn, two.catalogue, stored.id, two.settings.state)
    since: list[str] = []
    if checked.worse(data):
        two.explain(stored.id)
        data = report(two.conn, two.catalogue, stored.id, two.settings.state)
        since = _since(two, of_base, of_new, checked.worse(data)[0]) if given.since else []
    answer = checked.answer(data)
    if form == "json":
        why = f"{answer.scope.strip()}: {answer.why}" if answer.scope else answer.why
        emit(form, {"answer": answer.word, "why": why, "since": since, **data}, "")
    else:
        names = {"base": of_base.title, "new": of_new.title}
        echo(checked.render(data, names, unit=of_new.name, more=since), nl=False)
    if data["failures"]:
        return ExitCode.KERNEL_FAILED
    bad = any(r["verdict"] == "REGRESSION" for r in data["rows"])
    return ExitCode.REGRESSION if bad else ExitCode.OK


def _since(two: TwoKernels, base: Side, new: Side, row: FigureRow) -> list[str]:
    """Search the commit that made a figure worse; return the lines that name it."""
    from vlag.kernel.mirror import resolve

    mirror = two.settings.mirror(two.tree)
    try:
        search = two.first_commit(
            resolve(mirror, base.sha), resolve(mirror, new.sha), row, config.PATHS
        )
    except UsageError as e:
        return [f"since: not known: {e}"]
    if search is None:
        return [f"since: {new.title}, the only commit between both"]
    share = "" if search.check is None else f", {search.check.share:.0%} of the loss"
    one = len(search.commits) == 1
    lines = [f'since: {c.sha[:12]} ("{c.subject}"){share}' for c in search.commits[:_CULPRITS]]
    return lines if one else ["since one of these, which skipped commits hide:", *lines]
