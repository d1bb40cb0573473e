"""Telling people: a night on record, its mail and webhook, and the outbox that sends them."""
