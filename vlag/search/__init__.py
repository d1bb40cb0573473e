# SPDX-License-Identifier: GPL-2.0-only
"""Searches for what changed a figure: boots and builds beyond a plan's, of what is confirmed."""
