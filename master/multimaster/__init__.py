# SPDX-License-Identifier: GPL-2.0-only
"""What only several masters on one database need."""
