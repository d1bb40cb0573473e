# SPDX-License-Identifier: GPL-2.0-only
"""The master starts once, when all that it needs is there, and a change interrupts it once.

That systemd does so is in tests/long/test_ansible_roles.py.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from vlag import ROOT

ANSIBLE = ROOT / "ansible"
Tasks = list[dict[str, Any]]
MASTER = "vlag-master.service"
WORKER = "vlag-worker.service"
#: In the order in which they start: a worker without a master does not come up.
UNITS = ("vlag-artifacts.service", MASTER, WORKER)
#: Groups whose hosts serve the master or its boards.
SERVE_IT = ("database", "lava_servers", "lava_dispatchers")


def read(path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((ANSIBLE / path).read_text(encoding="utf-8"))
    return found


#: Each file that has tasks or handlers, by its path.
FILES: dict[str, list[dict[str, Any]]] = {
    path: read(path)
    for path in sorted(
        str(p.relative_to(ANSIBLE))
        for place in ("roles/*/tasks/*.yml", "roles/*/handlers/*.yml", "tasks/*.yml", "*.yml")
        for p in ANSIBLE.glob(place)
    )
    if isinstance(read(path), list)
}


def tasks(items: Tasks) -> Iterator[dict[str, Any]]:
    """Yield tasks, also those of plays and of blocks."""
    for item in items:
        yield item
        for part in ("tasks", "pre_tasks", "post_tasks", "handlers", "block", "rescue", "always"):
            yield from tasks(item.get(part) or [])


def states(files: dict[str, Tasks], unit: str) -> list[tuple[str, str]]:
    """Return each place that sets the state of a unit, and the state."""
    found = []
    for path, items in files.items():
        for task in tasks(items):
            service = task.get("ansible.builtin.systemd_service") or {}
            if service.get("name") == unit and "state" in service:
                found.append((path, service["state"]))
    return found


def faults(files: dict[str, Tasks]) -> list[str]:
    """Return what starts the master before all else, or more than once."""
    found = [
        f"{path}: {state}"
        for unit in (MASTER, WORKER)
        for path, state in states(files, unit)
        if state != "stopped" and path != "tasks/start.yml"
    ]
    started = [s["ansible.builtin.systemd_service"]["name"] for s in files["tasks/start.yml"]]
    if tuple(started) != UNITS:
        found.append(f"tasks/start.yml: {started}")
    plays = files["site.yml"]
    [service] = [n for n, p in enumerate(plays) if "buildbot_master" in str(p.get("roles"))]
    hosts = [str(p.get("hosts")) for p in plays]
    found += [f"site.yml: {g}" for g in SERVE_IT if g not in hosts[:service]]
    steps = [
        str(t.get("ansible.builtin.meta") or t.get("ansible.builtin.import_tasks")
            or t.get("ansible.builtin.include_tasks"))
        for t in plays[service]["post_tasks"]
    ]  # fmt: skip
    if steps != ["flush_handlers", "tasks/start.yml", "tasks/answers.yml"]:
        found.append(f"site.yml: {steps}")
    return found


def test_the_master_starts_behind_its_parts_and_in_one_place() -> None:
    assert faults(FILES) == []
    # What changes stops them, so that they start with the change.
    for unit, role in ((MASTER, "buildbot_master"), (WORKER, "buildbot_worker")):
        assert (f"roles/{role}/handlers/main.yml", "stopped") in states(FILES, unit)


def _role_starts_it(files: dict[str, Tasks]) -> None:
    [unit] = [
        t for t in files["roles/buildbot_master/tasks/unit.yml"] if "at each boot" in t["name"]
    ]
    unit["ansible.builtin.systemd_service"]["state"] = "started"


def _handler_restarts_it(files: dict[str, Tasks]) -> None:
    [handler] = files["roles/buildbot_master/handlers/main.yml"]
    handler["ansible.builtin.systemd_service"]["state"] = "restarted"


def _master_first(files: dict[str, Tasks]) -> None:
    files["tasks/start.yml"].reverse()


def _workers_before_it(files: dict[str, Tasks]) -> None:
    start = files["tasks/start.yml"]
    start.insert(0, start.pop())


def _handler_restarts_a_worker(files: dict[str, Tasks]) -> None:
    [handler] = files["roles/buildbot_worker/handlers/main.yml"]
    handler["ansible.builtin.systemd_service"]["state"] = "restarted"


def _dispatchers_after_it(files: dict[str, Tasks]) -> None:
    plays = files["site.yml"]
    [play] = [p for p in plays if p.get("hosts") == "lava_dispatchers"]
    plays.remove(play)
    plays.append(play)


def _started_before_the_handlers(files: dict[str, Tasks]) -> None:
    [play] = [p for p in files["site.yml"] if "buildbot_master" in str(p.get("roles"))]
    play["post_tasks"].insert(0, play["post_tasks"].pop(1))


@pytest.mark.parametrize(
    "change",
    [
        _role_starts_it, _handler_restarts_it, _handler_restarts_a_worker, _master_first,
        _workers_before_it, _dispatchers_after_it,
        _started_before_the_handlers,
    ],
    ids=lambda change: change.__name__.strip("_"),
)  # fmt: skip
def test_another_order_is_seen(change: Any) -> None:
    files = copy.deepcopy(FILES)
    change(files)
    assert faults(files) != []
