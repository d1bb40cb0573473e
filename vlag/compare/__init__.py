"""Comparisons of two kernels or two sets of files: comparability, verdicts, explanations."""
