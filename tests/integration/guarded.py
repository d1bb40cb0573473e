# SPDX-License-Identifier: GPL-2.0-only
"""Requests to a guarded port, as somebody from outside makes them."""

from __future__ import annotations

from urllib.parse import urlsplit

import requests

SOCKET = {
    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}  # fmt: skip


def strangers(url: str) -> list[dict[str, str]]:
    """Return headers of requests that other sites send, or make a browser send."""
    netloc = urlsplit(url).netloc
    port = netloc.partition(":")[2]
    return [
        {"Origin": "http://evil.example.org"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": "\xff"},
        {"Host": "\xff"},
        {"Origin": f"https://{netloc}"},
        {"Host": f"evil.example.org:{port}"},
        {"Host": f"evil.example.org:{port}", "Origin": f"http://evil.example.org:{port}"},
    ]


def connected(url: str, **headers: str) -> int:
    """Return the status with which the socket of a master's pages answers."""
    with requests.get(f"{url}ws", headers={**SOCKET, **headers}, stream=True, timeout=60) as answer:
        return answer.status_code


def attempt(
    url: str, name: str, password: str, by: requests.Session | None = None
) -> requests.Response:
    sender = by or requests.Session()
    return sender.get(f"{url}auth/login", auth=(name, password), allow_redirects=False, timeout=60)


FORCE = ("forceschedulers/nightly-now", "force")

#: What controls without starting or stopping a build.
NEVER = [
    ("workers/1", "kill"),
    ("workers/1", "pause"),
    ("workers/1", "unpause"),
    ("workers/1", "stop"),
    ("schedulers/1", "enable"),
    ("buildrequests/1", "set_priority"),
    ("masters/1", "anything"),
    ("nowhere", "anything"),
]
