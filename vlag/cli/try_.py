# SPDX-License-Identifier: GPL-2.0-only
"""`vlag try`: a person's patches against their base, as a table for the cover letter."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click
from attrs import frozen

from vlag import config
from vlag.cli.command import COVER_FORMAT, as_value, echo, one_sentence, say, tree_of
from vlag.cli.matrix import BOOTS, compared, entries_of, rendered
from vlag.cli.runs import BOARD_TYPE, PARAM, TIMEOUT, TREE
from vlag.cli.series import fit_lines
from vlag.config import catalogue as catalogues
from vlag.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from vlag.config.catalogue import Catalogue
    from vlag.kernel.mirror import Commit
    from vlag.kernel.patch_mail import Imported, Thread
    from vlag.report.cover_letter import Series
    from vlag.search.series_matrix import Measurement, Patched

_FILE = click.Path(exists=True, path_type=Path)
#: A revision of the mbox itself.
_REVISION = re.compile(r"v([1-9]\d{0,2})")
#: The plan of a series for which none is named.
_PLAN = "commit"


@frozen(kw_only=True)
class Options:
    """Arguments and options of `vlag try`."""

    mbox: Path
    base: str | None
    tree: str | None
    against: str | None
    patches: bool
    name: str | None
    revision: int | None
    plan: str | None
    benchmarks: tuple[str, ...]
    board_type: str
    param: tuple[str, ...]
    boots: int
    timeout_s: int
    form: str


@click.command("try")
@click.argument("mbox", type=_FILE)
@click.option("--base", metavar="REF",
              help="Apply the patches to this (default: base-commit of the mails).")  # fmt: skip
@TREE
@click.option("--against", metavar="MBOX|vN",
              help="Compare with this earlier version, in a file or in MBOX.")  # fmt: skip
@click.option("--patches", is_flag=True, help="Measure also each patch on those before it.")
@click.option("--name", help="Name of the series (default: from its title and revision).")
@click.option("--revision", type=click.IntRange(1, 999), metavar="N",
              help="Which of several revisions in MBOX (v2: 2).")  # fmt: skip
@click.option("--plan", help=f"A plan in lava-jobs/plans/ (default: {_PLAN}).")
@click.option("--benchmark", "benchmarks", multiple=True,
              help="Instead of a plan: a benchmark; repeatable.")  # fmt: skip
@BOARD_TYPE
@PARAM
@BOOTS
@TIMEOUT
@COVER_FORMAT
@one_sentence
@as_value(Options)
def try_(given: Options) -> None:
    """Measure the patches of MBOX against their base.

    The series becomes a folder of kernel-patches/, as by `vlag series import`. It is checked, the
    base and the whole series are built in the sandbox, booted and compared. Kernels and boots on
    record are not made again: after an interrupt the same command goes on where it was. The exit
    status is 20 if the series does not apply, build or boot.
    """
    from vlag.report.data import matrices
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)
    if given.against is not None and given.patches:
        raise UsageError("--against compares whole series; leave out --patches, or --against")
    measurement = _measurement(settings, catalogue, given)
    with connect(settings.dsn()) as conn:  # before anything is read or imported
        thread = _thread(given.mbox, given.revision)
        _choose_base(measurement, given, thread)
        series = _taken(thread, given.name)
        earlier = None if given.against is None else _taken(_earlier(given, given.against), None)
        if earlier is not None and earlier.folder == series.folder:
            raise UsageError(
                f"{given.against}: is the series itself; --against takes another version of it"
            )
        for one in filter(None, (earlier, series)):
            _check(settings.mirror(measurement.tree), measurement.head(), one)
        ids = compared(conn, measurement, _kernels(series, earlier, each=given.patches))
        data = matrices.matrix(conn, catalogue, list(map(str, ids)))
    echo(rendered(data, _named(series, earlier), given.form), nl=False)
    say(f"page: {matrix_page(settings, ids)}")
    failed = [c["failure"] for m in data["matrices"] for c in m["columns"] if c["failure"]]
    if failed:
        sys.exit(ExitCode.KERNEL_FAILED)


def _named(series: Imported, earlier: Imported | None) -> Series:
    """Return what the cover letter calls a series and its versions."""
    from vlag.report.cover_letter import Series

    names: tuple[str | None, str | None] = (None, None)
    if earlier is not None and earlier.revision == series.revision:
        names = ("the earlier one", "this one")
    elif earlier is not None:
        names = (f"v{earlier.revision}", f"v{series.revision}")
    return Series(
        title=series.title,
        subjects=[p.subject for p in series.patches],
        files=[p.name for p in series.patches],
        earlier=names[0],
        version=names[1],
    )


def _kernels(series: Imported, earlier: Imported | None, *, each: bool) -> list[Patched]:
    """Return what is measured: two versions of a series, or a series, and `each` of its patches."""
    from vlag.kernel.series import FULL
    from vlag.search.series_matrix import Patched, applications

    if earlier is not None:
        return [Patched(earlier.folder.name, FULL), Patched(series.folder.name, FULL)]
    modes = ("prefix",) if each else ()
    return [Patched(series.folder.name, a) for a in applications(len(series.patches), modes)]


def matrix_page(settings: config.Settings, ids: list[int]) -> str:
    """Return the address of the page that shows comparisons as one table."""
    from vlag.buildbot import PAGES

    return f"{settings.url}{PAGES}matrix?comparisons={','.join(map(str, ids))}"


def _measurement(settings: config.Settings, catalogue: Catalogue, given: Options) -> Measurement:
    """Return what is built and booted, as far as options say it."""
    from vlag.search.series_matrix import Measurement

    kind = catalogue.board_type(given.board_type)
    return Measurement(
        settings=settings,
        catalogue=catalogue,
        tree=tree_of(settings, given.tree),
        base=given.base or "",
        board_type=kind,
        strange=True,
        entries=entries_of(
            catalogue,
            kind,
            plan=given.plan or (None if given.benchmarks else _PLAN),
            benchmarks=given.benchmarks,
            param=given.param,
            boots=given.boots,
            timeout_s=given.timeout_s,
        ),
    )


def _choose_base(measurement: Measurement, given: Options, thread: Thread) -> None:
    """Take the base that the mails name, unless --base does; UsageError where none does."""
    if given.base is None:
        if thread.base is None:
            raise UsageError(f"{given.mbox}: its mails name no base-commit; give --base REF")
        measurement.base = thread.base
        try:
            commit = measurement.head()
        except UsageError as e:
            raise UsageError(f"{e}: that is the base-commit of the mails; give --base REF") from e
        say(f"base-commit of the mails: {commit.describe}")
    elif thread.base is not None and not measurement.head().sha.startswith(thread.base):
        say(f"--base is another commit than the base-commit of the mails, {thread.base}")
    for need in thread.needs:
        say(f"the mails need besides, which the base must have: {need}")


def _thread(mbox: Path, revision: int | None) -> Thread:
    """Return the series in an mbox; UsageError names the mbox."""
    from vlag.kernel import patch_mail

    try:
        return patch_mail.thread(patch_mail.read(mbox), revision)
    except UsageError as e:
        raise type(e)(str(e) if str(mbox) in str(e) else f"{mbox}: {e}") from e


def _earlier(given: Options, against: str) -> Thread:
    """Return the earlier version: a revision of the mbox, or the series of another one."""
    path = Path(against)
    if not path.exists() and (revision := _REVISION.fullmatch(against)):
        return _thread(given.mbox, int(revision[1]))
    if not path.exists():
        raise UsageError(f"--against {against}: no such file, and no revision such as v1")
    return _thread(path, None)


def _taken(thread: Thread, name: str | None) -> Imported:
    """Return a series in its folder; an interrupted try finds it there."""
    from vlag.kernel import patch_mail
    from vlag.kernel import series as patch_series

    made = patch_mail.take(thread, patch_series.PATCHES, name)
    say(f"{made.folder}: {made.title}{'' if made.new else ', imported before'}")
    for note in made.notes:
        say(f"  {note}")
    for line in made.ours:
        say(f"  counts for nothing in a try, which judges no prediction and sets no knob: {line}")
    return made


def _check(mirror: Path, commit: Commit, made: Imported) -> None:
    """End the command if a patch of a series does not apply; nothing has been built."""
    from vlag.kernel.patch_check import Tree

    with tempfile.TemporaryDirectory(prefix="vlag-series-") as scratch:
        fits = Tree(mirror, commit.sha, Path(scratch)).fit(made.patches)
    if all(fit.state.applies for fit in fits):
        return
    head = f"{made.folder.name} on {commit.describe}"
    echo("\n".join(fit_lines(head, list(enumerate(fits, 1)))))
    sys.exit(ExitCode.KERNEL_FAILED)
