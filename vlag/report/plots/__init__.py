# SPDX-License-Identifier: GPL-2.0-only
"""Plots as self-contained SVG text: no script, no font, no other file.

Equal data gives equal bytes.  The ground is the page's, and colours follow the page where it has
the variables of `vlag.report.colours`.  Each plot has a title and a description for screen
readers, and a word beside each colour.  Values are in the unit of their series, effects relative
(0.01 = 1 %).
"""

from vlag.report.plots.decision_plot import decisions
from vlag.report.plots.distributions import distributions
from vlag.report.plots.flame_plot import flame
from vlag.report.plots.forest import effects
from vlag.report.plots.functions import functions
from vlag.report.plots.history_plot import history
from vlag.report.plots.quantiles import shift
from vlag.report.plots.sparkline import sparkline

__all__ = [
    "decisions",
    "distributions",
    "effects",
    "flame",
    "functions",
    "history",
    "shift",
    "sparkline",
]
