# SPDX-License-Identifier: GPL-2.0-only
"""The kernels to measure of a watched branch: the plain branch, or with its series."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import field, frozen

from vlag.config import EACH, Branch
from vlag.errors import UsageError
from vlag.kernel import series
from vlag.kernel.series import FULL, NONE, PATCHES, Application, Patch


@frozen(kw_only=True)
class Candidate:
    """One kernel to build of a branch, and the knobs of its runs."""

    series: str | None  # folder of `kernel-patches/`; None: none is applied
    application: str  # as `vlag build --application` takes it
    knobs: Mapping[str, str] = field(factory=dict)  # as `vlag run --knob` takes them
    label: str  # for people


def candidates(branch: Branch, name: str, root: Path = PATCHES) -> list[Candidate]:
    """Return the candidates of the watched branch `name`, each once.

    A single patch that needs knobs gives two: without them and with them.  The result is
    empty if only `each` is requested and no patch applies to the branch.
    Raises UsageError for a series that cannot be read or an application beyond it.
    """
    if branch.series is None:
        return [Candidate(series=None, application=str(NONE), label=name)]
    patches = series.read(root, branch.series)
    listed: list[Candidate] = []
    for text in branch.applications:
        for application in _applications(text, patches, name):
            try:
                applied = series.select(patches, application)
            except UsageError as e:
                raise UsageError(f"{root / branch.series}: {e}") from e
            listed += _of(branch.series, application, applied, name)
    return [c for i, c in enumerate(listed) if c not in listed[:i]]


def predicts(name: str | None, application: str) -> bool:
    """Return whether a kernel with a series applied so is to hold a prediction."""
    if name is None:
        return False
    try:
        chosen = series.select(series.read(PATCHES, name), Application.parse(application))
    except UsageError:
        return False
    return len(chosen) == 1 and chosen[0].trailers.predicts is not None


def _applications(text: str, patches: tuple[Patch, ...], name: str) -> list[Application]:
    if text != EACH:
        return [Application.parse(text)]
    return [Application("solo", i) for i, p in enumerate(patches, 1) if p.fits(name)]


def _of(
    folder: str, application: Application, applied: tuple[Patch, ...], name: str
) -> list[Candidate]:
    if application == NONE:
        return [Candidate(series=None, application=str(NONE), label=name)]
    knobs: Mapping[str, str] = {}
    if application.kind == "solo":
        label = f"{name} + {applied[0].title}"
        knobs = applied[0].trailers.knobs
    else:
        label = f"{name} + {folder}" + ("" if application == FULL else f" {application}")
    plain = Candidate(series=folder, application=str(application), label=label)
    if not knobs:
        return [plain]
    words = " ".join(f"{k}={v}" for k, v in knobs.items())
    return [
        plain,
        Candidate(
            series=folder, application=str(application), knobs=knobs, label=f"{label} ({words})"
        ),
    ]
