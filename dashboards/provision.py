# SPDX-License-Identifier: GPL-2.0-only
"""Grafana's provisioning files: data source, dashboard folder, alert rules and routes.

The committed files take the values of an installation from the environment; `write` inserts the
values of one installation.  Grafana expands `$NAME` everywhere except in the SQL and the
annotations of rules.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from attrs import field, frozen

from dashboards import names
from dashboards.alert_rules import DEFAULTS, groups
from dashboards.statements import JSON, documents
from vlag.errors import ExitCode, UsageError

#: Channel of alert notifications: vlag's own mail or Grafana's contact points, never both.
MAIL, GRAFANA = "mail", "grafana"

# Mute times.  If vlag's own mail is the channel, Grafana shows alerts and notifies nobody.
_ALWAYS, _NEVER, _WEEKENDS = "vlag-always", "vlag-never", "vlag-weekends"
MUTES = {MAIL: _ALWAYS, GRAFANA: _NEVER}

_CONTACT = "vlag"

#: Grafana's default port.
PORT = 3000

#: Grafana forgets sent notifications after five days, so a longer interval has no effect.
_REPEAT = "5d"


@frozen(kw_only=True)
class Values:
    """Values of an installation; the defaults are variables of Grafana's environment."""

    postgresql: str = "$VLAG_GRAFANA_POSTGRESQL"  # host:port
    database: str = "$VLAG_GRAFANA_DATABASE"
    user: str = "$VLAG_GRAFANA_USER"
    password: str = "$VLAG_GRAFANA_PASSWORD"  # noqa: S105
    sslmode: str = "$VLAG_GRAFANA_SSLMODE"
    dashboards: str = "$VLAG_GRAFANA_DASHBOARDS"  # folder of the JSON files
    addresses: str = "$VLAG_ALERT_ADDRESSES"  # recipients without an owner, separated by `;`
    mute: str = "$VLAG_ALERT_MUTE"  # name of a mute time
    web: str = names.ADDRESSES[names.WEB]
    throughput: float = DEFAULTS.throughput
    latency: float = DEFAULTS.latency
    owners: Mapping[str, Sequence[str]] = field(factory=dict)  # TREE or TREE/BRANCH -> addresses

    @property
    def named(self) -> dict[str, Sequence[str]]:
        """The owners with the owner of a branch before the owner of its tree."""
        return {k: self.owners[k] for k in sorted(self.owners, key=lambda k: (-k.count("/"), k))}


def texts(values: Values | None = None) -> dict[str, str]:
    """Return the YAML files by path below the provisioning folder."""
    given = values or Values()
    return {
        name: f"# {said}\n" + yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=100)
        for name, (said, document) in _documents(given).items()
    }


def write(
    folder: Path,
    *,
    postgresql: str,
    database: str,
    user: str,
    password: str,
    sslmode: str = "disable",
    addresses: Mapping[str, str] | None = None,
    channel: str = MAIL,
    mail: Sequence[str] = (),
    owners: Mapping[str, Sequence[str]] | None = None,
    throughput: float = DEFAULTS.throughput,
    latency: float = DEFAULTS.latency,
    json_folder: Path = JSON,
) -> None:
    """Write `provisioning/` and `dashboards/` for one Grafana below `folder`.

    `postgresql` is host:port; `addresses` maps `web` and `lava` to base URLs; `mail` are
    the recipients for branches without an owner if `channel` is "grafana"; `throughput` and
    `latency` are the thresholds for opening an alert.  Only the owner can read the files: one
    contains the password.  Raises UsageError for an unknown channel or address, and if Grafana
    is the channel without a recipient.
    """
    if channel not in MUTES:
        raise UsageError(f"alerts.channel: unknown channel {channel!r}; use mail or grafana")
    if channel == GRAFANA and not mail:
        raise UsageError("alerts.channel is grafana, but the settings name no recipient")
    given = dict(names.ADDRESSES) | dict(addresses or {})
    unknown = sorted(set(given) - set(names.ADDRESSES))
    if unknown:
        raise UsageError(f"unknown base address {unknown[0]!r}; known: web, lava")
    boards = folder / "dashboards"
    values = Values(
        postgresql=_literal(postgresql),
        database=_literal(database),
        user=_literal(user),
        password=_literal(password),
        sslmode=sslmode,
        dashboards=_literal(str(boards.absolute())),
        # Grafana requires an address even for a contact point that is never used.
        addresses=_literal(";".join(mail) or "nobody@localhost"),
        mute=MUTES[channel],
        web=given[names.WEB],
        throughput=throughput,
        latency=latency,
        owners={k: [_literal(a) for a in v] for k, v in (owners or {}).items()},
    )
    made = {f"provisioning/{name}": text for name, text in texts(values).items()}
    for name, document in documents(json_folder).items():
        made[f"dashboards/{name}"] = json.dumps(_with(document, given), indent=1, sort_keys=True)
    for name, text in made.items():
        _replace(folder / name, text)
    for path in boards.glob("*.json"):
        if f"dashboards/{path.name}" not in made:
            path.unlink()


def _replace(path: Path, text: str) -> None:
    """Write a file that only its owner can read, in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as f:
        f.write(text + ("" if text.endswith("\n") else "\n"))
    draft.replace(path)


def main() -> int:
    """Write the files to the folder in argv[1]; stdin has the arguments of `write` as JSON.

    `port` in this JSON is Grafana's port.  Prints the variables of `environment` as JSON.  stdin
    is used because other users could read a password on the command line.
    """
    folder = Path(sys.argv[1]).absolute()
    try:
        given = json.load(sys.stdin)
        port = given.pop("port", PORT)
        write(folder, **given)
    except UsageError as e:
        print(f"vlag: {e}", file=sys.stderr)  # noqa: T201
        return ExitCode.USAGE
    print(json.dumps(environment(folder, port)))  # noqa: T201
    return 0


def environment(folder: Path, port: int = PORT) -> dict[str, str]:
    """Return the environment of a Grafana on 127.0.0.1 that reads the files from `write`.

    Every user of this machine may view dashboards; changes need the admin password, which Grafana
    stores.  Grafana contacts no other host.
    """
    return {
        "GF_PATHS_PROVISIONING": str(folder / "provisioning"),
        "GF_PATHS_DATA": str(folder / "data"),
        "GF_PATHS_LOGS": str(folder / "log"),
        "GF_SERVER_HTTP_ADDR": "127.0.0.1",
        "GF_SERVER_HTTP_PORT": str(port),
        "GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH": str(
            folder / "dashboards" / f"{names.OVERVIEW}.json"
        ),
        "GF_AUTH_ANONYMOUS_ENABLED": "true",
        "GF_AUTH_ANONYMOUS_ORG_ROLE": "Viewer",
        "GF_ANALYTICS_REPORTING_ENABLED": "false",
        "GF_ANALYTICS_CHECK_FOR_UPDATES": "false",
        "GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES": "false",
        "GF_NEWS_NEWS_FEED_ENABLED": "false",
        "GF_PLUGINS_PREINSTALL_DISABLED": "true",
    }


def _with(document: dict[str, Any], addresses: Mapping[str, str]) -> dict[str, Any]:
    """Replace the base addresses of a dashboard."""
    variables = [
        {**v, "query": addresses[v["name"]]} if v["type"] == "constant" else v
        for v in document["templating"]["list"]
    ]
    return {**document, "templating": {"list": variables}}


def _literal(value: str) -> str:
    """Escape `$`, so that Grafana expands no variable."""
    return value.replace("$", "$$")


def _documents(values: Values) -> dict[str, tuple[str, dict[str, Any]]]:
    return {
        "datasources/vlag.yml": (
            "The only data source: a role that may read the views of schema"
            " `read_model` and nothing else.",
            _data_source(values),
        ),
        "dashboards/vlag.yml": (
            "The folder of the generated dashboards; Grafana does not save changes to them.",
            {
                "apiVersion": 1,
                "providers": [
                    {
                        "name": names.FOLDER,
                        "orgId": 1,
                        # No UID: Grafana provisions alert rules first, and they make the folder by
                        # its title.  With a UID it would make a second one, and 11.0 would stop.
                        "folder": names.FOLDER,
                        "type": "file",
                        "disableDeletion": False,
                        "allowUiUpdates": False,
                        "updateIntervalSeconds": 60,
                        "options": {"path": values.dashboards},
                    }
                ],
            },
        ),
        "alerting/rules.yml": (
            "Rules for vlag's alerts, one per cause, and for nights without results.",
            groups(values.web, values.throughput, values.latency, values.named),
        ),
        "alerting/contact-points.yml": (
            "Recipients.  Each person has one channel: vlag's own mail or these contact points.",
            {"apiVersion": 1, "contactPoints": _contact_points(values)},
        ),
        "alerting/policies.yml": (
            "Routes of alerts.  They replace all routes of Grafana's organisation 1.",
            {"apiVersion": 1, "policies": [_policy(values)]},
        ),
        "alerting/mute-times.yml": (
            "VLAG_ALERT_MUTE selects one: always if vlag's own mail notifies people; never or"
            " weekends if Grafana does.",
            {"apiVersion": 1, "muteTimes": _mute_times()},
        ),
    }


def _data_source(values: Values) -> dict[str, Any]:
    return {
        "apiVersion": 1,
        "datasources": [
            {
                "name": names.SOURCE,
                "uid": names.SOURCE,
                "type": names.SOURCE_TYPE_ANY,
                "access": "proxy",
                "orgId": 1,
                "url": values.postgresql,
                "user": values.user,
                "isDefault": True,
                "editable": False,
                # Newer versions do not read the database from the top level.
                "jsonData": {
                    "database": values.database,
                    "sslmode": values.sslmode,
                    "postgresVersion": 1500,
                    "timescaledb": False,
                    "maxOpenConns": 10,
                    "maxIdleConns": 2,
                },
                "secureJsonData": {"password": values.password},
            }
        ],
    }


def _contact_points(values: Values) -> list[dict[str, Any]]:
    who = {_CONTACT: values.addresses} | {
        f"{_CONTACT} {owner}": ";".join(addresses) for owner, addresses in values.owners.items()
    }
    return [
        {
            "orgId": 1,
            "name": name,
            "receivers": [
                {
                    "uid": f"vlag-{hashlib.sha256(name.encode()).hexdigest()[:12]}",
                    "type": "email",
                    "settings": {"addresses": addresses, "singleEmail": False},
                    "disableResolveMessage": False,
                }
            ],
        }
        for name, addresses in who.items()
    ]


def _policy(values: Values) -> dict[str, Any]:
    return {
        "orgId": 1,
        "receiver": _CONTACT,
        "group_by": ["alertname"],
        "routes": [
            {
                "receiver": _CONTACT,
                "object_matchers": [["service", "=", "vlag"]],
                # One message per cause, even if both throughput and latency are worse.
                "group_by": ["cause"],
                "group_wait": "1m",
                "group_interval": "5m",
                "repeat_interval": _REPEAT,
                "mute_time_intervals": [values.mute],
                "routes": [
                    {
                        "receiver": f"{_CONTACT} {owner}",
                        "object_matchers": [["branch" if "/" in owner else "tree", "=", owner]],
                        "group_by": ["cause"],
                        "mute_time_intervals": [values.mute],
                    }
                    for owner in values.named
                ],
            }
        ],
    }


def _mute_times() -> list[dict[str, Any]]:
    spans: dict[str, dict[str, Any]] = {
        _ALWAYS: {"times": [{"start_time": "00:00", "end_time": "24:00"}]},
        _NEVER: {"years": ["2000"]},
        _WEEKENDS: {"weekdays": ["saturday", "sunday"]},
    }
    return [{"orgId": 1, "name": name, "time_intervals": [span]} for name, span in spans.items()]


class _Dumper(yaml.SafeDumper):
    """YAML dumper with indented lists and SQL as block text."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent lists below their key."""
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: object) -> bool:
        """Write repeated values in full instead of aliases."""
        return True


def _line_by_line(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _line_by_line)


if __name__ == "__main__":
    sys.exit(main())
