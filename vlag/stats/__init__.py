"""Statistics: pure functions, no clock, no network, no global random state."""
