# SPDX-License-Identifier: GPL-2.0-only
"""`vlag decisions`: the first decision of the scheduler that two kernels took differently."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from attrs import frozen

from vlag import config
from vlag.cli.command import FORMAT, as_value, emit, one_sentence, say
from vlag.cli.profile import knobs_of
from vlag.cli.runs import TIMEOUT
from vlag.cli.two_builds import TwoBuilds, observed, which_builds
from vlag.config import catalogue as catalogues
from vlag.errors import blame
from vlag.model import Observation

if TYPE_CHECKING:
    from vlag.profile.decision_first import Pair
    from vlag.profile.decision_timeline import Timeline


@frozen(kw_only=True)
class Options(TwoBuilds):
    """Arguments and options of `vlag decisions`."""

    seed: tuple[int, ...]
    rows: int
    timelines: Path | None


@click.command()
@which_builds
@click.option("--seed", multiple=True, type=click.IntRange(min=1), metavar="N", default=(1,),
              show_default=True, help="A seed to boot both kernels with; repeatable.")  # fmt: skip
@click.option("--rows", type=click.IntRange(1, 1000), default=8, show_default=True,
              help="Rows of each table.")  # fmt: skip
@click.option("--timelines", metavar="FOLDER", type=click.Path(path_type=Path),
              help="Write the boots there, for Perfetto and trace-cmd, and a picture.")  # fmt: skip
@TIMEOUT
@FORMAT
@one_sentence
@as_value(Options)
def decisions(given: Options) -> None:
    """Show the first decision that two kernels take differently.

    BASE and NEW are builds. The board's emulator writes down each switch, wake-up, check for
    preemption and pick, with the queue that it chose from. Both boots are compared by what tasks
    did, not by time: the n-th wake-up of a task is the same in both, whenever it came. What one
    kernel often answers and the other never does is another rule. The guest sees nothing of it.
    BASE and NEW may be one build, with --base-knob or --new-knob.
    """
    from vlag.profile import decision_text, decision_timeline, profile_bundles
    from vlag.profile.decision_first import Pair

    settings = config.load()
    catalogue = catalogues.of(settings)
    seeds = tuple(dict.fromkeys(given.seed))
    booted = observed(given, settings, catalogue, seeds=seeds, observes=Observation.DECISIONS)
    sides = [folders for _, folders in booted]
    knobs = knobs_of(given.knob, given.base_knob, given.new_knob)
    answers = []
    # One seed after the other: a boot of a million events takes a gigabyte.
    for seed, *folders in zip(seeds, *sides, strict=True):
        base, new = map(profile_bundles.read_decisions, folders)
        pair = Pair(seed=seed, base=base, new=new)
        shown = decision_timeline.timeline(pair)
        answers.append(decision_text.answer(pair, shown, rows=given.rows))
        if given.timelines is not None:
            write_timelines(given.timelines, pair, shown, (given.base.name, given.new.name))
    document = decision_text.data(answers, decision_text.toggled(*knobs))
    emit(given.form, document, decision_text.render(document))


def write_timelines(folder: Path, pair: Pair, shown: Timeline, names: tuple[str, str]) -> None:
    """Write a seed's files, and say on standard error which; `names` are base and new.

    Raises UsageError if the folder cannot be written to, InfrastructureError if its disk fails.
    """
    from vlag.report import decision_files

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in decision_files.write(folder, pair, shown, base=names[0], new=names[1]):
            say(f"wrote {path}")
    except OSError as e:
        raise blame(e, f"--timelines {folder}: {e.strerror}; give a folder to write to") from e
