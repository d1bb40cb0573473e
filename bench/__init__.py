# SPDX-License-Identifier: GPL-2.0-only
"""Commands that measure vlag and write what docs/ shows."""
