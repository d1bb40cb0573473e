# SPDX-License-Identifier: GPL-2.0-only
"""Lines for tools at the end of a mail about a regression: who reports it, and since when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vlag.config import Settings
from vlag.errors import InfrastructureError
from vlag.kernel.mirror import is_ancestor
from vlag.model import Verdict
from vlag.store.findings import PARENT

Data = Mapping[str, Any]


def of(data: Data, settings: Settings) -> list[str]:
    """Return the trailers of a comparison's data; none unless a regression is proven.

    A regression on purpose and one that was read from a report have none.  "#regzbot introduced"
    needs commits that others can find: the tree is a clone, and the settings name its pages.
    A commit that a search has found has a "Fixes:" for the patch that mends it.
    """
    if data["synthetic"] or data["prediction"] is not None or not any(map(_proven, data["rows"])):
        return []
    lines = [] if settings.reported_by is None else [f"Reported-by: {settings.reported_by}"]
    introduced = _introduced(data, settings)
    if introduced is None:
        return lines
    culprit = _culprit(data)
    if culprit is not None:
        introduced = culprit["commits"][0]
        lines.append(f'Fixes: {introduced[:12]} ("{culprit["subject"]}")')
    return [*lines, f"#regzbot introduced: {introduced}"]


def _culprit(data: Data) -> Data | None:
    """Return the search that found one commit; None: none has, or they do not agree."""
    culprits = {tuple(b["commits"]): b for b in data.get("bisections") or ()}
    if len(culprits) != 1:
        return None
    [one] = culprits.values()
    return one if len(one["commits"]) == 1 else None


def _proven(row: Data) -> bool:
    """Return whether a figure got worse, and neither board nor rerun leaves that open."""
    open_ = row["hint"] or row["standing"] in ("suspected", "hint", "refuted")
    return row["verdict"] == Verdict.REGRESSION.value and not open_ and row["told"] is not False


def _introduced(data: Data, settings: Settings) -> str | None:
    """Return the commit, or the range of commits, that made it worse; None if unknown.

    Only the commits may differ: not patches, variants or knobs.
    """
    base, new = data["base"], data["new"]
    tree = settings.trees.get(new["tree"])
    public = tree is not None and tree.public
    patched = any(k["series"] is not None or k["knobs"] for k in (base, new))
    alike = base["tree"] == new["tree"] and base["variant"] == new["variant"]
    if not public or patched or not alike or base["commit"] == new["commit"]:
        return None
    if data["role"] == PARENT:
        return str(new["commit"])
    try:
        known = is_ancestor(settings.mirror(new["tree"]), base["commit"], new["commit"])
    except InfrastructureError:  # there is no mirror here, or it cannot be read
        return None
    return f"{base['commit']}..{new['commit']}" if known else None
