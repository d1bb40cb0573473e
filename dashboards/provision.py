"""What Grafana reads when it starts: data source, folder of dashboards, alert rules and routes.

The committed files take what an installation must say from the environment; `write` puts the
values of one installation in its place.  Grafana expands `$NAME` in all of it but the SQL and
the annotations of rules.
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

#: Who tells people of alerts: our own mail, or Grafana's contact points, never both.
MAIL, GRAFANA = "mail", "grafana"

# Mute times.  With our own mail as the channel Grafana shows alerts and tells nobody.
_ALWAYS, _NEVER, _WEEKENDS = "vlag-always", "vlag-never", "vlag-weekends"
MUTES = {MAIL: _ALWAYS, GRAFANA: _NEVER}

_CONTACT = "vlag"

#: Grafana's own.
PORT = 3000

#: Grafana forgets after five days what it has sent, and sends it again: no number above that
#: would keep it quiet for longer.
_REPEAT = "5d"


@frozen(kw_only=True)
class Values:
    """What an installation must say; the defaults are names in Grafana's environment."""

    postgresql: str = "$VLAG_GRAFANA_POSTGRESQL"  # host:port
    database: str = "$VLAG_GRAFANA_DATABASE"
    user: str = "$VLAG_GRAFANA_USER"
    password: str = "$VLAG_GRAFANA_PASSWORD"  # noqa: S105
    sslmode: str = "$VLAG_GRAFANA_SSLMODE"
    dashboards: str = "$VLAG_GRAFANA_DASHBOARDS"  # folder of the JSON files
    addresses: str = "$VLAG_ALERT_ADDRESSES"  # who is told where no owner is named; `;` between
    mute: str = "$VLAG_ALERT_MUTE"  # name of a mute time
    web: str = names.ADDRESSES[names.WEB]
    throughput: float = DEFAULTS.throughput
    latency: float = DEFAULTS.latency
    owners: Mapping[str, Sequence[str]] = field(factory=dict)  # TREE or TREE/BRANCH -> addresses


def texts(values: Values | None = None) -> dict[str, str]:
    """Return the files as YAML, by path below the provisioning folder."""
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

    `postgresql` is host:port; `addresses` are base URLs by the names `web`, `git` and `lava`;
    `mail` is who gets alerts of branches without an owner, where `channel` is "grafana";
    `throughput` and `latency` are from which change on an alert is opened.
    Only the owner can read the files: one has the password.  Raises UsageError for an
    unknown channel or address, and where Grafana is to tell people but nobody is named.
    """
    if channel not in MUTES:
        raise UsageError(f"alerts.channel: {channel!r} is no channel; there are: mail, grafana")
    if channel == GRAFANA and not mail:
        raise UsageError("alerts.channel is grafana, but nobody is named who gets its alerts")
    given = dict(names.ADDRESSES) | dict(addresses or {})
    unknown = sorted(set(given) - set(names.ADDRESSES))
    if unknown:
        raise UsageError(f"no dashboard has the address {unknown[0]!r}; there are: web, git, lava")
    boards = folder / "dashboards"
    values = Values(
        postgresql=_literal(postgresql),
        database=_literal(database),
        user=_literal(user),
        password=_literal(password),
        sslmode=sslmode,
        dashboards=_literal(str(boards.absolute())),
        # A contact point must have an address, also one that is never used.
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
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.new")
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as f:
            f.write(text + ("" if text.endswith("\n") else "\n"))
        draft.replace(path)
    for path in boards.glob("*.json"):
        if f"dashboards/{path.name}" not in made:
            path.unlink()


def main() -> int:
    """Write for the folder that is named, with what `write` is given as JSON on stdin.

    `port` there is Grafana's own.  Prints the variables of `environment` as JSON.  A
    password on the command line would be there for everybody to see.
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
    """Return the variables for a Grafana on 127.0.0.1 that reads what `write` wrote.

    Anybody on this machine may look; changes need the admin's password, which Grafana keeps.
    It asks no other host for anything.
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
    """Put other base addresses into a dashboard."""
    variables = [
        {**v, "query": addresses[v["name"]]} if v["type"] == "constant" else v
        for v in document["templating"]["list"]
    ]
    return {**document, "templating": {"list": variables}}


def _literal(value: str) -> str:
    """Keep Grafana from expanding what looks like a variable."""
    return value.replace("$", "$$")


def _documents(values: Values) -> dict[str, tuple[str, dict[str, Any]]]:
    return {
        "datasources/vlag.yml": (
            "The one data source: a role that may read the views of schema"
            " `read_model`, nothing else.",
            _data_source(values),
        ),
        "dashboards/vlag.yml": (
            "The folder of the generated dashboards; changes in Grafana itself are not kept.",
            {
                "apiVersion": 1,
                "providers": [
                    {
                        "name": names.FOLDER,
                        "orgId": 1,
                        "folder": names.FOLDER,
                        "folderUid": names.FOLDER,
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
            "They read our alerts, one a cause, and what no row can say: that nothing ran.",
            groups(values.web, values.throughput, values.latency),
        ),
        "alerting/contact-points.yml": (
            "Who is told.  One channel a person: our own mail, or these.",
            {"apiVersion": 1, "contactPoints": _contact_points(values)},
        ),
        "alerting/policies.yml": (
            "Which alert goes where.  This replaces the whole tree of routes of Grafana's"
            " organisation 1.",
            {"apiVersion": 1, "policies": [_policy(values)]},
        ),
        "alerting/mute-times.yml": (
            "VLAG_ALERT_MUTE names one: always, where our own mail tells people; never or"
            " weekends, where Grafana does.",
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
    # A branch's owner before that of its tree.
    owners = sorted(values.owners, key=lambda owner: (-owner.count("/"), owner))
    return {
        "orgId": 1,
        "receiver": _CONTACT,
        "group_by": ["alertname"],
        "routes": [
            {
                "receiver": _CONTACT,
                "object_matchers": [["service", "=", "vlag"]],
                # One message a cause, also where throughput and latency are both worse.
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
                    for owner in owners
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
    """YAML as people read it: lists set in, SQL line by line."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Set lists in below their key."""
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: object) -> bool:
        """Write everything where it stands."""
        return True


def _line_by_line(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _line_by_line)


if __name__ == "__main__":
    sys.exit(main())
