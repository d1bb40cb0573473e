# SPDX-License-Identifier: GPL-2.0-only
"""Files of two boots' decisions: for Perfetto, trace-cmd and KernelShark, and a picture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vlag.durable import replacing
from vlag.profile import decision_text, decision_timeline, ftrace_file
from vlag.profile.decision_first import Pair
from vlag.profile.decision_timeline import Timeline
from vlag.report.plots import decision_plot


def write(folder: Path, pair: Pair, shown: Timeline, *, base: str, new: str) -> Iterator[Path]:
    """Write the files of a seed into a folder that exists, and yield each when it is complete.

    `shown` is its timeline, `base` and `new` are the kernels' names. There is no
    picture where no decision differs. Raises OSError.
    """
    from vlag.profile import perfetto_trace  # noqa: PLC0415 - it loads a large schema

    told = [decision_text.told(difference) for difference in shown.differences]
    target = folder / f"seed-{pair.seed}.perfetto-trace"
    with replacing(target) as draft, draft.open("wb") as out:
        perfetto_trace.write(shown, out, base=base, new=new, told=told)
    yield target
    for side, trace in (("base", pair.base), ("new", pair.new)):
        target = folder / f"seed-{pair.seed}-{side}.dat"
        with replacing(target) as draft:
            draft.write_bytes(ftrace_file.ftrace(trace))
        yield target
    around = decision_timeline.around(shown)
    if around is not None:
        target = folder / f"seed-{pair.seed}.svg"
        with replacing(target) as draft:
            draft.write_text(decision_plot.decisions(around), encoding="utf-8")
        yield target
