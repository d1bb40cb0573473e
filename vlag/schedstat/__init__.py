"""/proc/schedstat and `perf sched stats`: read, and two intervals compared field by field."""
