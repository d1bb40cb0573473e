# SPDX-License-Identifier: GPL-2.0-only
"""Coverage-guided fuzzing of all readers of outside input: `python -m tests.fuzz --help`."""
