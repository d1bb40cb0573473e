# SPDX-License-Identifier: GPL-2.0-only
"""Backup and restore of one installation: its databases and its files."""
