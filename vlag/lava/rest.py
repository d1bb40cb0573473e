# SPDX-License-Identifier: GPL-2.0-only
"""Requests to a LAVA server's REST interface, and the meaning of their errors."""

from __future__ import annotations

import contextlib
import logging
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import requests
from urllib3.util import Retry

from vlag import durable, notation
from vlag.errors import InfrastructureError, UsageError, VlagError, blame
from vlag.lava import answers
from vlag.ownership import hand_over, make_folder

# A repeated request is no message: its text would be the last line of whatever asked.
logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)

#: Seconds to connect, and to wait for a byte: LAVA itself allows a request 30 s.
_TIMEOUT_S = (10, 40)
#: A GET is repeated at once and after 0.6 s, for a restarting proxy or a lost packet.
_RETRY = Retry(
    total=2,
    backoff_factor=0.3,
    allowed_methods={"GET"},
    status_forcelist={502, 503, 504},
    raise_on_status=False,
    respect_retry_after_header=False,  # the server may ask for hours
)
_PAGE = 100
#: Most rows of a list, and bytes of an answer: 100 jobs have some MB.
_ROWS_MAX, _BYTES_MAX = 100_000, 64 << 20
_BAD_URL = (
    requests.exceptions.MissingSchema,
    requests.exceptions.InvalidSchema,
    requests.exceptions.InvalidURL,
)
#: LAVA's framework answers this if nobody has logged in; the status is 403 then, too.
_STRANGER = ("Invalid token", "User inactive", "credentials were not provided")


class NoAnswerError(InfrastructureError):
    """The server is down, or another program answers: worth waiting for."""


class OtherVerbError(NoAnswerError):
    """The server takes that request by another verb, as another release of LAVA may."""


class RejectedError(UsageError):
    """The server refuses the request; the message quotes its reason."""


class Rest:
    """Sends requests to one server.

    Every method raises NoAnswerError if there is no usable answer, and UsageError if the
    server refuses the token or the token's user lacks the permission.

    An address that leads elsewhere, or to nothing, is a person's mistake where LAVA has never
    answered there.  Where it has, somebody upgrades it or installs it anew: worth waiting for.  The
    file `answered` keeps the last address at which it has.
    """

    def __init__(
        self,
        *,
        name: str,
        url: str,
        token_file: Path,
        ca: Path | None = None,
        answered: Path | None = None,
    ):
        self.root = f"{url.rstrip('/')}/api/v0.2"
        self.who = f"lab {name} ({url})"
        self._name = name
        self._token_file = token_file
        self._ca = ca
        self._answered = answered
        self._session = _session()

    def rows(self, path: str, **query: str) -> list[dict[str, Any]]:
        """Return all pages of a list."""
        rows: list[dict[str, Any]] = []
        while len(rows) < _ROWS_MAX:
            given: dict[str, str | int] = {**query, "limit": _PAGE, "offset": len(rows)}
            page = self.read(answers.PAGE, self.document("GET", path, query=given), path)
            rows += page["results"]
            if not page["next"] or not page["results"]:
                return rows
        raise NoAnswerError(f"{self.who} lists more than {_ROWS_MAX} {path}")

    def read(self, shape: answers.Shape, answer: Mapping[str, Any], path: str) -> dict[str, Any]:
        """Return the values of a shape in the answer to `path`."""
        try:
            values = answers.read(answer, shape)
        except answers.AnswerError as e:
            raise NoAnswerError(
                f"{self.who} answers {path} {e}: is that LAVA 2023.01 or later?"
            ) from e
        self._note()
        return values

    def document(
        self,
        verb: str,
        path: str,
        *,
        query: Mapping[str, str | int] | None = None,
        body: Mapping[str, str] | None = None,
        missing: VlagError | None = None,
    ) -> dict[str, Any]:
        """Return the answer's JSON; raise `missing` for status 404."""
        answer = self.call(verb, path, query=query, body=body, missing=missing)
        try:
            document = None if answer is None else _json(answer)
        except ValueError:
            document = None
        if isinstance(document, dict):
            return document
        kind = "nothing" if answer is None else answer.headers.get("Content-Type", "no type")
        raise NoAnswerError(
            f"{self.who} answers {verb} {path} with {kind} instead of JSON: is that LAVA, or a"
            " proxy before it?"
        )

    def call(
        self,
        verb: str,
        path: str,
        *,
        query: Mapping[str, str | int] | None = None,
        body: Mapping[str, str] | None = None,
        missing: VlagError | None = None,
    ) -> requests.Response | None:
        """Return the answer; for status 404 raise `missing`, or return None."""
        # A request that changes something never uses a connection that may just be closing.
        session = self._session if verb == "GET" else _session()
        try:
            answer = session.request(
                verb,
                f"{self.root}/{path}",
                params=query,
                json=body,
                auth=_Token(self._name, self._token_file),
                timeout=_TIMEOUT_S,
                allow_redirects=False,
                verify=self._authorities(),
            )
        except _BAD_URL as e:
            raise UsageError(
                f"{self.root!r} is not a URL; fix url under [labs.{self._name}]"
            ) from e
        except requests.exceptions.SSLError as e:
            advice = "" if self._ca else f"; ca under [labs.{self._name}] names another authority"
            raise NoAnswerError(
                f"{self.who} does not answer {verb} {path}: {_why(e)}{advice}"
            ) from e
        except requests.RequestException as e:
            raise NoAnswerError(f"{self.who} does not answer {verb} {path}: {_why(e)}") from e
        finally:
            if session is not self._session:
                session.close()
        if answer.status_code < 300:
            return answer
        if answer.status_code == 404 and not _is_page(answer):
            if missing is not None:
                raise missing
            return None
        raise self._refusal(verb, path, answer)

    def _authorities(self) -> str | bool:
        """Return the file with the lab's own authority, or that the machine's are to be used."""
        if self._ca is None:
            return True
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(self._ca)
        except ssl.SSLError:
            why = "has no certificate in PEM format"
        except OSError as e:
            why = f"cannot be read ({e.strerror})"
        else:
            return str(self._ca)
        raise UsageError(f"{self._ca}: {why}; ca under [labs.{self._name}] names the file")

    def _refusal(self, verb: str, path: str, answer: requests.Response) -> VlagError:
        status, text = answer.status_code, _said(answer)
        if status == 404 or status // 100 == 3:
            there = f"sends {self.root} on to {answer.headers.get('Location')}"
            if status == 404:
                there = f"has no {self.root}/{path}"
            if self._known() == self.root:
                return NoAnswerError(
                    f"{self.who} {there}, where LAVA answered before: is it being upgraded or"
                    f" installed anew? If it has moved, fix url under [labs.{self._name}]"
                )
            return UsageError(f"{self.who} {there}: fix url under [labs.{self._name}]")
        if status == 401 or any(words in text for words in _STRANGER):
            return UsageError(
                f"{self.who} refuses the token in {self._token_file} ({text}): make one in LAVA's"
                " web pages (API, authentication tokens) and write it there"
            )
        if status == 403:
            return UsageError(
                f"{self.who}: the user of the token in {self._token_file} may not do this"
                f" ({verb} {path}): {text}"
            )
        if status == 400:
            return RejectedError(f"{self.who} refuses {verb} {path}: {text}")
        kind = OtherVerbError if status == 405 else NoAnswerError
        return kind(f"{self.who} answers {verb} {path} with status {status}: {text}")

    def _known(self) -> str | None:
        """Return the last address at which LAVA has answered, or None."""
        try:
            return None if self._answered is None else self._answered.read_text("utf-8").strip()
        except OSError:
            return None

    def _note(self) -> None:
        """Keep that LAVA has answered at this address."""
        if self._answered is None or self._known() == self.root:
            return
        with contextlib.suppress(OSError):  # a full disk, or not for whoever asks
            make_folder(self._answered.parent)
            with durable.replacing(self._answered, ".new") as draft:
                draft.write_text(f"{self.root}\n", encoding="utf-8")
                hand_over(draft)


class _Token(requests.auth.AuthBase):
    """Reads the token again for each request, and puts it nowhere else."""

    def __init__(self, name: str, path: Path):
        self._name, self._path = name, path

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        where = f"{self._path}: the token of lab {self._name}"
        try:
            words = self._path.read_text(encoding="ascii").split()
        except OSError as e:
            raise blame(
                e,
                f"{where} cannot be read ({e.strerror}); token_file under [labs.{self._name}]"
                " names the file",
            ) from None
        except UnicodeDecodeError:
            words = []
        if len(words) != 1 or not words[0].isprintable():
            raise UsageError(f"{where} must be one word of plain characters and nothing else")
        request.headers["Authorization"] = f"Token {words[0]}"
        return request


def _session() -> requests.Session:
    session = requests.Session()
    for scheme in ("http://", "https://"):
        session.mount(scheme, requests.adapters.HTTPAdapter(max_retries=_RETRY))
    return session


def _why(error: BaseException) -> str:
    # The first cause says most; a closed connection appears only in the arguments.
    while inner := error.__cause__ or error.__context__ or _within(error):
        error = inner
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _within(error: BaseException) -> BaseException | None:
    return next((a for a in error.args if isinstance(a, BaseException)), None)


def _json(answer: requests.Response) -> Any:
    """Return the values of an answer; ValueError."""
    return notation.read_json(answer.content, bytes_max=_BYTES_MAX)


def _is_page(answer: requests.Response) -> bool:
    return "html" in answer.headers.get("Content-Type", "")


def _said(answer: requests.Response) -> str:
    """Return the server's message in one line."""
    if _is_page(answer):
        return "an error page"
    try:
        document = _json(answer)
    except ValueError:
        document = answer.text
    if isinstance(document, dict):
        document = document.get("message") or document.get("detail") or document
    return " ".join(str(document).split())[:400] or "no words"
