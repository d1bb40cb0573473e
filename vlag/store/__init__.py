# SPDX-License-Identifier: GPL-2.0-only
"""PostgreSQL: migrations, rows in, rows out."""
