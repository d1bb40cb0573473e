# SPDX-License-Identifier: GPL-2.0-only
"""How settings name kernels: patterns of tags, merge bases, files of a prebuilt one."""

from __future__ import annotations

from attrs import frozen

#: Between two refs: their merge base.  No name of a branch or tag may have two dots.
MERGE_BASE = "..."


@frozen(kw_only=True)
class Files:
    """A kernel by the path or URL of its image and of its config."""

    image: str
    config: str


def is_pattern(ref: str) -> bool:
    """Return whether a ref is a pattern of tags, such as `v6.6.*`."""
    return any(c in ref for c in "*?[")


def merge_base(upstream: str, ref: str) -> str:
    """Return the ref of the commit where `ref` left `upstream`; git writes it so, too."""
    return f"{upstream}{MERGE_BASE}{ref}"


def is_selection(ref: str) -> bool:
    """Return whether a ref means one commit now and another later, as no branch does."""
    return is_pattern(ref) or MERGE_BASE in ref
