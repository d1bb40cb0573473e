# SPDX-License-Identifier: GPL-2.0-only
"""A client of Buildbot's REST interface."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import requests

from vlag.errors import InfrastructureError

#: Below the site's address: Buildbot's own pages, and vlag's.
UI, PAGES = "buildbot/", "plugins/wsgi_dashboards/vlag/"
#: And what is told of a push, before the name of its tree; Buildbot has hooks of its own there.
PUSH_HOOK = "change_hook/"

#: Request header with the token by which the master knows the service itself.
TOKEN = "X-Vlag-Service"  # noqa: S105 - a name
#: Request header in which the process in front tells the master the visitor's address.
CLIENT = "X-Vlag-Client"

#: Buildbot's numbers of results.
SUCCESS, WARNINGS, FAILURE, SKIPPED, EXCEPTION, RETRY, CANCELLED = range(7)

#: Seconds between one question and the same once more.
_PAUSES_S = (0.2, 1, 3)


def is_asked_again(request: Mapping[str, Any], results: int | None) -> bool:
    """Return whether the build that made an open request was interrupted and makes it again.

    `results` are the build's; None: it has not ended.  A build that came to its end has waited for
    what it waits for; other requests, a commit's build lanes, outlive it.
    """
    return bool(request["waited_for"]) or results in (None, RETRY)


def bracketed(host: str) -> str:
    """Return a host as it stands in an address: IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


class Web:
    """Buildbot's REST interface."""

    def __init__(self, port: int, host: str = "127.0.0.1", secret: Path | None = None):
        """Call the master at this address; control needs the token in the file `secret`."""
        self._secret = secret
        self._root = f"http://{bracketed(host)}:{port}/api/v2"
        self._session = requests.Session()
        self._session.trust_env = False  # no proxy stands between us and ourselves

    def get(self, path: str, **query: Any) -> list[dict[str, Any]]:
        """Return the collection at `path`."""
        document = self._patiently(path, params=query)
        name = path.rsplit("/", 1)[-1]
        lists = (v for k, v in document.items() if k != "meta" and isinstance(v, list))
        entries = document.get(name) or next(lists, [])
        return list(entries)

    def control(self, path: str, method: str, **arguments: Any) -> Any:
        """Call a control method; return its result."""
        body = {"id": 1, "jsonrpc": "2.0", "method": method, "params": arguments}
        return self._call("POST", path, json=body, headers=self._token()).get("result")

    def _token(self) -> dict[str, str]:
        if self._secret is None:
            return {}
        try:
            return {TOKEN: self._secret.read_text(encoding="utf-8").strip()}
        except OSError as e:
            raise InfrastructureError(
                f"{self._secret}: cannot read the service's token ({e.strerror});"
                " `vlag serve` makes it"
            ) from e

    def answers(self) -> bool:
        """Tell whether the master serves requests."""
        try:
            self._call("GET", "/masters")
        except InfrastructureError:
            return False
        return True

    def _patiently(self, path: str, **options: Any) -> dict[str, Any]:
        """Ask again for a while: one answer that is lost must not end the service."""
        for pause_s in _PAUSES_S:
            try:
                return self._call("GET", path, **options)
            except InfrastructureError:
                time.sleep(pause_s)
        return self._call("GET", path, **options)

    def _call(self, verb: str, path: str, **options: Any) -> dict[str, Any]:
        try:
            answer = self._session.request(verb, self._root + path, timeout=30, **options)
            answer.raise_for_status()
            document: dict[str, Any] = answer.json()
        except (requests.RequestException, ValueError) as e:
            raise InfrastructureError(f"Buildbot's web interface: {verb} {path}: {e}") from e
        return document
