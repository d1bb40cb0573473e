"""`vlag watch`: what the histories of the watched branches show."""

from __future__ import annotations

import click
from attrs import asdict

from vlag import config
from vlag.cli.command import FORMAT, emit, one_sentence, say
from vlag.config import catalogue as catalogues


@click.command()
@FORMAT
@one_sentence
def watch(form: str) -> None:
    """Look at each history along the watched branches: change points, and what to boot again.

    Change points are stored, those that later data removed are withdrawn.  What the last
    nights suspect is no finding: it names pairs of kernels for fresh boots, in turns.
    """
    from vlag.compare.trends import Trends, follow
    from vlag.store.database import connect

    settings = config.load()
    catalogue = catalogues.of(settings)

    def text(found: Trends) -> str:
        lines = [
            f"{found.histories} histories: {found.standing} change points,"
            f" {len(found.found)} of them new, {found.withdrawn} withdrawn"
        ]
        lines += [
            f"{c['benchmark']} {c['metric']} {c['statistic']} on {c['board_type']}:"
            f" {100 * c['effect']:+.1f} % from {c['kernel']} on ({c['cause']})"
            for c in found.found
        ]
        lines += [
            f"to boot again: {', '.join(p['suspects'])} on {p['board_type']}:"
            f" {p['base']['name']} and {p['new']['name']}"
            for p in found.schedule
        ]
        return "\n".join(lines)

    with connect(settings.dsn()) as conn:
        found = follow(conn, settings, catalogue, say)
    emit(form, asdict(found), text(found))
