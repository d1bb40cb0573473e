# SPDX-License-Identifier: GPL-2.0-only
"""What a deterministic board's guest executed, by kernel function, and two kernels compared."""
