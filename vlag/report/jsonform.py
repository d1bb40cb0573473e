# SPDX-License-Identifier: GPL-2.0-only
"""A report as JSON for programs: the data of the text, with stable keys."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def render(data: Mapping[str, Any]) -> str:
    """Return a report as JSON text with sorted keys and a final newline."""
    return json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
