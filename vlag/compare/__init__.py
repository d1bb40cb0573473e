# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons of two kernels or two sets of files: comparability, verdicts, explanations."""
