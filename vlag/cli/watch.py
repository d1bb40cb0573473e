# SPDX-License-Identifier: GPL-2.0-only
"""`vlag watch`: change points in the histories of the watched branches."""

from __future__ import annotations

import click
from attrs import asdict

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence
from vlag.config import catalogue as catalogues


@click.command()
@FORMAT
@one_sentence
def watch(form: str) -> None:
    """Find and store change points on the watched branches.

    vlag withdraws stored change points that newer data no longer supports. It also lists pairs
    of kernels that need a rerun, because the last nights suggest a change but do not prove
    one. A drift is a level that moves a little every night: vlag prints it, stores no change
    point for it, and notifies nobody. A bimodal history alternates between two levels, each for
    40 points at most; a run of one of them is no change point.
    """
    from vlag.compare.trends import Trends, follow
    from vlag.stats.numbers import plain
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)

    def text(trends: Trends) -> str:
        lines = [
            f"{trends.histories} histories: {trends.standing} change points,"
            f" {len(trends.new_changes)} of them new, {trends.withdrawn} withdrawn"
        ]
        lines += [
            f"{c['benchmark']} {c['metric']} {c['statistic']} on {c['board_type']}:"
            f" {100 * c['effect']:+.1f} % from {c['kernel']} on ({c['cause']})"
            for c in trends.new_changes
        ]
        lines += [
            f"{d['benchmark']} {d['metric']} {d['statistic']} on {d['board_type']} drifts:"
            f" {100 * d['slope']:+.2g} % a point from {d['first']} to {d['last']},"
            f" {100 * d['effect']:+.1f} % in all"
            for d in trends.drifts
        ]
        lines += [
            f"{b['benchmark']} {b['metric']} {b['statistic']} on {b['board_type']} is bimodal:"
            f" {plain(b['low'], 4)} or {plain(b['high'], 4)} {b['unit']},"
            f" {100 * b['share_high']:.0f} % at the upper level, {b['switches']} switches"
            f" from {b['first']} to {b['last']}"
            for b in trends.bimodal
        ]
        lines += [
            f"to boot again: {', '.join(p['suspects'])} on {p['board_type']}:"
            f" {p['base']['name']} and {p['new']['name']}"
            for p in trends.schedule
        ]
        return "\n".join(lines)

    with connect(settings.dsn()) as conn:
        trends = follow(conn, settings, catalogue)
    emit(form, asdict(trends), text(trends))
