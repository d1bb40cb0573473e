# SPDX-License-Identifier: GPL-2.0-only
"""`vlag bisect`: the first commit that changed a figure."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import frozen

from vlag import config
from vlag.cli.command import FORMAT, as_value, emit, one_sentence, pairs_of, tree_of
from vlag.cli.runs import BENCHMARK, KNOB, PARAM, TREE
from vlag.config import catalogue as catalogues
from vlag.model import digest

if TYPE_CHECKING:
    from vlag.config import Settings
    from vlag.config.catalogue import Catalogue
    from vlag.kernel.mirror import Commit
    from vlag.model import BoardType
    from vlag.search.found import Check, Found
    from vlag.search.measure import Figure, Measurer

_WIDTH = 78
# Commits that are listed where none is named.
_LISTED = 8


@frozen(kw_only=True)
class Options:
    """Arguments and options of `vlag bisect`."""

    good: str
    bad: str
    tree: str | None
    benchmark: str
    metric: str | None
    board_type: str
    param: tuple[str, ...]
    knob: tuple[str, ...]
    paths: tuple[str, ...]
    boots: int
    most: int | None
    timeout_s: int | None
    fix: bool
    form: str


@click.command()
@click.argument("good")
@click.argument("bad")
@TREE
@BENCHMARK
@click.option("--metric", metavar="METRIC[:STATISTIC]", help="Default: the headline, its median.")
@click.option("--board-type", default="qemu-sim-2", show_default=True,
              help="A board type of this host or of a lab.")  # fmt: skip
@PARAM
@KNOB
@click.option("--path", "paths", multiple=True, metavar="PATH",
              help="Ask first about commits that touch it (default: the scheduler).")  # fmt: skip
@click.option("--boots", type=click.IntRange(2, 100), default=5, show_default=True,
              help="Boots of each commit.")  # fmt: skip
@click.option("--most", type=click.IntRange(2, 1000),
              help="Boots of a commit that is not clearly on a side (default: 20, of boards whose"
              " boots scatter 80).")  # fmt: skip
@click.option("--timeout", "timeout_s", type=click.IntRange(1),
              help="Seconds for the benchmark (default: 240; on deterministic boards 30 and ten"
              " times what it takes, of their own clock).")  # fmt: skip
@click.option("--fix", is_flag=True,
              help="GOOD made it worse, BAD is a later head: find what takes the loss back; commits"
              " that name GOOD in a Fixes: line or revert it come first.")  # fmt: skip
@FORMAT
@one_sentence
@as_value(Options)
def bisect(given: Options) -> None:
    """Find the first commit that changed a figure.

    GOOD and BAD are branches, tags or commits of a tree; GOOD is an ancestor of BAD. git chooses
    commits; each is built and booted, and is bad if its figure is nearer to BAD's. Where boots
    scatter, all of them together give each commit a chance, and the next boots are those that say
    most. Where only some boots of BAD are worse, the share of such boots decides, in up to 120
    boots. A commit that does not build or boot is skipped. Kernels and boots on record are not made
    again: after an interrupt the same command goes on where it was.

    Boards of a lab work side by side, behind nights and pushes; on each of them the commits take
    turns, so that boards may differ.
    """
    from vlag.kernel import fixes
    from vlag.kernel import mirror as mirrors
    from vlag.pipeline import side_by_side
    from vlag.pipeline.build_stage import prepare_mirrors
    from vlag.search.ahead import Ahead, build_command
    from vlag.search.bisection import MOST, MOST_NOISY, Bisection
    from vlag.search.found import AlikeError
    from vlag.search.measure import figure

    settings = config.load()
    catalogue = catalogues.of(settings)
    name = tree_of(settings, given.tree)
    kind = catalogue.board_type(given.board_type)
    figure_ = figure(
        catalogue.benchmark(given.benchmark),
        given.metric,
        pairs_of(given.param, "--param"),
        pairs_of(given.knob, "--knob"),
    )
    mirror = settings.mirror(name)
    if not mirror.exists():
        prepare_mirrors(settings)
    ends = [mirrors.resolve(mirror, ref) for ref in (given.good, given.bad)]
    scratch = settings.state / "bisect" / _key(ends, figure_, given.board_type)[:16]
    timeout_s = given.timeout_s or _timeout_s(figure_, kind)
    measurer = _measurer(settings, catalogue, name, kind, figure_, timeout_s, ends)
    # On other boards of this host a build would disturb the figures.
    here = kind.deterministic and catalogue.has_boards_here(kind.name)
    idle = here and side_by_side.idle(
        side_by_side.boards_at_once(catalogue, given.board_type), given.boots
    )
    most = given.most or (MOST if kind.deterministic else MOST_NOISY)
    ahead = Ahead(build_command(name, given.board_type)) if idle else None
    search = Bisection(
        measurer=measurer, mirror=mirror, scratch=scratch, good=ends[0], bad=ends[1],
        boots=given.boots, most=max(given.boots, most), ahead=ahead,
        noisy=not kind.deterministic,
        candidates=fixes.candidates(mirror, *(c.sha for c in ends)) if given.fix else (),
    )  # fmt: skip
    try:
        culprit = search.run(given.paths or config.PATHS)
    except AlikeError as e:
        if not given.fix:
            raise
        emit(given.form, {"fix": None, "why": str(e)}, _no_fix(mirror, ends, str(e)))
        return
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if given.fix and culprit.worse:
        why = f"{ends[1].describe} is worse still"
        emit(given.form, {"fix": None, "why": why}, _no_fix(mirror, ends, why))
        return
    public = settings.trees[name].public
    emit(
        given.form,
        {**document(culprit), **(_fix(mirror, culprit) if given.fix else {})},
        _text(culprit, figure_, given.board_type, measurer.builds, public=public)
        + (_fixed(_fix(mirror, culprit)["fix"]) if given.fix else ""),
    )


def _fix(mirror: Path, found: Found) -> dict[str, Any]:
    """Return what takes a loss back as JSON has it; None: no single commit is known."""
    from vlag.kernel import fixes

    if len(found.commits) > 1 or found.doubt is not None:
        return {"fix": None}
    commit = found.commits[0]
    return {
        "fix": {
            "commit": commit.sha,
            "subject": commit.subject,
            "release": fixes.release_of(mirror, commit.sha),
            "says_so": commit.sha in fixes.candidates(mirror, found.good.sha, found.bad.sha),
        }
    }


def _fixed(fix: dict[str, Any] | None) -> str:
    """Return the line that says what took a loss back."""
    if fix is None:
        return ""
    release = f" in {fix['release']}" if fix["release"] else ""
    how = ", which says so itself" if fix["says_so"] else ""
    return f'\nfixed by {fix["commit"][:12]} ("{fix["subject"]}"){release}{how}'


def _no_fix(mirror: Path, ends: Sequence[Commit], why: str) -> str:
    """Return the sentence that says that no commit takes a loss back."""
    from vlag.kernel import mirror as mirrors

    between = mirrors.distance(mirror, *(c.sha for c in ends))
    commits = "commits" if between is None else f"{between} commits"
    return "\n".join(
        textwrap.wrap(f"No fix among the {commits} after {_named(ends[0])}: {why}", _WIDTH)
    )


def _timeout_s(asked: Figure, kind: BoardType) -> int:
    """Return the seconds for a benchmark of which nobody gave them."""
    from vlag.search.profiling import TIMEOUT_S

    if not kind.deterministic:
        return TIMEOUT_S
    return asked.benchmark.guest_timeout_s({**asked.benchmark.parameters, **asked.parameters})


def _measurer(
    settings: Settings,
    catalogue: Catalogue,
    tree: str,
    kind: BoardType,
    asked: Figure,
    timeout_s: int,
    ends: Sequence[Commit],
) -> Measurer:
    """Return what boots on boards of this host or, where it has none of the type, of labs."""
    from vlag.pipeline import lab_boards
    from vlag.search.measure import Measurer
    from vlag.search.measure_in_lab import LabMeasurer

    common: dict[str, Any] = {
        "settings": settings, "catalogue": catalogue, "tree": tree, "board_type": kind,
        "figure": asked, "timeout_s": timeout_s,
    }  # fmt: skip
    if catalogue.has_boards_here(kind.name):
        return Measurer(**common)
    boards = lab_boards.pool(settings, catalogue, kind.name)
    request = f"bisect {_key(ends, asked, kind.name)[:16]}"
    return LabMeasurer(**common, pool=boards, request=request, ends=[c.sha for c in ends])


def _key(ends: Sequence[Commit], figure: Figure, board_type: str) -> str:
    """Return the digest of a question; another search has a folder of its own."""
    commits = [commit.sha for commit in ends]
    return digest([*commits, figure.name, dict(figure.parameters), dict(figure.knobs), board_type])


def document(culprit: Found) -> dict[str, Any]:
    """Return the result as JSON has it."""

    def commit(c: Commit) -> dict[str, str]:
        return {"commit": c.sha, "describe": c.describe, "subject": c.subject}

    check = culprit.check
    return {
        "good": commit(culprit.good),
        "bad": commit(culprit.bad),
        "levels": list(culprit.levels),
        "change": culprit.change.effect,
        "interval": [culprit.change.ci_low, culprit.change.ci_high],
        "commits": [commit(c) for c in culprit.commits],
        "between": culprit.between,
        "steps": [
            {
                **commit(s.commit),
                "word": s.word,
                "level": s.level,
                "boots": s.boots,
                "why": s.why,
                "in_mode": s.in_mode,
            }
            for s in culprit.steps
        ],
        "check": None
        if check is None
        else {
            "parent": commit(check.parent),
            "levels": list(check.levels),
            "change": check.change.effect,
            "interval": [check.change.ci_low, check.change.ci_high],
            "share": check.share,
            "reverted": check.reverted,
            "recovered": check.recovered,
            "no_revert": check.no_revert,
            "boots": check.boots,
            "in_mode": None if check.in_mode is None else list(check.in_mode),
        },
        "mode": None
        if culprit.mode is None
        else {
            "good": list(culprit.mode.good),
            "bad": list(culprit.mode.bad),
            "effect": culprit.mode.mode.effect,
            "sentence": culprit.mode.sentence,
        },
        "doubt": None if culprit.doubt is None else str(culprit.doubt),
        "likeliest": []
        if culprit.odds is None
        else [{**commit(x.commit), "chance": x.chance} for x in culprit.odds.likeliest],
        "growth": _growth(culprit),
        "log": culprit.log,
    }


def _growth(culprit: Found) -> dict[str, Any] | None:
    """Return over which commits a change grew as JSON has it; None: one commit made it."""
    growth = None if culprit.odds is None else culprit.odds.growth
    if growth is None:
        return None
    return {
        "chance": growth.chance,
        "first": [c.sha for c in growth.first],
        "last": [c.sha for c in growth.last],
        "share": growth.share,
        "between": growth.between,
        "sentence": growth.sentence,
    }


def _text(
    culprit: Found, figure: Figure, board_type: str, builds: Mapping[str, Path], *, public: bool
) -> str:
    """Return the result as text to paste into a mail."""
    lines = []
    if culprit.doubt is not None:
        lines += textwrap.wrap(f"No commit is named: {culprit.doubt}", _WIDTH)
        lines += [f"  {_named(c)}" for c in culprit.commits[:_LISTED]]
        if len(culprit.commits) > _LISTED:
            lines += [f"  and {len(culprit.commits) - _LISTED} more"]
    elif culprit.odds is not None and culprit.odds.growth is not None:
        sentence = culprit.odds.growth.sentence
        lines += textwrap.wrap(sentence[0].upper() + sentence[1:], _WIDTH)
        lines += [f"  {_named(c)}" for c in culprit.commits[:_LISTED]]
    elif len(culprit.commits) == 1:
        word = "worse" if culprit.worse else "better"
        lines += [f"First {word} commit: {_named(culprit.commits[0])}"]
    else:
        lines += ["Skipped commits hide which is the first; it is one of:"]
        lines += [f"  {_named(c)}" for c in culprit.commits]
    lines += ["", f"{figure.name} on {board_type}"]
    base, new = culprit.levels
    lines += [
        f"  {'good':<10}{culprit.good.sha[:12]} {_number(base):>12}",
        f"  {'bad':<10}{culprit.bad.sha[:12]} {_number(new):>12}  {_change(culprit.change)}",
    ]
    if culprit.mode is not None:
        lines += [f"  some boots are in a new mode: {culprit.mode.sentence}"]
    if culprit.odds is not None:
        lines += ["Chances of the commits"]
        lines += [
            f"  {x.commit.sha[:12]} {100 * x.chance:>5.1f} %  {x.commit.subject}"[:_WIDTH]
            for x in culprit.odds.likeliest
        ]
    if culprit.check is not None:
        lines += _checked(culprit, culprit.check)
    lines += ["", f"{culprit.between} commits, {len(culprit.steps)} steps"]
    for s in culprit.steps:
        level = "-" if s.level is None else _number(s.level)
        level = level if s.in_mode is None else f"{s.in_mode} in mode"
        why = f"  {s.why}" if s.why else ""
        lines += [f"  {s.word:<5} {s.commit.sha[:12]} {level:>12} {s.boots:>3} boots{why}"[:_WIDTH]]
    if len(culprit.commits) == 1 and culprit.doubt is None:
        lines += ["", *_trailers(culprit, builds, figure, public=public)]
    return "\n".join([*lines, "", culprit.log])


def _checked(culprit: Found, check: Check) -> Iterator[str]:
    """Yield what fresh seeds and the revert say."""
    base, new = check.levels
    yield "Parent and culprit again, with other seeds"
    if check.in_mode is not None:
        parent, found = check.in_mode
        yield f"  in the mode: {parent} and {found} of {check.boots} boots"
    yield f"  {'parent':<10}{check.parent.sha[:12]} {_number(base):>12}"
    yield (
        f"  {'culprit':<10}{culprit.commits[0].sha[:12]} {_number(new):>12}"
        f"  {_change(check.change)}, {check.share:.0%} of the whole"
    )
    if check.reverted is None:
        yield f"  no revert: {check.no_revert}"
    else:
        yield (
            f"  {'reverted':<10}{'on bad':<12} {_number(check.reverted):>12}  recovers"
            f" {check.recovered:.0%}"
        )


def _trailers(
    answer: Found, builds: Mapping[str, Path], figure: Figure, *, public: bool
) -> list[str]:
    """Return what goes into a mail or a commit, and the commands that say more."""
    culprit = answer.commits[0]
    lines = []
    if answer.worse and public:
        lines += [f'Fixes: {culprit.sha[:12]} ("{culprit.subject}")']
        lines += [f"#regzbot introduced: {culprit.sha}"]
    if answer.check is not None:
        pair = [builds.get(c.sha) for c in (answer.check.parent, culprit)]
        if all(pair):
            lines += ["", "why: vlag profile " + " ".join(map(str, pair))]
            lines += [f"    --benchmark {figure.benchmark.name} --board BOARD"]
    return lines


def _named(c: Commit) -> str:
    named = f'{c.sha} ("{c.subject}")'
    return textwrap.shorten(named, 200, placeholder='...")')


def _number(value: float) -> str:
    from vlag.report.compared import number

    return number(value)


def _change(step: Any) -> str:
    from vlag.report.compared import interval, percent

    return f"{percent(step.effect)} % {interval({'ci_low': step.ci_low, 'ci_high': step.ci_high})}"
