# SPDX-License-Identifier: GPL-2.0-only
"""A running artifact store, for the tests that need one."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from attrs import frozen

#: The most that one file may have in these stores.
MOST_BYTES = 1 << 20
_SERVE = """
import resource, sys
from pathlib import Path
from vlag import progress_log
from vlag.lava.artifact_server import serve
if len(sys.argv) > 3:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
with progress_log.shown(lambda line: print(line, file=sys.stderr)):
    serve(Path(sys.argv[1]), "127.0.0.1", 0, most_bytes=int(sys.argv[2]))
"""


@frozen(kw_only=True)
class Store:
    """A running store."""

    folder: Path
    url: str
    said: list[str]  # on stderr

    @property
    def address(self) -> tuple[str, int]:
        host, port = self.url.removeprefix("http://").split(":")
        return host, int(port)

    def put(self, path: str, body: bytes, **headers: str | bytes) -> requests.Response:
        return requests.put(self.url + path, data=body, headers=headers, timeout=30)


@contextlib.contextmanager
def running(folder: Path, *, room: int | None = None) -> Iterator[Store]:
    """Run a store in a process of its own, whose disk takes `room` bytes a file."""
    child = subprocess.Popen(
        [sys.executable, "-c", _SERVE, str(folder), str(MOST_BYTES)]
        + ([] if room is None else [str(room)]),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stderr is not None
    errors = child.stderr
    said: list[str] = []
    first = errors.readline()
    found = re.search(r"http://127\.0\.0\.1:\d+", first)
    if not found:
        child.kill()
        pytest.fail(first + errors.read())
    reader = threading.Thread(target=lambda: said.extend(errors))
    reader.start()
    try:
        yield Store(folder=folder, url=found[0], said=said)
    finally:
        child.terminate()
        status = child.wait(30)
        reader.join(30)
        errors.close()
    assert status == 0
    assert not any("Traceback" in line for line in said), said
