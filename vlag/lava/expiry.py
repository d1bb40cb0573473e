# SPDX-License-Identifier: GPL-2.0-only
"""When the artifact store removes a folder: by the time that the store itself has counted.

The wall clock of a host may be wrong by years, and must not remove what a board has just sent.
So the store counts, for each folder, how long it has run since something was last published or
sent there, and keeps the counts in its file `ages`.  Time in which the store does not run counts
nothing.
"""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from attrs import define, frozen

from vlag import durable
from vlag.lava import artifacts

log = logging.getLogger(__name__)

#: File beside the folders: a line each, with seconds, time of the last change in ns, and path.
AGES = "ages"
_DAY_S = 86400


@frozen
class _Age:
    """A folder as it was at the last look."""

    seconds: float  # of the store's running time since its last change
    changed: int  # by the wall clock, in ns: any other value is a change


@define
class Expiry:
    """The ages of one store's folders; one process at a time has it."""

    folder: Path
    clock: Callable[[], float] = time.monotonic
    _looked: float | None = None  # by `clock`

    def expire(self, days: float) -> list[str]:
        """Remove what was neither published nor sent to for `days` of running time.

        Returns the names.  Time since the call before counts, at the first call none.
        """
        now = self.clock()
        passed = 0.0 if self._looked is None else max(0.0, now - self._looked)
        self._looked = now
        kept, gone = {}, []
        with artifacts.held(self.folder):
            before = self._read()
            for home in sorted([*self.folder.glob("files/*"), *self.folder.glob("uploads/*")]):
                name, changed = str(home.relative_to(self.folder)), home.stat().st_mtime_ns
                known = before.get(name)
                same = known is not None and known.changed == changed
                age = _Age(known.seconds + passed if known and same else 0.0, changed)
                if age.seconds > days * _DAY_S:
                    shutil.rmtree(home)
                    gone.append(name)
                else:
                    kept[name] = age
            self._write(kept)
        return gone

    def _read(self) -> dict[str, _Age]:
        path = self.folder / AGES
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
            rows = [line.split(" ", 2) for line in lines]
            return {name: _Age(float(seconds), int(changed)) for seconds, changed, name in rows}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as e:
            why = e.strerror if isinstance(e, OSError) else "it is damaged"
            log.info(f"{path}: cannot be read ({why}); the ages of files are counted anew")
            return {}

    def _write(self, ages: dict[str, _Age]) -> None:
        path = self.folder / AGES
        lines = [f"{age.seconds:.0f} {age.changed} {name}\n" for name, age in ages.items()]
        try:
            with durable.replacing(path) as draft:
                draft.write_text("".join(lines), encoding="utf-8")
        except OSError as e:
            log.info(f"{path}: cannot be written ({e.strerror}); files stay for longer")
