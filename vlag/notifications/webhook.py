# SPDX-License-Identifier: GPL-2.0-only
"""JSON to a web address, signed; one that comes twice is known by its key."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import requests
from attrs import frozen

import vlag
from vlag.errors import blame
from vlag.notifications.outbox import Answer, Fate
from vlag.store.messages import Message

SIGNATURE = "Vlag-Signature-256"  # "sha256=" and the HMAC of the body in hex
IDEMPOTENCY = "Idempotency-Key"

CONNECT_TIMEOUT_S = 10.0
ANSWER_TIMEOUT_S = 60.0

_SAID_MAX = 500  # bytes of an answer that are kept
_DIGITS_MAX = 7  # of seconds to wait; what is longer than a day is cut anyway
_TOO_MANY = 429
_REQUEST_TIMEOUT = 408


@frozen(kw_only=True)
class Webhook:
    """A web address that takes JSON, and the secret that we share with it."""

    url: str
    secret_file: Path
    connect_timeout_s: float = CONNECT_TIMEOUT_S
    answer_timeout_s: float = ANSWER_TIMEOUT_S

    @property
    def host(self) -> str:
        """Return the address without its path, which may be a secret itself."""
        return host(self.url)

    def send(self, message: Message) -> Answer:
        """Post a message; one that may have arrived is posted again with the same key."""
        try:
            with requests.post(
                self.url,
                data=message.body,
                headers={
                    "Content-Type": "application/json",
                    "User-Agent": f"vlag/{vlag.__version__}",
                    SIGNATURE: signature(self._secret(), message.body),
                    IDEMPOTENCY: idempotency_key(message.key),
                },
                timeout=(self.connect_timeout_s, self.answer_timeout_s),
                allow_redirects=False,
                stream=True,
            ) as response:
                return _answer(response)
        except requests.ConnectionError as e:
            return Answer(fate=Fate.AWAY, reply=f"{self.host}: cannot connect ({_cause(e)})")
        except requests.Timeout:
            return Answer(fate=Fate.LATER, reply=f"{self.host}: no answer in time")
        except requests.RequestException as e:
            return Answer(fate=Fate.LATER, reply=f"{self.host}: {type(e).__name__}")

    def _secret(self) -> bytes:
        try:
            return self.secret_file.read_bytes().strip()
        except OSError as e:
            raise blame(
                e,
                f"{self.secret_file}: cannot read the webhook's secret ({e.strerror});"
                " `webhook.secret_file` in the settings names the file",
            ) from e


def host(url: str) -> str:
    """Return scheme, host and port of a URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def signature(secret: bytes, body: bytes) -> str:
    """Return the signature of a body, for the header `SIGNATURE`."""
    return f"sha256={hmac.new(secret, body, hashlib.sha256).hexdigest()}"


def idempotency_key(key: str) -> str:
    """Return a message's key as a header can hold it."""
    return hashlib.sha256(key.encode()).hexdigest()


def _answer(response: requests.Response) -> Answer:
    text = b""
    with contextlib.suppress(requests.RequestException):
        text = next(response.iter_content(_SAID_MAX), b"")
    words = " ".join(text.decode("utf-8", "replace").split())
    reply = f"{response.status_code} {response.reason} {words}".strip()
    if 200 <= response.status_code < 300:
        return Answer(fate=Fate.TAKEN, reply=reply)
    if response.status_code >= 500 or response.status_code in (_TOO_MANY, _REQUEST_TIMEOUT):
        after = response.headers.get("Retry-After", "")
        seconds = int(after[:_DIGITS_MAX]) if after.isdecimal() else 0
        pause = timedelta(seconds=seconds)
        return Answer(fate=Fate.LATER, reply=reply, pause=pause)
    if 300 <= response.status_code < 400:
        reply = f"{reply} (it is elsewhere now: mend `webhook.url` in the settings)"
        return Answer(fate=Fate.LATER, reply=reply)
    return Answer(fate=Fate.REFUSED, reply=reply)


def _cause(error: BaseException) -> str:
    """Return the innermost reason, in a few words and without the URL."""
    reason = getattr(error.args[0], "reason", None) if error.args else None
    words = str(reason or "connection lost").rpartition(": ")[2]
    return words[:_SAID_MAX]
