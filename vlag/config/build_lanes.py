# SPDX-License-Identifier: GPL-2.0-only
"""The build lanes, from `workers/lanes.toml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from vlag import ROOT, notation
from vlag.config.documents import contents, fault
from vlag.errors import UsageError
from vlag.kernel.lane_kind import GCC, Lane

LANES = ROOT / "workers" / "lanes.toml"
#: In the settings: every lane.
ALL = "all"

_TARGETS = ("kernel/sched/",)


def read(path: Path = LANES) -> dict[str, Lane]:
    """Return the lanes of a file by name, in its order.

    Raises UsageError with file and key for anything wrong or unknown.
    """
    raw = contents(path, "TOML", notation.read_toml)
    if wrong := fault(raw, "lanes.schema.json"):
        raise UsageError(f"{path}: {wrong}")
    lanes = {}
    for name, one in raw["lanes"].items():
        base = one.get("base", "defconfig")
        common = raw["base"].get(base, {}).get("kconfig", ())
        lanes[name] = Lane(
            name=name,
            description=one["description"],
            arch=one.get("arch", "x86_64"),
            base=base,
            kconfig=_options([*common, *one.get("kconfig", ())]),
            needs=_options(one.get("needs", ())),
            compiler=one.get("compiler", GCC),
            targets=tuple(one.get("targets", _TARGETS)),
        )
    return lanes


def chosen(names: str | Sequence[str], known: Mapping[str, Lane] | None = None) -> tuple[str, ...]:
    """Return the names of lanes, each once: "all", or a list.

    Raises UsageError for a name that is no lane.
    """
    known = read() if known is None else known
    if names == ALL:
        return tuple(known)
    for name in names:
        if name not in known:
            raise UsageError(
                f'no build lane {name!r}; there are: {", ".join(known)}, and "{ALL}" names'
                f" every one ({LANES.relative_to(ROOT)})"
            )
    return tuple(dict.fromkeys(names))


def _options(lines: Iterable[str]) -> dict[str, str]:
    return dict(line.split("=", 1) for line in lines)
