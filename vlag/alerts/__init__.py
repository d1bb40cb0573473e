"""Alerts: what somebody must look at, opened and withdrawn by what is on record."""
