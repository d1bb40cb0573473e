#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tell a LAVA server of its users, dispatchers and devices; run as lavaserver on its host.

Reads one JSON document on stdin, so that no secret stands in a list of processes:

    {"boards": [{"hostname", "device_type", "worker", "tags"}],     as `vlag lava render` says
     "workers": {NAME: TOKEN},
     "users": [{"name", "password"} of an admin, {"name", "token"} of a program]}

Prints a line for each thing that it changes, nothing if all is as asked for; with --check
it changes nothing.  A device that is not asked for any more is retired, never deleted: its
jobs are kept.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lava_server.settings.prod")
django.setup()

from django.contrib.auth.models import Permission, User  # noqa: E402 - only once Django is set up
from django.db import transaction  # noqa: E402
from lava_scheduler_app.models import Device, DeviceType, Tag, Worker  # noqa: E402
from linaro_django_xmlrpc.models import AuthToken  # noqa: E402

#: What is ours bears this mark; whatever else the server has stays as it is.
MARK = "vlag"
#: Whoever is logged in may submit jobs, and cancel their own.  To set a board's health LAVA
#: asks for the one of these; its REST interface wants the other of whoever posts to a device.
RIGHTS = ("add_device", "change_device")


def users(wanted: list[dict[str, Any]]) -> Iterator[str]:
    """Make users; who has a password is an admin, who has a token gets RIGHTS and no more."""
    rights = Permission.objects.filter(
        content_type__app_label="lava_scheduler_app", codename__in=RIGHTS
    )
    for entry in wanted:
        name, admin = entry["name"], "password" in entry
        user, made = User.objects.get_or_create(username=name)
        if made:
            yield f"user {name}: made"
        if (user.is_superuser, user.is_staff, user.is_active) != (admin, admin, True):
            user.is_superuser = user.is_staff = admin
            user.is_active = True
            yield f"user {name}: {'an' if admin else 'no'} admin"
        if admin and not user.check_password(entry["password"]):
            user.set_password(entry["password"])
            yield f"user {name}: a new password"
        elif not admin and user.has_usable_password():
            user.set_unusable_password()
            yield f"user {name}: no password"
        user.save()
        if not admin:
            given = set(user.user_permissions.values_list("pk", flat=True))
            if given != set(rights.values_list("pk", flat=True)):
                user.user_permissions.set(rights)
                yield f"user {name}: may {', '.join(RIGHTS)}"
            yield from token(user, entry["token"])


def token(user: User, secret: str) -> Iterator[str]:
    """Give a user one token of ours, and take away older ones."""
    AuthToken.objects.filter(secret=secret).exclude(user=user).delete()
    old = AuthToken.objects.filter(user=user, description=MARK).exclude(secret=secret)
    if old.exists():
        old.delete()
        yield f"user {user.username}: the old token is gone"
    _, made = AuthToken.objects.get_or_create(
        user=user, secret=secret, defaults={"description": MARK}
    )
    if made:
        yield f"user {user.username}: a new token"


def workers(wanted: dict[str, str]) -> Iterator[str]:
    """Make dispatchers, each with its token."""
    for name, secret in wanted.items():
        worker, made = Worker.objects.get_or_create(
            hostname=name, defaults={"token": secret, "description": MARK}
        )
        if made:
            yield f"worker {name}: made"
        elif worker.token != secret:
            worker.token = secret
            worker.save()
            yield f"worker {name}: a new token"


def devices(boards: list[dict[str, Any]]) -> Iterator[str]:
    """Make device types, devices and tags."""
    for board in boards:
        name = board["hostname"]
        kind, made = DeviceType.objects.get_or_create(name=board["device_type"])
        if made:
            yield f"device type {kind.name}: made"
        facts = {
            "device_type": kind,
            "worker_host": Worker.objects.filter(hostname=board["worker"]).first(),
        }
        device = Device.objects.filter(hostname=name).first()
        if device is None:
            # Not good before somebody, or its health check, says so.
            device = Device(hostname=name, health=Device.HEALTH_UNKNOWN, **facts)
            yield f"device {name}: made"
        elif device.health == Device.HEALTH_RETIRED:
            device.health = Device.HEALTH_UNKNOWN
            yield f"device {name}: is back"
        for key, value in facts.items():
            if getattr(device, key) != value:
                setattr(device, key, value)
                yield f"device {name}: {key} {value}"
        device.description = MARK
        device.save()
        tags = {tag: Tag.objects.get_or_create(name=tag)[0] for tag in board["tags"]}
        if set(tags) != set(device.tags.values_list("name", flat=True)):
            device.tags.set(tags.values())
            yield f"device {name}: tags {' '.join(tags)}"
    names = [board["hostname"] for board in boards]
    gone = Device.objects.filter(description=MARK).exclude(hostname__in=names)
    for device in gone.exclude(health=Device.HEALTH_RETIRED):
        device.health = Device.HEALTH_RETIRED
        device.save()
        yield f"device {device.hostname}: retired"


def main() -> None:
    """Bring the server's tables to what stdin asks for, all of it or nothing."""
    asked = json.load(sys.stdin)
    with transaction.atomic():
        changes = [
            *users(asked["users"]), *workers(asked["workers"]), *devices(asked["boards"])
        ]  # fmt: skip
        if "--check" in sys.argv[1:]:
            transaction.set_rollback(True)
    print(*changes, sep="\n", end="\n" if changes else "")  # noqa: T201 - what it is for


main()
