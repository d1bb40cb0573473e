# SPDX-License-Identifier: GPL-2.0-only
"""The blueprint of the pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint

pages = Blueprint("pages", __name__)

Row = Mapping[str, Any]
