# SPDX-License-Identifier: GPL-2.0-only
"""Levels and noise of histories: what the steps are judged by."""

from __future__ import annotations

import numpy as np
import pytest

from vlag.stats.levels import Array, contrasts, fit, slope

WIDTH = 16


def drawn() -> Array:
    return np.random.default_rng(1).normal(0, 0.01, 2000)


def test_contrasts_are_in_units_of_their_own_scatter() -> None:
    found = contrasts(drawn(), WIDTH)
    assert len(found) == 2000 - 2 * WIDTH + 1
    assert np.std(found) == pytest.approx(1, abs=0.15)
    assert contrasts(5 + 3 * drawn(), WIDTH) == pytest.approx(found)


def test_a_step_stands_out_at_its_place() -> None:
    logs = drawn()
    logs[1000:] += 0.03
    found = contrasts(logs, WIDTH)
    assert abs(int(np.argmax(found)) + WIDTH - 1000) <= 2
    # 3 % over the standard deviation of a difference of two means of 16 points each.
    assert np.max(found) == pytest.approx(0.03 / (0.01 * np.sqrt(2 / WIDTH)), rel=0.3)


def test_a_spike_does_not() -> None:
    logs = drawn()
    logs[1000] += 10
    assert np.max(np.abs(contrasts(logs, WIDTH))) < 5


def test_a_drift_is_left_out_on_demand() -> None:
    logs = drawn() + 0.001 * np.arange(2000)
    assert np.min(contrasts(logs[:200], WIDTH)) > 0
    found = contrasts(logs[:200], WIDTH, steady=True)
    assert np.median(found) == pytest.approx(0, abs=1e-9)
    assert np.min(found) < 0 < np.max(found)


def test_equal_values_have_no_contrast() -> None:
    assert not np.any(contrasts(np.zeros(100), WIDTH))


def pulls(correlation: float) -> tuple[float, float]:
    """Return the scatter of differences and slopes in units of the errors that are stated.

    None of 400 histories has a step between its sides or a slope; neighbours are correlated.  A
    step at an edge is no slope.
    """
    rng = np.random.default_rng(1)
    steps, slopes = [], []
    for _ in range(400):
        logs = np.empty(60)
        logs[0] = rng.normal()
        for i in range(1, 60):
            own = rng.normal(0, np.sqrt(1 - correlation**2))
            logs[i] = correlation * logs[i - 1] + own
        logs *= 0.01
        found = fit(logs[:30], logs[30:], 0.01)
        steps.append((found.after - found.before) / found.error)
        logs[25:] += 0.3
        steepness, error = slope(logs, (0, 25, 60), 0.01)
        slopes.append(steepness / error)
    return float(np.std(steps)), float(np.std(slopes))


@pytest.mark.parametrize("correlation", [0.0, 0.2])
def test_the_errors_of_a_step_and_a_slope_are_as_stated(correlation: float) -> None:
    assert pulls(correlation) == pytest.approx((1, 1), abs=0.25)


def test_neighbours_that_hang_together_more_than_it_is_allowed_for_are_seen() -> None:
    """Negative control."""
    assert min(pulls(0.8)) > 1.5


def test_a_slope_is_found_over_a_step() -> None:
    logs = drawn()[:60] + 0.002 * np.arange(60)
    logs[25:] += 0.3
    steepness, error = slope(logs, (0, 25, 60), 0.01)
    assert steepness == pytest.approx(0.002, abs=3 * error)
    assert steepness > 5 * error
    assert slope(logs[:1], (0, 1), 0.01) == (0.0, np.inf)
