# SPDX-License-Identifier: GPL-2.0-only
"""A build that goes on from the objects of its branch's last one, or begins anew and says why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import define

from vlag.kept_folders import Store
from vlag.kernel.tuxmake import Tools, Tuxmake
from vlag.kernel.warm_objects import (
    ColdError,
    Files,
    Start,
    differing,
    files,
    keep,
    kept,
    key,
)
from vlag.sandbox import BUBBLEWRAP

#: Files that a note names.
_NAMED = 5


@define
class Warm:
    """The objects that a build may go on from, and those that it leaves."""

    _tuxmake: Tuxmake
    _store: Store
    _key: str
    _files: Files
    _start: Start | None = None

    @classmethod
    def of(
        cls, tuxmake: Tuxmake, tools: Tools, parts: Sequence[Any], unlike: str | None
    ) -> Warm | None:
        """Return what a build may use; None: nothing is kept on this machine, or of its kind.

        `parts` are what else its objects depend on, besides its files; `unlike` says why its kind
        is built from an empty folder.
        """
        if tools.kept is None:
            return None
        if tools.place is None or tools.rules.kind != BUBBLEWRAP:
            unlike = "without bubblewrap the folder has another path each time"
        try:
            if unlike is not None:
                raise ColdError(unlike)
            made_of = files(tuxmake.source)
        except ColdError as e:
            tuxmake.note(_cold(e))
            return None
        return cls(tuxmake, tools.kept, key(tuxmake.compiler, tuxmake.means, *parts), made_of)

    def begin(self) -> bool:
        """Begin with the kept objects; return whether they serve, else the folder is empty."""
        try:
            self._start = self._begun()
        except (ColdError, OSError) as e:
            self.drop(e)
        return self._start is not None

    def _begun(self) -> Start:
        source, objects = self._tuxmake.source, self._tuxmake.objects
        with kept(self._store, self._key) as (folder, made_of):
            paths = differing(source, made_of, self._files, folder)
            start = Start.now()
            if not self._tuxmake.take_over(folder, start.stamp):
                raise ColdError("the kept ones cannot be copied")
        start.date(source, paths, objects)
        named = ", ".join([*paths[:_NAMED], *(["..."] if len(paths) > _NAMED else [])])
        self._tuxmake.note(
            f"from the objects of {made_of.commit[:12]}; files that differ: {len(paths)}"
            + (f" ({named})" if paths else "")
        )
        return start

    def check(self) -> None:
        """Raise ColdError if what was made of kept objects cannot be relied upon."""
        if self._start is not None:
            self._start.check()

    def drop(self, why: Exception) -> None:
        """Begin anew with an empty folder."""
        self._start = None
        self._tuxmake.note(_cold(why))
        self._tuxmake.empty()

    def keep(self, objects: Path) -> None:
        """Keep the objects of a build that is complete."""
        self._tuxmake.note(keep(self._store, self._key, objects, self._files))


def _cold(why: Exception) -> str:
    return f"from an empty folder of objects: {why}"
