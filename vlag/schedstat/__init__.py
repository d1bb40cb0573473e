# SPDX-License-Identifier: GPL-2.0-only
"""/proc/schedstat and `perf sched stats`: read, and two intervals compared field by field."""
