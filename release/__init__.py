# SPDX-License-Identifier: GPL-2.0-only
"""What a release consists of: its parts, their licences, and what is known against them."""
