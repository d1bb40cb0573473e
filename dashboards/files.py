# SPDX-License-Identifier: GPL-2.0-only
"""All generated files, as text."""

from __future__ import annotations

import json

from dashboards import (
    boards,
    branch,
    compare,
    five_seconds,
    latency,
    matrix,
    overview,
    provision,
    run,
)

DASHBOARDS = (overview, branch, compare, latency, matrix, boards, run)


def made() -> dict[str, str]:
    """Return what `python -m dashboards` writes: path below this package, text."""
    built = [module.dashboard() for module in DASHBOARDS]
    shown = {
        f"json/{document['uid']}.json": json.dumps(document, indent=1, sort_keys=True) + "\n"
        for document in built
    }
    return {
        **shown,
        **{f"provisioning/{name}": text for name, text in provision.texts().items()},
        five_seconds.PAGE: five_seconds.page(built),
    }
