# SPDX-License-Identifier: GPL-2.0-only
"""Keys of settings and inventories under former names, which work for one more release."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

#: Former key -> present key: of [[workers.hosts]] and of a host in an inventory.
OF_HOSTS = {"lanes": "slots"}


class FormerKeyWarning(FutureWarning):
    """A file of the user has a key under its former name."""


def with_present_hosts(raw: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return settings whose worker hosts have present keys; `where` is the file.

    What has another form than settings is left to their schema.
    """
    workers = raw.get("workers")
    if not isinstance(workers, dict) or not isinstance(workers.get("hosts"), list):
        return dict(raw)
    renamed = [
        present(host, f"{where}: workers.hosts.{i}") if isinstance(host, dict) else host
        for i, host in enumerate(workers["hosts"])
    ]
    return {**raw, "workers": {**workers, "hosts": renamed}}


def present(host: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return a host's values by present keys, with a warning for each former key.

    A host that has both keeps both, and the schema refuses the former one.
    """
    renamed = {old: new for old, new in OF_HOSTS.items() if old in host and new not in host}
    for old, new in renamed.items():
        warnings.warn(
            f"{where}.{old} is now {new!r}; the old key goes away in the next release",
            FormerKeyWarning,
            stacklevel=2,
        )
    return {renamed.get(key, key): value for key, value in host.items()}
