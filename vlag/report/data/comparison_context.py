# SPDX-License-Identifier: GPL-2.0-only
"""What a maintainer asks of a comparison beside its figures: config, known changes, suspects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from pathlib import Path

from vlag.bundle import sha256
from vlag.compare.history_steps import step_of
from vlag.compare.toggle_attribution import Attribution, summary
from vlag.config.catalogue import Catalogue
from vlag.kernel import kconfig
from vlag.model import Verdict
from vlag.report import read_model
from vlag.report.data import explanations, machine
from vlag.report.document import ConfigData, Context, KnownChange, Suspects
from vlag.store import changes, comparisons, kernels
from vlag.store.builds import Build
from vlag.store.changes import Change
from vlag.store.comparisons import Comparison, VerdictRow
from vlag.store.database import Connection
from vlag.store.findings import PARENT
from vlag.store.kernels import Kernel

Options = Mapping[str, str]


def beside(
    conn: Connection,
    catalogue: Catalogue,
    comparison: Comparison,
    compared: Mapping[str, Kernel],
    made: Mapping[str, Sequence[Build]],
    configs: Mapping[str, Options | None],
    verdicts: Sequence[VerdictRow],
) -> Context:
    """Return the part of a comparison's data that this module knows, without the frequencies.

    `compared`, `made` and `configs` are the kernels, their builds and their options by side,
    "base" and "new"; `verdicts` have the worst first.
    """
    assert comparison.id is not None  # noqa: S101 - it is on record
    worse = [v for v in verdicts if v.verdict == Verdict.REGRESSION.value and not v.hint]
    attributions = explanations.attributed(conn, catalogue, comparison.id, worse)
    base, new = (machine.release(made[side]) for side in ("base", "new"))
    return {
        "config": config(configs["base"], configs["new"]),
        "known_changes": known_changes(
            catalogue, base, new, {(v.benchmark, v.metric) for v in verdicts}
        ),
        "attribution": explanations.accounting(attributions),
        "suspects": suspects(conn, comparison, compared, worse, attributions),
    }


def options(made: Sequence[Build]) -> Options | None:
    """Return the options of a kernel's last build that has an image: CONFIG_NAME -> value.

    None without such a build, and if its config is gone or is no longer the recorded one.
    """
    built = [b for b in made if b.image is not None]
    if not built:
        return None
    path = Path(built[-1].location) / built[-1].config
    try:
        if sha256(path) != built[-1].config_sha256:
            return None
        return kconfig.options(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None


def config(base: Options | None, new: Options | None) -> ConfigData | None:
    """Return the options that differ, as `kconfig.Differences` has them; None if unknown."""
    if base is None or new is None:
        return None
    changes = kconfig.differences(base, new)
    return {
        "changed": [
            {"option": name, "base": before, "new": after}
            for name, (before, after) in changes.changed.items()
        ],
        "new": [{"option": name, "value": value} for name, value in changes.new.items()],
        "gone": [{"option": name, "value": value} for name, value in changes.gone.items()],
    }


def known_changes(
    catalogue: Catalogue, base: str | None, new: str | None, figures: Set[tuple[str, str]]
) -> list[KnownChange]:
    """Return the changes by design between two releases, those of few benchmarks first.

    `figures` are benchmark and metric of what was compared.  `side` is the one that has the
    change: "new", or "base" if new is the older kernel.
    """
    fitting = [
        (c, side)
        for c in catalogue.known_changes
        if (side := c.side_with(base, new)) is not None and c.concerns(figures)
    ]
    fitting.sort(key=lambda pair: not (pair[0].benchmarks or pair[0].metrics))
    return [
        {"between": list(c.between), "text": c.text, "commit": c.commit, "side": side}
        for c, side in fitting
    ]


def suspects(
    conn: Connection,
    comparison: Comparison,
    compared: Mapping[str, Kernel],
    worse: Sequence[VerdictRow],
    attributed: Sequence[Attribution],
) -> Suspects:
    """Return a sentence each on commit, toggle and function that a worsening may come from.

    `worse` are the regressions that are no hints, the worst first.  None: nothing on record.
    """
    assert comparison.id is not None  # noqa: S101 - it is on record
    if not worse:
        return {"commit": None, "toggle": None, "function": None}
    toggled = any(a.report.toggles for a in attributed)
    screen = comparisons.screen_of(conn, comparison.id) or comparison.id
    return {
        "commit": read_model.since_of(conn, [screen]) or _commit(conn, comparison, compared, worse),
        "toggle": summary(attributed) if toggled else None,
        "function": explanations.function_of(conn, screen),
    }


def _commit(
    conn: Connection,
    comparison: Comparison,
    compared: Mapping[str, Kernel],
    worse: Sequence[VerdictRow],
) -> str | None:
    """Name the commit that was compared with its parent, else between which heads it began.

    Where no earlier head was good it is the step in a history.  A search knows better.
    """
    new = compared["new"]
    if new.series is not None or comparison.new_knobs or comparison.base_knobs:
        return None
    if comparison.role == PARENT:
        return f'{new.commit[:12]} ("{new.subject}"), compared with its parent'
    by_id = {v.id: v for v in worse if v.id is not None}
    for id_, onset in read_model.onsets(conn, list(by_id)).items():
        if onset.words:
            return f"{onset.words}, of {by_id[id_].benchmark} {by_id[id_].metric}"
    if new.branch is None or new.variant != "default":
        return None
    series = sorted({v.series_new for v in worse if v.series_new is not None})
    standing = changes.standing(conn, tree=new.tree, branch=new.branch, series=series)
    since, until = compared["base"].committed_at, new.committed_at
    for v in worse:
        step = step_of(standing, v.series_new, v.statistic, v.effect)
        if step is None:
            continue
        before, after = (kernels.by_id(conn, k) for k in (step.before_kernel, step.kernel))
        if since <= before.committed_at and after.committed_at <= until:
            return f"{_step(before, after, step)} of {v.benchmark} {v.metric}"
    return None


def _step(before: Kernel, after: Kernel, step: Change) -> str:
    named = (f"{k.release or k.describe} {k.commit[:12]}" for k in (before, after))
    return f"between {' and '.join(named)}: a step of {100 * step.effect:+.2f} % in the history"
