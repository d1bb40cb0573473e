# SPDX-License-Identifier: GPL-2.0-only
"""Boards through LAVA: initramfs, job rendering, execution, console."""
