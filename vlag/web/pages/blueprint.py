"""The blueprint of the pages, and the words that they share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint

pages = Blueprint("pages", __name__)

Row = Mapping[str, Any]

#: Why two kernels were compared; None: somebody asked.
ROLES = {"baseline": "against the baseline", "parent": "against the parent", None: "by hand"}
