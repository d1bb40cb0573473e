# SPDX-License-Identifier: GPL-2.0-only
"""The artifact store over HTTP: what comes back is what was sent, or nothing is there."""

from __future__ import annotations

import base64
import contextlib
import gzip
import hashlib
import os
import re
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from click.testing import CliRunner

from tests.unit.stores import MOST_BYTES, Store, running
from tests.waiting import until
from vlag.cli.artifacts import artifacts as command
from vlag.errors import InfrastructureError, UsageError
from vlag.lava import artifacts
from vlag.lava.artifact_server import PER_ADDRESS

RAW = bytes(range(256)) * 100
SHA256 = hashlib.sha256(RAW).hexdigest()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with running(tmp_path_factory.mktemp("store")) as it:
        yield it


@pytest.fixture
def key(request: pytest.FixtureRequest) -> str:
    return re.sub(r"[^A-Za-z0-9_.+-]", "-", request.node.name)[:150]


@pytest.fixture
def token(store: Store, key: str) -> str:
    return artifacts.open_upload(store.folder, key)


def kept(store: Store, key: str) -> list[str]:
    """All names in a key's folder, hidden ones too."""
    return sorted(os.listdir(store.folder / "uploads" / key))


def test_a_published_file_can_be_fetched_whole_and_in_part(store: Store, tmp_path: Path) -> None:
    image = tmp_path / "ramdisk.gz"
    image.write_bytes(RAW)
    address = artifacts.publish(store.folder, image)
    assert address == f"/files/{SHA256}/ramdisk.gz"
    assert artifacts.publish(store.folder, image) == address
    whole = requests.get(store.url + address, timeout=30)
    assert (whole.status_code, whole.content) == (200, RAW)
    # A client that unpacks what is said to be packed would break LAVA's checksums.
    assert "Content-Encoding" not in whole.headers
    part = requests.get(store.url + address, headers={"Range": "bytes=100-199"}, timeout=30)
    assert (part.status_code, part.content) == (206, RAW[100:200])
    assert requests.head(store.url + address, timeout=30).headers["Content-Length"] == "25600"


def test_a_published_file_outlives_its_source(store: Store, tmp_path: Path) -> None:
    ramdisk = tmp_path / "gone"
    ramdisk.write_bytes(b"boot me")
    address = artifacts.publish(store.folder, ramdisk)
    ramdisk.unlink()
    assert requests.get(store.url + address, timeout=30).content == b"boot me"


def raw_get(store: Store, path: str) -> bytes:
    """Fetch a path as it is: `requests` would tidy it up."""
    with socket.create_connection(store.address, 30) as line:
        line.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
        return b"".join(iter(lambda: line.recv(65536), b""))


@pytest.mark.parametrize(
    "path",
    [
        "/", "/files/", "/files", f"/files/{'0' * 64}/ramdisk", "/uploads/secret/token",
        f"/files/{SHA256}/../../uploads/secret/token",
        f"/files/{SHA256}/..%2f..%2fuploads%2fsecret%2ftoken", "/files/../uploads/secret/token",
        "/files/../../../../../../etc/passwd", "//etc/passwd", "/files//etc/passwd",
    ],
)  # fmt: skip
def test_nothing_else_can_be_fetched(store: Store, path: str, tmp_path: Path) -> None:
    token = artifacts.open_upload(store.folder, "secret")
    image = tmp_path / "there"
    image.write_bytes(RAW)
    fetched = raw_get(store, artifacts.publish(store.folder, image))
    assert fetched.startswith(b"HTTP/1.0 200 ")
    said = raw_get(store, path)
    assert said.startswith(b"HTTP/1.0 404 ")
    assert token.encode() not in said


@pytest.mark.parametrize("method", ["PUT", "POST"])
@pytest.mark.parametrize("packing", ["none", "gzip", "base64", "both", "chunked"])
def test_an_upload_comes_whole(
    store: Store, key: str, token: str, method: str, packing: str
) -> None:
    body, headers = RAW, {"Content-Type": "application/x-www-form-urlencoded"}
    if packing in {"gzip", "both"}:
        body, headers["Content-Encoding"] = gzip.compress(body), "gzip"
    if packing in {"base64", "both"}:
        body, headers["Content-Transfer-Encoding"] = base64.encodebytes(body), "base64"
    answer = requests.request(
        method,
        f"{store.url}/upload/{key}/{token}/out.bin",
        # A generator is sent in chunks, without a length.
        data=(body[i : i + 999] for i in range(0, len(body), 999))
        if packing == "chunked"
        else body,
        headers=headers,
        timeout=30,
    )
    assert (answer.status_code, answer.json()) == (200, {"bytes": len(RAW), "sha256": SHA256})
    assert artifacts.uploaded(store.folder, key)["out.bin"].read_bytes() == RAW
    assert kept(store, key) == ["out.bin", "token"]


def test_an_empty_file_is_a_file(store: Store, key: str, token: str) -> None:
    assert store.put(f"/upload/{key}/{token}/empty", b"").json()["bytes"] == 0
    assert artifacts.uploaded(store.folder, key)["empty"].read_bytes() == b""


def test_the_token_is_the_keys_own_and_ends_with_it(store: Store, key: str, token: str) -> None:
    other = artifacts.open_upload(store.folder, f"{key}-other")
    assert other != token
    assert artifacts.open_upload(store.folder, key) == token
    mode = stat.S_IMODE((store.folder / "uploads" / key / "token").stat().st_mode)
    assert mode == 0o600
    for wrong in [other, token[:-1], token + "x", "-", "token"]:
        assert store.put(f"/upload/{key}/{wrong}/a", RAW).status_code == 403
    assert store.put(f"/upload/nobody/{token}/a", RAW).status_code == 403
    assert artifacts.uploaded(store.folder, key) == {}
    assert store.put(f"/upload/{key}/{token}/a", RAW).status_code == 200
    artifacts.close(store.folder, key)
    # What came in before may not be sent once more either.
    assert store.put(f"/upload/{key}/{token}/a", RAW).status_code == 403
    assert store.put(f"/upload/{key}/{token}/b", RAW).status_code == 403
    assert list(artifacts.uploaded(store.folder, key)) == ["a"]


def test_the_same_again_is_harmless_and_another_content_is_refused(
    store: Store, key: str, token: str
) -> None:
    path = f"/upload/{key}/{token}/a"
    assert store.put(path, RAW).status_code == store.put(path, RAW).status_code == 200
    answer = store.put(path, b"other")
    assert answer.status_code == 409
    assert answer.json() == {"error": "a is there with another content"}
    assert artifacts.uploaded(store.folder, key)["a"].read_bytes() == RAW
    assert kept(store, key) == ["a", "token"]


@pytest.mark.parametrize("name", ["token", ".hidden", "..", "a%2fb", "%2e%2e", "a b", "x" * 201])
def test_a_name_that_leads_elsewhere_is_refused(
    store: Store, key: str, token: str, name: str
) -> None:
    before = sorted(store.folder.rglob("*"))
    with socket.create_connection(store.address, 30) as line:
        line.sendall(f"PUT /upload/{key}/{token}/{name} HTTP/1.0\r\n".encode())
        line.sendall(b"Content-Length: 2\r\n\r\nab")
        answer = line.recv(65536)
    # Twisted refuses what is no HTTP in its own words.
    assert answer.split()[1] == b"400"
    assert sorted(store.folder.rglob("*")) == before
    assert artifacts.open_upload(store.folder, key) == token


@pytest.mark.parametrize("path", ["../{key}/{token}/a", "{key}/../{token}/a", "{key}/{token}/x/a"])
def test_a_path_that_leads_elsewhere_is_refused(
    store: Store, key: str, token: str, path: str
) -> None:
    answer = store.put("/upload/" + path.format(key=key, token=token), RAW)
    assert answer.status_code == 403
    assert kept(store, key) == ["token"]


def test_too_large_a_body_is_refused(store: Store, key: str, token: str) -> None:
    path = f"/upload/{key}/{token}/big"
    large = bytes(MOST_BYTES + 1)
    assert store.put(path, large[1:]).status_code == 200
    path += "ger"
    packed = gzip.compress(bytes(50 * MOST_BYTES))
    assert len(packed) < MOST_BYTES
    chunks = (large[i : i + 65536] for i in range(0, len(large), 65536))
    for answer in [
        store.put(path, large),
        requests.put(store.url + path, data=chunks, timeout=30),
        store.put(path, packed, **{"Content-Encoding": "gzip"}),
    ]:
        assert answer.status_code == 413
        assert answer.json() == {"error": f"more than {MOST_BYTES} bytes"}
    assert kept(store, key) == ["big", "token"]


@pytest.mark.parametrize(
    ("body", "headers", "reason"),
    [
        (gzip.compress(RAW)[:-9], {"Content-Encoding": "gzip"}, "ends too early"),
        (b"plain", {"Content-Encoding": "gzip"}, "not gzip"),
        (b"QU!JD", {"Content-Transfer-Encoding": "base64"}, "not base64"),
        (b"QUJDR", {"Content-Transfer-Encoding": "base64"}, "ends too early"),
        (RAW, {"Content-Encoding": "br"}, "only gzip"),
        (RAW, {"Content-Encoding": b"\xff"}, "only gzip"),
        (RAW, {"Content-Transfer-Encoding": b"gzip\xff"}, "only"),
    ],
)
def test_a_damaged_body_is_refused(
    store: Store, key: str, token: str, body: bytes, headers: dict[str, str | bytes], reason: str
) -> None:
    answer = store.put(f"/upload/{key}/{token}/a", body, **headers)
    assert answer.status_code == 400
    assert reason in answer.json()["error"]
    assert kept(store, key) == ["token"]


@pytest.mark.parametrize("digits", [19, 5000])
def test_a_length_of_many_digits_is_refused(
    store: Store, key: str, token: str, digits: int
) -> None:
    with socket.create_connection(store.address, 30) as line:
        line.sendall(f"PUT /upload/{key}/{token}/a HTTP/1.1\r\nHost: a\r\n".encode())
        line.sendall(b"Content-Length: " + b"9" * digits + b"\r\n\r\n")
        assert line.recv(100).startswith(b"HTTP/1.1 400 ")
    assert not any("Traceback" in said for said in store.said)


def test_a_connection_cut_in_the_middle_leaves_nothing(store: Store, key: str, token: str) -> None:
    path = f"/upload/{key}/{token}/a"
    before = len(store.said)
    with socket.create_connection(store.address, 30) as line:
        line.sendall(f"PUT {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n".encode())
        line.sendall(RAW[:5000])
        # It is on its way in, and no file of the store.
        until(lambda: len(kept(store, key)) == 2)
        assert artifacts.uploaded(store.folder, key) == {}
    until(lambda: kept(store, key) == ["token"])
    assert store.put(path, RAW).status_code == 200
    until(lambda: any("cut off" in line for line in store.said[before:]))


def test_a_key_that_is_closed_meanwhile_takes_nothing(store: Store, key: str, token: str) -> None:
    head = f"PUT /upload/{key}/{token}/a HTTP/1.0\r\nContent-Length: {len(RAW)}\r\n\r\n"
    for closed, status in ((False, b"200"), (True, b"403")):
        with socket.create_connection(store.address, 30) as line:
            line.sendall(head.replace("/a ", f"/a{closed} ").encode() + RAW[:5000])
            until(lambda: any(name.startswith(".") for name in kept(store, key)))
            if closed:
                artifacts.close(store.folder, key)
            line.sendall(RAW[5000:])
            assert line.recv(65536).split()[1] == status
    assert kept(store, key) == ["aFalse"]


def test_a_disk_that_takes_no_more_is_said(tmp_path: Path) -> None:
    token = artifacts.open_upload(tmp_path, "k")
    with running(tmp_path, room=20_000) as full:
        assert full.put(f"/upload/k/{token}/small", RAW[:9999]).status_code == 200
        # Before the answer, whether that is while it comes in or at its end.
        for body in (RAW[:20_001], bytes(MOST_BYTES)):
            answer = full.put(f"/upload/k/{token}/large", body)
            assert (answer.status_code, answer.json()) == (500, {"error": "File too large"})
    assert sorted(os.listdir(tmp_path / "uploads/k")) == ["small", "token"]


def test_two_uploads_at_once_end_with_one_content(store: Store, key: str, token: str) -> None:
    bodies = [bytes([n]) * 500_000 for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        alone = pool.map(lambda n: store.put(f"/upload/{key}/{token}/own{n}", bodies[n]), range(8))
        assert {a.status_code for a in alone} == {200}
        same = pool.map(lambda b: store.put(f"/upload/{key}/{token}/same", b).status_code, bodies)
        assert sorted(same) == [200] + [409] * 7
    there = artifacts.uploaded(store.folder, key)
    assert [there[f"own{n}"].read_bytes() for n in range(8)] == bodies
    assert there["same"].read_bytes() in bodies
    assert len(kept(store, key)) == 10


def test_no_token_is_in_what_it_says(store: Store, key: str, token: str) -> None:
    assert store.put(f"/upload/{key}/{token}/a", RAW).status_code == 200
    assert store.put(f"/upload/{key}/wrong{token}/a", RAW).status_code == 403
    until(lambda: any(f"/upload/{key}/*/a' 403" in line for line in store.said))
    assert any(f"/upload/{key}/*/a' 200" in line for line in store.said)
    assert not any(token in line for line in store.said)


def test_what_a_board_announced_must_be_there(tmp_path: Path) -> None:
    artifacts.open_upload(tmp_path, "k")
    (tmp_path / "uploads/k/out").write_bytes(RAW)
    assert artifacts.received(tmp_path, "k", {"out": (len(RAW), SHA256)}) == {"out": RAW}
    for name, size, digest in [
        ("gone", len(RAW), SHA256),
        ("out", len(RAW) + 1, SHA256),
        ("out", len(RAW), "0" * 64),
    ]:
        with pytest.raises(InfrastructureError, match=r"uploads/k.* run the job again"):
            artifacts.received(tmp_path, "k", {name: (size, digest)})


def test_names_that_cannot_be(tmp_path: Path) -> None:
    odd = tmp_path / "a b"
    odd.write_bytes(RAW)
    with pytest.raises(UsageError, match="'a b'; use letters"):
        artifacts.publish(tmp_path, odd)
    for key in ["", "..", ".x", "a/b", "x" * 201]:
        with pytest.raises(UsageError, match="cannot be a key"):
            artifacts.open_upload(tmp_path, key)


@pytest.mark.parametrize("listen", ["8020", ":8020", "localhost:", "127.0.0.1:70000", "a:b"])
def test_an_address_that_is_none_is_one_sentence(listen: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(command, ["--listen", listen, "--folder", str(tmp_path)])
    assert (done.exit_code, done.stderr) == (
        2,
        f"vlag: --listen {listen!r}: write HOST:PORT, as 127.0.0.1:8020\n",
    )


def test_an_address_in_use_is_one_sentence(store: Store, tmp_path: Path) -> None:
    taken = store.url.removeprefix("http://")
    # A process of its own, as Twisted's reactor is one for a process.
    done = subprocess.run(
        [sys.executable, "-c", "from vlag.cli.artifacts import artifacts; artifacts()",
         "--listen", taken, "--folder", str(tmp_path)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == (
        f"vlag: {taken}: cannot listen there (Address already in use);"
        " give --listen another HOST:PORT\n"
    )


def test_an_address_has_so_many_connections_and_no_more(tmp_path: Path) -> None:
    with running(tmp_path) as store, contextlib.ExitStack() as stack:
        parts = urlsplit(store.url)
        there = (str(parts.hostname), int(parts.port or 0))

        def connect(own: str = "127.0.0.1") -> socket.socket:
            made = socket.create_connection(there, timeout=30, source_address=(own, 0))
            return stack.enter_context(made)

        def answers(link: socket.socket) -> bool:
            with contextlib.suppress(ConnectionError):
                link.sendall(b"GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n")
                return link.recv(100).startswith(b"HTTP/1.1 404")
            return False

        links = [connect() for _ in range(PER_ADDRESS)]
        assert answers(links[-1])
        assert not answers(connect())
        assert answers(connect("127.0.0.2"))  # another address is served
        links.pop().close()
        until(lambda: answers(connect()))
