# SPDX-License-Identifier: GPL-2.0-only
"""What is on record, in the forms that other programs read."""
