# SPDX-License-Identifier: GPL-2.0-only
"""The numbers that forms print on a line."""

from __future__ import annotations

import math
import re

NUMBER, CHANGE = r"([\d,.]+)", r"([+-]?[\d,.]+)\s?%"

TEXT = re.compile(rf"^ *{NUMBER} +{NUMBER} +{CHANGE}", re.MULTILINE)

MARKDOWN = re.compile(rf"\| {NUMBER} \| {NUMBER} \| {CHANGE} \|")


def agree(found: tuple[str, ...], digits: int) -> bool:
    """Return whether three printed numbers agree within the rounding of their digits."""
    base, new, change = (float(x.replace(",", "")) for x in found)
    ratio = new / base
    step = 10.0 ** -len(found[2].partition(".")[2])
    error = sum(0.5 * 10.0 ** (math.floor(math.log10(x)) + 1 - digits) / x for x in (base, new))
    return abs(100 * (ratio - 1) - change) <= 0.501 * step + 100 * ratio * error * 1.001
