# SPDX-License-Identifier: GPL-2.0-only
"""Notifications: the record of a night, its mail and webhook, and the outbox that sends them."""
