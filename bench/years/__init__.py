"""Simulated years of a service: a world whose truth is known, and what the service says of it."""
