# SPDX-License-Identifier: GPL-2.0-only
"""What the sweep's page says of its control."""

from __future__ import annotations

from bench.sweep import summary


def test_a_control_that_differs_is_no_change_that_was_found() -> None:
    words = summary([0.0, 0.001, 0.003], [0.003], "-0.10 %")
    assert "The addresses alone make -0.10 %" in words
    assert "with instructions added: from 0.1 % on." in words
    assert words.endswith("relevance: from 0.3 % on.")


def test_a_control_that_does_not_differ_makes_nothing() -> None:
    words = summary([0.003], [], "-0.01 %")
    assert "addresses alone" not in words
    assert "with instructions added: from 0.3 % on." in words
    assert words.endswith("relevance: none of them.")
