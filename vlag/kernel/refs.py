"""What a ref says by its form alone: patterns of tags and merge bases."""

from __future__ import annotations

#: Between two refs: their merge base.  No name of a branch or tag may have two dots.
MERGE_BASE = "..."


def is_pattern(ref: str) -> bool:
    """Return whether a ref is a pattern of tags, such as `v6.6.*`."""
    return any(c in ref for c in "*?[")


def merge_base(upstream: str, ref: str) -> str:
    """Return the ref of the commit where `ref` left `upstream`; git writes it so, too."""
    return f"{upstream}{MERGE_BASE}{ref}"


def is_selection(ref: str) -> bool:
    """Return whether a ref means one commit now and another later, as no branch does."""
    return is_pattern(ref) or MERGE_BASE in ref
