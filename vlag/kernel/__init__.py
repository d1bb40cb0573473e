# SPDX-License-Identifier: GPL-2.0-only
"""Kernels: mirrors, checkouts, configs and builds."""
