"""Alerts: regressions and outages that need a person, derived from the database."""
