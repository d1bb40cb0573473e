# SPDX-License-Identifier: GPL-2.0-only
"""Grafana as code: dashboard builders, generated JSON and provisioning files."""

from __future__ import annotations

from dashboards.statements import committed, rules


def queries() -> list[tuple[str, str, str]]:
    """Return every statement that Grafana sends: dashboard, place on it, SQL with variables."""
    return [(s.dashboard, s.place, s.sql) for s in (*committed(), *rules())]
