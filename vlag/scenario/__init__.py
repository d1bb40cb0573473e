# SPDX-License-Identifier: GPL-2.0-only
"""Field reports entered as runs: figures to raw text, and views of the stored results."""
