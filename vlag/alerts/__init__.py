# SPDX-License-Identifier: GPL-2.0-only
"""Alerts: regressions and outages that need a person, derived from the database."""
