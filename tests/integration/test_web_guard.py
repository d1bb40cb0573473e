# SPDX-License-Identifier: GPL-2.0-only
"""What another site or a flood cannot send to Buildbot's server, and what its pages still can."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

import requests

from tests.integration.guarded import connected, strangers
from tests.integration.masters import Master, waiting

FORCE = {"id": 1, "jsonrpc": "2.0", "method": "force", "params": {"reason": "r"}}


def test_requests_of_other_sites_are_refused(open_master: Master) -> None:
    url = open_master.url
    own, netloc = url.rstrip("/"), urlsplit(url).netloc
    port = netloc.partition(":")[2]

    def force(**headers: str) -> int:
        to = f"{url}api/v2/forceschedulers/nightly-now"
        answer = requests.post(to, json=FORCE, headers=headers, timeout=60)
        assert answer.status_code in (200, 403), answer.text
        return answer.status_code

    for headers in strangers(url):
        assert force(**headers) == 403, headers
        assert connected(url, **headers) == 403, headers
    assert waiting(url) == []
    assert force() == force(Origin=own) == 200
    assert force(Host=f"localhost:{port}") == 200
    here = {"Host": f"localhost:{port}", "Origin": f"http://localhost:{port}"}
    assert connected(url, **here) == 101
    assert connected(url) == connected(url, Origin=own) == 101

    # A header that is no text is that of nobody; the page behind it is there.
    odd = {"X-Vlag-Service": "\xff", "Authorization": "\xff", "Cookie": "\xff"}
    assert force(**odd) == 200
    for place in ("plugins/wsgi_dashboards/vlag/", "api/v2/workers"):
        assert requests.get(url + place, headers=odd, timeout=60).status_code < 500, place

    cookie = requests.get(f"{url}config", timeout=60).headers["Set-Cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie

    # The body is refused by its length, before any of it is sent.
    for length, status in (("9" * 8, 413), ("9" * 19, 400), ("9" * 5000, 400)):
        with socket.create_connection(("127.0.0.1", int(port)), timeout=60) as raw:
            raw.sendall(
                f"POST /api/v2/x HTTP/1.1\r\nHost: {netloc}\r\n"
                f"Content-Length: {length}\r\n\r\n".encode()
            )
            assert raw.recv(100).startswith(f"HTTP/1.1 {status} ".encode())


def test_anybody_may_ask_whether_the_pages_work(open_master: Master) -> None:
    """By any name of the host: a proxy or a monitor asks by its number."""
    netloc = urlsplit(open_master.url).netloc
    other = {"Host": "10.0.0.7:8010"}
    answer = requests.get(f"{open_master.url}healthz", headers=other, timeout=60)
    assert (answer.status_code, answer.text) == (200, "ok\n")
    # Nothing else is shown by that name.
    for place in ("", "healthz/../", "healthz2", "plugins/wsgi_dashboards/vlag/"):
        asked = requests.Request("GET", f"http://{netloc}/x", headers=other).prepare()
        asked.url = f"http://{netloc}/{place}"
        with requests.Session() as session:
            assert session.send(asked, timeout=60).status_code == 403, place


def test_what_is_compressed_can_be_read(open_master: Master) -> None:
    may = {"Accept-Encoding": "gzip"}
    for place in ("api/v2/workers", "buildbot/api/v2/workers", "plugins/wsgi_dashboards/vlag/"):
        answer = requests.get(open_master.url + place, headers=may, timeout=60)
        assert answer.headers["Content-Encoding"] == "gzip", place
        plain = requests.get(open_master.url + place, headers={"Accept-Encoding": ""}, timeout=60)
        assert "Content-Encoding" not in plain.headers, place
        assert (answer.status_code, answer.text) == (200, plain.text), place
