# SPDX-License-Identifier: GPL-2.0-only
"""Sections below a table of figures: shifts, failures, kernel alarms, sources of the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from vlag.report.compared import number, percent
from vlag.report.layout import section, wrap
from vlag.stats.sentences import probability

_PHASES = {
    "boot": "while booting",
    "setup": "while setting up",
    "benchmark": "while measuring",
    "after": "after measuring",
}


def distributions(c: Mapping[str, Any]) -> list[str]:
    """Return the shift of each distribution, with the change of each quantile."""
    lines: list[str] = []
    for d in c["distributions"]:
        lines += wrap(
            f"{d['benchmark']} {d['metric']}: {d['headline']} ({probability(d['p'])})",
            "  ",
            "      ",
        )
        quantiles = [f"{q['name']} {percent(q['effect'])} %" for q in d["quantiles"]]
        lines += wrap(", ".join(quantiles), " " * 6, " " * 6)
        if d["screen"] is not None:
            lines += wrap(f"screen of the first boots: {d['screen']}", " " * 6, " " * 8)
    return section("Shifts of distributions", lines)


def failures(c: Mapping[str, Any]) -> list[str]:
    """Return builds and runs that failed, with log and command."""
    lines: list[str] = []
    for f in c["failures"]:
        lines += [*failure(f), f"      log:   {f['log']}", f"      again: {f['reproduce']}"]
    return section("Failures", lines)


def failure(f: Mapping[str, Any], prefix: str = "") -> list[str]:
    """Return a build or run that failed, and why."""
    what = f["kind"] if f["kind"] == "build" else f"{f['benchmark']} seed {f['seed']}"
    side = "base and new" if f["side"] == "both" else f["side"]
    return wrap(f"{prefix}{side}: {what}: {f['outcome']}: {f['reason']}", "  ", "      ")


def kernel_alarms(c: Mapping[str, Any]) -> list[str]:
    """Return what the kernels said on the console, and where to read it."""
    lines: list[str] = []
    for h in c["health"]:
        lines += alarm(h)
        if h["callers"]:
            lines += wrap(f"call trace: {' < '.join(h['callers'])}", " " * 6, " " * 8)
        lines.append(f"      {h['where']}")
    return section("Kernel alarms", lines)


def alarm(h: Mapping[str, Any]) -> list[str]:
    """Return an alarm with its runs, and its text."""
    what = h["kind"].replace("_", " ") + (f" in {h['place']}" if h["place"] else "")
    of_new = f"{len(h['runs'])} of {h['of']} runs of new"
    of_base = f"{len(h['base_runs'])} of {h['base_of']} runs of base"
    first, boots = {
        "new": (f"new {what}", of_new),
        "base": (f"only in the base: {what}", of_base),
        "both": (f"also in the base: {what}", f"{of_new}, {of_base}"),
    }[h["side"]]
    when = " and ".join(_PHASES[phase] for phase in h["phases"])
    lines = wrap(f"{first} ({boots}{', ' + when if when else ''})", "  ", "      ")
    return lines + wrap(h["text"], " " * 6, " " * 8)


def listed(title: str, items: Iterable[str]) -> list[str]:
    """Return sentences under a title."""
    return section(title, [x for item in items for x in wrap(item, "  ", "      ")])


def origins(c: Mapping[str, Any]) -> list[str]:
    """Return the runs behind each figure: values, raw file, job, config and command."""
    lines: list[str] = []
    for origin in c["origins"]:
        if not origin["runs"]:
            continue
        lines += wrap(f"{origin['benchmark']} {origin['metric']} [{origin['unit']}]", "  ", "    ")
        for r in origin["runs"]:
            values = ", ".join(f"{s} {number(v)}" for s, v in r["values"].items())
            lines += wrap(
                f"{r['side']} seed {r['seed']} on {r['board']}: {values}"
                + " [kernel alarm]" * r["marked"]
                + " [screen]" * r["screen"],
                "    ",
                " " * 6,
            )
            lines += [f"      raw:    {r['raw']}"]
            lines += [f"      {k + ':':<7} {r[k]}" for k in ("job", "config") if r[k]]
            lines += [f"      again:  {r['reproduce']}"]
    return section("Sources of the numbers", lines)
