# SPDX-License-Identifier: GPL-2.0-only
"""The order "worst first" as SQL; `vlag.stats.severity` has its table and its reasons."""

from __future__ import annotations

from typing import Final

#: Rows `v` of the view `verdict`.
FIGURES: Final = (
    "read_model.severity(v.verdict, v.standing), read_model.size(v.effect) DESC,"
    ' v.benchmark COLLATE "C", v.parameters COLLATE "C", v.metric COLLATE "C",'
    ' v.statistic COLLATE "C", v.id'
)
#: Rows `s` of the view `comparison_summary`.
COMPARISONS: Final = (
    's.severity, s.size DESC, s.branch_name COLLATE "C", s.board_type COLLATE "C", s.id DESC'
)
