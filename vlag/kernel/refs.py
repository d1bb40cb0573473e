# SPDX-License-Identifier: GPL-2.0-only
"""How settings name kernels: patterns of tags, merge bases, files of a prebuilt one."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence

from attrs import frozen

#: Between two refs: their merge base.  No name of a branch or tag may have two dots.
MERGE_BASE = "..."

# What stands for a wildcard in the name of a release; a set of characters is one digit.
_NUMBERS = {"*": r"[\d.]*", "?": r"\d"}
_SET = re.compile(r"\[[^\]]+\]")


@frozen(kw_only=True)
class Files:
    """A kernel by the path or URL of its image and of its config."""

    image: str
    config: str


def is_pattern(ref: str) -> bool:
    """Return whether a ref is a pattern of tags, such as `v6.6.*`."""
    return any(c in ref for c in "*?[")


def of_line(tags: Sequence[str], pattern: str) -> list[str]:
    """Return the tags of the line that a pattern names, in their order.

    `v6.6.*` means the point releases: what stands for `*` is digits and dots.  Release candidates,
    `-rt`, `+rpt`, `_suffix` and dates are other lines, unless the pattern names them, or there is
    nothing else that it could mean.
    """
    fitting = [tag for tag in tags if fnmatch.fnmatchcase(tag, pattern)]
    if "rc" not in pattern:
        fitting = [tag for tag in fitting if not re.search(r"-rc\d", tag)]
    numbers = re.compile("".join(_NUMBERS.get(c) or re.escape(c) for c in _SET.sub("?", pattern)))
    releases = [tag for tag in fitting if numbers.fullmatch(tag)]
    dated = {tag for tag in releases if re.search(r"\d{6}", tag)}
    return [tag for tag in releases if tag not in dated] or releases or fitting


def merge_base(upstream: str, ref: str) -> str:
    """Return the ref of the commit where `ref` left `upstream`; git writes it so, too."""
    return f"{upstream}{MERGE_BASE}{ref}"


def is_selection(ref: str) -> bool:
    """Return whether a ref means one commit now and another later, as no branch does."""
    return is_pattern(ref) or MERGE_BASE in ref
