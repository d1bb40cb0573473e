# SPDX-License-Identifier: GPL-2.0-only
"""Versions of the tools whose output was tried; another one is read with care, and named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

#: Tool -> versions, as its output names them, of the captures that the parsers are held against.
TRIED: Mapping[str, Sequence[str]] = {
    "cyclictest": ("2.40", "2.60", "2.10"),
    "hammerdb": ("4.4", "4.12"),
    "iperf3": ("3.12", "3.18", "3.22"),
    "oslat": ("2.40", "2.60", "2.10"),
    "pi_stress": ("2.40", "2.60", "2.10"),
    "rt-tests-pairs": ("2.40", "2.10"),
    "signaltest": ("2.40", "2.10"),
    "stress-ng": ("0.12.06", "0.15.06", "0.19.02", "0.22.01"),
    "sysbench": ("1.0.20",),
    "tbench": ("4.00",),
    "unixbench": ("6.0.0",),
}


def note(tool: str, version: str | None) -> str | None:
    """Return what to say of an output by the version that it names; None where nothing is new."""
    if version is None or version in TRIED.get(tool, ()):
        return None
    known = ", ".join(TRIED.get(tool, ())) or "none"
    return (
        f"{tool} {version} was not tried with this parser ({known} were): the layout is known, but"
        " what a figure means may have changed"
    )
