# SPDX-License-Identifier: GPL-2.0-only
"""Screenshots of the pages, and the databases that they show."""
