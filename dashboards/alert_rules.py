# SPDX-License-Identifier: GPL-2.0-only
"""Alert rules.

Grafana creates one alert per row: the text columns are its labels, and the threshold applies
to its one number.  Labels must not change while an alert is open, because Grafana would open
a new one.  Values that can change are on the alert's page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from dashboards import names
from vlag.alerts.limits import KEPT
from vlag.config import Alerts

#: Thresholds for opening an alert if vlag.toml has no `[alerts]`.
DEFAULTS = Alerts()

#: Hours after the end of the last night until the next one is late: one day plus 12 h of slack.
_LATE_H = 36

#: Panel of the overview that shows open alerts.
_ALERTS_PANEL = 10

# Grafana evaluates the texts of a rule without a row too: then there are no labels and no values,
# and each function on a missing value is an error in its log.
_ALERT = "{{ with .Labels.alert }}alert?id={{ . }}{{ else }}alerts{{ end }}"

_VALUE = "{{{{ if .Values.A }}}}{{{{ {} .Values.A.Value }}}}{{{{ else }}}}none{{{{ end }}}}"
_OPERATOR = "operator of the service"

_CAUSE = """
SELECT 'alert ' || a.id AS cause, a.id::text AS alert, coalesce(a.tree, '') AS tree,
  coalesce(a.tree || '/' || f.branch, '') AS branch,
  coalesce(a.board_type, '') AS board_type, a.kind,
  coalesce(a.role, '') AS role, a.{column} AS value
FROM read_model.alert a LEFT JOIN LATERAL unnest(a.branches) AS f(branch) ON true
WHERE a.loud AND a.kind IN ('regression', 'slow loss') AND a.{column} IS NOT NULL
  AND NOT a.synthetic
ORDER BY a.id, f.branch
"""

# Until the first night has ended: the time since the first run.  Without any run: no row.
_NIGHT = """
SELECT 'no results' AS cause, 'no results' AS kind,
  (extract(epoch FROM now() - x.since) / 3600)::double precision AS value
FROM (
  SELECT coalesce((SELECT max(n.finished_at) FROM read_model.night n),
                  (SELECT min(r.started_at) FROM read_model.run r
                   WHERE NOT r.synthetic)) AS since
) x
WHERE x.since IS NOT NULL
"""

# A board whose alert somebody muted or closed does not fire here either.
_BOARDS = """
SELECT 'board ' || b.name AS cause, b.name AS board, b.board_type, 'board' AS kind,
  1::double precision AS value
FROM read_model.board b
WHERE b.state = 'maintenance' AND NOT EXISTS (
  SELECT FROM read_model.alert a
  WHERE a.kind = 'board' AND a.board = b.name AND a.withdrawn_at IS NULL AND NOT a.loud)
ORDER BY b.name
"""


@frozen(kw_only=True)
class Rule:
    """One alert rule: its query and its threshold."""

    uid: str
    title: str
    sql: str
    above: float
    # Go templates: `.Labels` are the row's columns, `.Values.A` is its number.
    summary: str
    value: str
    owner: str
    page: str  # below the base address of the web pages


def groups(
    web: str, throughput: float, latency: float, owners: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Return the rules in the format of Grafana's file provisioning.

    `owners` maps TREE/BRANCH or TREE to addresses, in the order in which they are tried.
    """
    owner = _owner(owners)
    rules = [
        Rule(
            uid="vlag-throughput",
            title="Throughput loss",
            sql=_CAUSE.format(column="throughput"),
            above=throughput * KEPT,
            summary=_change("throughput loss"),
            value=_VALUE.format("humanizePercentage"),
            owner=owner,
            page=_ALERT,
        ),
        Rule(
            uid="vlag-latency",
            title="Latency increase",
            sql=_CAUSE.format(column="latency"),
            above=latency * KEPT,
            summary=_change("latency increase"),
            value=_VALUE.format("humanizePercentage"),
            owner=owner,
            page=_ALERT,
        ),
        Rule(
            uid="vlag-no-results",
            title="No results last night",
            sql=_NIGHT,
            above=_LATE_H,
            summary='{{ if .Values.A }}no night has ended for {{ printf "%.0f" .Values.A.Value }}'
            " hours{{ else }}no run is on record{{ end }}",
            value=_VALUE.format('printf "%.0f h"'),
            owner=_OPERATOR,
            page="",
        ),
        Rule(
            uid="vlag-board",
            title="Board left its band",
            sql=_BOARDS,
            above=0,
            summary="{{ if .Values.A }}board {{ .Labels.board }} is in maintenance"
            "{{ else }}no board is in maintenance{{ end }}",
            value="{{ with .Labels.board }}{{ . }}{{ else }}none{{ end }}",
            owner=_OPERATOR,
            page="boards",
        ),
    ]
    return {
        "apiVersion": 1,
        "groups": [
            {
                "orgId": 1,
                "name": "vlag",
                "folder": names.FOLDER,
                "interval": "5m",
                "rules": [_rule(rule, web) for rule in rules],
            }
        ],
    }


def _change(what: str) -> str:
    return (
        f"{{{{ if .Values.A }}}}confirmed {what} of {{{{ humanizePercentage .Values.A.Value }}}}"
        "{{ with .Labels.branch }} in {{ . }}{{ end }}"
        "{{ with .Labels.board_type }} on {{ . }}{{ end }}"
        f"{{{{ else }}}}no open alert with a {what}{{{{ end }}}}"
    )


def _owner(owners: Mapping[str, Sequence[str]]) -> str:
    """Return the template of the addresses that `[mail] owners` has for an alert's branch."""
    found = "no owner in the settings"
    for owner, addresses in reversed(list(owners.items())):
        label = "branch" if "/" in owner else "tree"
        # `index` gives an empty text for a label that is missing, as without a row.
        found = (
            f'{{{{ if eq (index .Labels "{label}") {json.dumps(owner)} }}}}'
            f"{', '.join(addresses)}{{{{ else }}}}{found}{{{{ end }}}}"
        )
    return found


def _rule(rule: Rule, web: str) -> dict[str, Any]:
    span = {"from": 600, "to": 0}  # the statements use no time range, but Grafana requires one
    return {
        "uid": rule.uid,
        "title": rule.title,
        "condition": "B",
        "for": "0s",
        "noDataState": "OK",  # no row: no cause
        "execErrState": "Error",
        "isPaused": False,
        "dashboardUid": names.OVERVIEW,
        "panelId": _ALERTS_PANEL,
        "labels": {"service": "vlag"},
        "annotations": {
            "summary": rule.summary,
            "value": rule.value,
            "owner": rule.owner,
            "page": f"{web}{rule.page}",
        },
        "data": [
            {
                "refId": "A",
                "relativeTimeRange": span,
                "datasourceUid": names.SOURCE,
                "model": {
                    "refId": "A",
                    "datasource": {"type": names.SOURCE_TYPE, "uid": names.SOURCE},
                    "editorMode": "code",
                    "format": "table",
                    "rawQuery": True,
                    "rawSql": rule.sql.strip() + "\n",
                },
            },
            {
                "refId": "B",
                "relativeTimeRange": span,
                "datasourceUid": "__expr__",
                "model": {
                    "refId": "B",
                    "datasource": {"type": "__expr__", "uid": "__expr__"},
                    "type": "threshold",
                    "expression": "A",
                    "conditions": [{"evaluator": {"type": "gt", "params": [rule.above]}}],
                },
            },
        ],
    }
