# SPDX-License-Identifier: GPL-2.0-only
"""The ways to people that the settings name."""

from __future__ import annotations

from vlag.config import Settings
from vlag.notifications.outbox import Transport
from vlag.notifications.smtp import Smtp
from vlag.notifications.webhook import Webhook

MAIL, WEBHOOK = "mail", "webhook"


def transports(settings: Settings) -> dict[str, Transport]:
    """Return the ways to people, by the channel of a message."""
    by_channel: dict[str, Transport] = {}
    if settings.mail is not None:
        mail = settings.mail
        by_channel[MAIL] = Smtp(
            host=mail.host,
            port=mail.port,
            sender=mail.sender,
            tls=mail.tls,
            user=mail.user,
            password_file=mail.password_file,
        )
    if settings.webhook is not None:
        by_channel[WEBHOOK] = Webhook(
            url=settings.webhook.url, secret_file=settings.webhook.secret_file
        )
    for follower in settings.subscriptions:
        if follower.webhook is not None:
            by_channel[follower.channel] = Webhook(
                url=follower.webhook.url, secret_file=follower.webhook.secret_file
            )
    return by_channel
