"""What chaos left: bundles and uploads, held against those of an undisturbed service."""

from __future__ import annotations

from bench import chaos_work
from vlag import config
from vlag.store import runs
from vlag.store.database import connect


def stored(settings: config.Settings) -> dict[str, list[str]]:
    """Return the samples of each stored bundle by its digest: one entry unless it is doubled."""
    found: dict[str, list[str]] = {}
    with connect(settings.dsn()) as conn:
        for digest, id_ in conn.execute("SELECT bundle_digest, id FROM run").fetchall():
            figures = runs.figures_of(conn, [id_])
            of = sorted(f"{f.series.metric} {f.figures}" for f in figures)
            found.setdefault(digest, []).append(repr(of))
        for (digest,) in conn.execute("SELECT bundle_digest FROM build").fetchall():
            found.setdefault(digest, []).append("build")
    return found


def uploads(settings: config.Settings, count: int) -> list[int]:
    """Return the bundles whose upload is not in the store as it was sent."""
    wrong = []
    for number in range(count):
        sent = next(chaos_work.place(settings, number).glob("*.json")).read_bytes()
        kept = settings.artifacts / "uploads" / f"boot-{number:05d}" / chaos_work.FILE
        if not kept.is_file() or kept.read_bytes() != sent:
            wrong.append(number)
    return wrong


def judged(found: dict[str, list[str]], wanted: dict[str, list[str]]) -> dict[str, int]:
    """Return how many bundles are lost, doubled, of other samples, or nobody's."""
    return {
        "lost": len(set(wanted) - set(found)),
        "stored twice": sum(len(of) > 1 for of in found.values()),
        "with other samples": sum(found[d][0] != wanted[d][0] for d in set(found) & set(wanted)),
        "of no work": len(set(found) - set(wanted)),
    }
