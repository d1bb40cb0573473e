# SPDX-License-Identifier: GPL-2.0-only
"""The forecast of a night of three kernels and twenty runs on two boards."""

from __future__ import annotations

from vlag.pipeline.forecast import Forecast

FORECAST = Forecast(
    kernels_to_build=3,
    kernels_reused=0,
    runs_to_do=20,
    runs_reused=0,
    build_s=300,
    measured=False,
    run_s=1200,
    slots=2,
    suspicion_s=300,
)
