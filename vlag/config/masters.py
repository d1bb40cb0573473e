# SPDX-License-Identifier: GPL-2.0-only
"""`[[masters]]` of the settings file: several masters; the first one leads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vlag.config.included import Document
from vlag.config.settings import KINDS, Master


def masters_of(raw: Mapping[str, Any]) -> tuple[Master, ...]:
    """Return the masters of a settings file, with their ports and addresses."""
    ports, web = raw["ports"], raw.get("web", {})
    listed = []
    for i, m in enumerate(raw.get("masters", ())):
        url = m.get("url", web.get("url") if i == 0 else None)
        listed.append(
            Master(
                name=m["name"],
                web_port=m.get("web", ports["web"]),
                worker_port=m.get("worker", ports["worker"]),
                address=None if url is None else f"{url.rstrip('/')}/",
            )
        )
    return tuple(listed)


def check_masters(document: Document) -> Iterator[str]:
    """Yield a sentence on masters that are the same, have no work, or do not exist.

    What only follows from another fault is not one.
    """
    for check in (_check_names, _check_hosts, _check_work):
        faults = list(check(document))
        yield from faults
        if faults:
            return


def _check_names(document: Document) -> Iterator[str]:
    names = [m["name"] for m in document.raw.get("masters", ())]
    for i, name in enumerate(names):
        if name in names[:i]:
            yield (
                f"{document.where('masters', i, 'name')}:"
                f" there are two masters {name!r}; give one another name"
            )


def _check_hosts(document: Document) -> Iterator[str]:
    names = [m["name"] for m in document.raw.get("masters", ())]
    for i, host in enumerate(document.raw.get("workers", {}).get("hosts", ())):
        if "master" not in host:
            continue
        where = document.where("workers", "hosts", i)
        if host["master"] not in names:
            there = ", ".join(names) or "none"
            yield (
                f"{where}.master: no master {host['master']!r} under [[masters]]; there are:"
                f" {there}"
            )
        elif host["master"] != names[0] and "lab" in host.get("takes", ()):
            yield (
                f"{where}.takes: the jobs of labs are followed by the first master's hosts, and"
                f' {host["name"]} is one of {host["master"]}; take "lab" out'
            )


def _check_work(document: Document) -> Iterator[str]:
    raw = document.raw
    names = [m["name"] for m in raw.get("masters", ())]
    hosts = raw.get("workers", {}).get("hosts", ())
    if len(names) < 2:
        return
    if "database" not in raw:
        yield (
            f"{document.where('database')}:"
            " missing; several masters share a PostgreSQL server: name it"
        )
    for i, name in enumerate(names):
        own = [h for h in hosts if h.get("master", names[0]) == name]
        if not own:
            yield (
                f"{document.where('masters', i)}: {name} has no worker host; give it one under"
                f' [[workers.hosts]] with master = "{name}", or take it out'
            )
        elif i == 0 and not any("build" in h.get("takes", KINDS) for h in own):
            yield (
                f"{document.where('workers', 'hosts')}:"
                f' none of master {name} takes "build", but the first master'
                " coordinates on such hosts; add it to `takes` of one"
            )
