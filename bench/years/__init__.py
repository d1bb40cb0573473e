# SPDX-License-Identifier: GPL-2.0-only
"""Simulated years of a service: a world whose truth is known, and what the service says of it."""
