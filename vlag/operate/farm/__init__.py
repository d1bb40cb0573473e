# SPDX-License-Identifier: GPL-2.0-only
"""The farm: its inventory, its LAVA servers, the checks of its boards, and their queue."""
