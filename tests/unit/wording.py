# SPDX-License-Identifier: GPL-2.0-only
"""Words that the kernel's lists do not use for what vlag does, each with what people write."""

from __future__ import annotations

import re

#: Both kernels boot again: a rerun.  A quantile needs more samples than there are: too few samples.
_UNWANTED = re.compile(
    r"\bfresh (?:boot|run)s?\b|\bfresh ones\b|\bdo(?:es)? not know (?:p\d|\{)", re.IGNORECASE
)


def unwanted(text: str) -> list[str]:
    """Return the unwanted words of a text, wherever its lines break; "{" stands for any value."""
    return _UNWANTED.findall(" ".join(text.split()))
