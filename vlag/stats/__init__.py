# SPDX-License-Identifier: GPL-2.0-only
"""Statistics: pure functions, no clock, no network, no global random state."""
