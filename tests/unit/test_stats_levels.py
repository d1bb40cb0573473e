"""Levels and noise of histories: what the steps are judged by."""

from __future__ import annotations

import numpy as np
import pytest

from vlag.stats.levels import Array, contrasts

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
