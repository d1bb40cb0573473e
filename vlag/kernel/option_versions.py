# SPDX-License-Identifier: GPL-2.0-only
"""Which kernels have an option of the fragments: since and until when, and under which name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from vlag import ROOT, notation

#: The list that is shipped.
FILE = ROOT / "workers" / "kconfig" / "versions.toml"

#: In a kernel's makefile.
_NUMBERS = re.compile(r"^VERSION = (\d+)\nPATCHLEVEL = (\d+)$", re.MULTILINE)

Version = tuple[int, int]


@frozen(kw_only=True)
class Lifetime:
    """The kernels that have an option."""

    since: Version | None = None  # an older one may lack it
    until: Version | None = None  # a newer one may lack it
    name: str | None = None  # its name in newer kernels, with CONFIG_
    vendor: bool = False  # no kernel of kernel.org has it

    def may_lack(self, version: Version) -> bool:
        """Return whether a kernel of a version may lack it."""
        return (
            self.vendor
            or (self.since is not None and version < self.since)
            or (self.until is not None and version > self.until)
        )


def load(path: Path = FILE) -> dict[str, Lifetime]:
    """Return the options that some kernels lack, with CONFIG_."""
    return {
        option: Lifetime(
            since=_version(its["since"]) if "since" in its else None,
            until=_version(its["until"]) if "until" in its else None,
            name=its.get("name"),
            vendor=its.get("vendor", False),
        )
        for option, its in notation.read_toml(path.read_bytes()).items()
    }


def of_source(source: Path) -> Version | None:
    """Return a kernel's version by its makefile; None for a source that has none."""
    text = (source / "Makefile").read_text(encoding="utf-8", errors="replace")
    numbers = _NUMBERS.search(text)
    return None if numbers is None else (int(numbers[1]), int(numbers[2]))


def refusal(
    option: str,
    value: str,
    version: Version | None,
    options: Mapping[str, str],
    lifetimes: Mapping[str, Lifetime],
) -> str | None:
    """Return why a kernel that does not know an option is not what a fragment asks for.

    None: it may lack it, or it has no version, as a tree that is no Linux.
    """
    if version is None:
        return None
    known = lifetimes.get(option)
    if known is not None and known.name is not None and known.may_lack(version):
        got = options.get(known.name, "n")
        if got == value:
            return None
        return f"{known.name}={value}, its name in newer kernels; the kernel made it {got}"
    if known is not None and known.may_lack(version):
        return None
    return (
        f"{option}={value}, which Linux {version[0]}.{version[1]} does not know: was it renamed?"
        f" workers/kconfig/{FILE.name} says which kernels may lack an option, and its other name"
    )


def _version(text: str) -> Version:
    major, minor = text.split(".")
    return int(major), int(minor)
