# SPDX-License-Identifier: GPL-2.0-only
"""Reports as plain data, from what is on record; `vlag.report` turns them into text and HTML."""
