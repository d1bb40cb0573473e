# SPDX-License-Identifier: GPL-2.0-only
"""Documents that choke their own readers, and a lab's answers of another shape."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from werkzeug.exceptions import BadRequest

from tests.unit.labs import Answer, Fake, board, listed, row, served
from vlag import ROOT, config, notation
from vlag.cli.alerts import moment
from vlag.cli.notify import _Moment
from vlag.config import ansible_hosts, known_changes
from vlag.config.documents import read_yaml
from vlag.errors import UsageError
from vlag.lava import answers
from vlag.lava.rest import NoAnswerError
from vlag.lava.server import Client
from vlag.notation import NotationError
from vlag.web.access import Access, origin
from vlag.web.params import Params

DEEP = "[" * 5000
BOMB = "a0: &a0 [x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
)
YAML = [
    b"a: \x1b", b"a: " + b"9" * 5000, b"\xff", DEEP.encode(), b"!!int ''", b"!!bool x",
    b"!!timestamp x", b"!!float ''", b"a: 2026-13-45", b'a: "\\ud800"', b"!!binary x",
    BOMB.encode(), b"a: &a [*a]", b"? [a]\n: b", b"[" * 70 + b"]" * 70,
]  # fmt: skip
TOML = [
    b"a = \x1b", b"a = " + b"9" * 5000, b"\xff", b"a = " + DEEP.encode(), b"a = 0000-00-00",
    b"a = " + b"[" * 70 + b"]" * 70,
]  # fmt: skip
JSON = [
    b'{"a": ' + b"9" * 5000 + b"}", b"\xff", DEEP.encode(), b'"\\ud800"', b"NaN", b"{", b"",
    b"[" * 70 + b"]" * 70,
]  # fmt: skip


def one_sentence(error: BaseException) -> None:
    assert len(str(error).splitlines()) == 1
    assert len(str(error)) < 500


@pytest.mark.parametrize("text", YAML, ids=range(len(YAML)))
def test_odd_yaml_is_refused_by_each_reader(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(text)
    readers: list[Callable[[], Any]] = [
        lambda: read_yaml(path, "plan.schema.json"),
        lambda: ansible_hosts.read([path]),
    ]
    for read in readers:
        with pytest.raises(UsageError, match=r"a\.yaml(:\d+)?: not valid YAML: ") as said:
            read()
        one_sentence(said.value)


@pytest.mark.parametrize("text", TOML, ids=range(len(TOML)))
def test_odd_toml_is_refused_by_each_reader(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(text)
    readers: list[Callable[[], Any]] = [
        lambda: config.load(path),
        lambda: known_changes.read(path, {}),
    ]
    for read in readers:
        with pytest.raises(UsageError, match=r"a\.toml: not valid TOML: ") as said:
            read()
        one_sentence(said.value)


@pytest.mark.parametrize("text", JSON, ids=range(len(JSON)))
def test_odd_json_is_refused(text: bytes) -> None:
    with pytest.raises(NotationError) as said:
        notation.read_json(text)
    one_sentence(said.value)


def test_what_is_within_bounds_is_read() -> None:
    """Negative control."""
    deep = "[" * notation.DEPTH_MAX + "1" + "]" * notation.DEPTH_MAX
    for read in (notation.read_yaml, notation.read_json):
        assert read(deep)[0][0]
    assert notation.read_yaml("a: &a [1, é]\nb: *a") == {"a": [1, "é"], "b": [1, "é"]}
    assert notation.read_toml("a = [1]") == {"a": [1]}


def test_libyaml_reads_what_pyyaml_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file of ours has the same values, and a fault PyYAML's words, from either."""
    files = list((ROOT / "lava-jobs").rglob("*.yaml"))
    texts: list[bytes | str] = [*(p.read_bytes() for p in files)]
    texts += ["a: [1, 2.5, no, ~, 2026-01-01, 0x1f]", "<<: {a: 1}"]
    assert len(texts) > 50

    def said() -> list[str]:
        found = []
        for bad in YAML:
            with pytest.raises(NotationError) as error:
                notation.read_yaml(bad)
            found.append(str(error.value))
        return found

    quick = [*(notation.read_yaml(text) for text in texts), *said()]
    monkeypatch.delattr(yaml, "CSafeLoader")
    assert [*(notation.read_yaml(text) for text in texts), *said()] == quick


def test_a_large_document_is_refused_before_it_is_read() -> None:
    with pytest.raises(NotationError, match="more than 4 MiB"):
        notation.read_yaml(b"a" * (notation.BYTES_MAX + 1))
    with pytest.raises(NotationError, match="more than 200000 values"):
        notation.read_yaml(BOMB)


def test_no_module_reads_yaml_or_toml_by_itself() -> None:
    """But two: one reads the layout of a tool's YAML, and one runs in LAVA's own Python."""
    own = {"notation.py", "stress_ng_yaml.py", "accept.py"}
    for path in (ROOT / "vlag").rglob("*.py"):
        text = path.read_text()
        readers = [w for w in ("yaml.safe_load", "yaml.load(", "tomllib.load") if w in text]
        assert not readers or path.name in own, path


# A lab's answers.


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    with served(monkeypatch) as made:
        yield made


@pytest.mark.parametrize("key", sorted(row()))
def test_a_job_without_a_key_or_with_another_kind_is_one_sentence(
    fake: Fake, tmp_path: Path, key: str
) -> None:
    client = Client(fake.lab(tmp_path))
    fake.says["GET jobs/"] = listed(row())
    [whole] = client.queue()
    assert whole.id == 5
    without = {k: v for k, v in row().items() if k != key}
    for odd in (without, {**row(), key: {"a": [1]}}):
        fake.says["GET jobs/"] = listed(odd)
        if key not in answers.JOB:  # negative control: one that we do not use
            assert client.queue() == [whole]
            continue
        with pytest.raises(NoAnswerError, match=f"'{key}'") as said:
            client.queue()
        one_sentence(said.value)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("devices/", listed({"hostname": "a"}).body),
        ("devices/", {"count": 1}),
        ("devices/", {"results": {"a": 1}, "next": None}),
        ("devices/", {"results": ["a"], "next": None}),
        ("devices/", listed({**board("g1"), "tags": ["x"]}).body),
        ("devices/", b'{"results": ' + DEEP.encode()),
        ("tags/", listed({"id": 7}).body),
        ("workers/", listed({"hostname": "a", "state": "Online", "health": "Active",
                             "version": None, "last_ping": "yesterday"}).body),
        ("workers/", listed({"hostname": "a", "state": "Online", "health": "Active",
                             "version": None, "last_ping": "0001-01-01T00:00:00+14:00"}).body),
        ("system/version/", {}),
        ("system/version/", {"version": 5}),
    ],
    ids=range(11),
)  # fmt: skip
def test_other_answers_of_another_shape_are_one_sentence(
    fake: Fake, tmp_path: Path, path: str, body: Any
) -> None:
    client = Client(fake.lab(tmp_path))
    fake.says[f"GET {path}"] = Answer(body=body)
    ask: dict[str, Callable[[], Any]] = {
        "devices/": client.devices, "tags/": client.devices, "workers/": client.workers,
        "system/version/": client.server_version,
    }  # fmt: skip
    with pytest.raises(NoAnswerError, match="lab home") as said:
        ask[path]()
    one_sentence(said.value)


@pytest.mark.parametrize("definition", ["a: [", "a: b", "", "protocols: {lava-multinode: 5}", 7])
def test_a_multinode_job_with_an_odd_definition_is_one_sentence(
    fake: Fake, tmp_path: Path, definition: Any
) -> None:
    odd = {**row(), "multinode_definition": "x", "definition": definition}
    fake.says["GET jobs/"] = listed(odd)
    with pytest.raises(NoAnswerError, match="'definition'"):
        Client(fake.lab(tmp_path)).queue()


@pytest.mark.parametrize(
    "table", [b"a,b\n1,2\n", b"suite,name,result,measurement,unit\na,b,pass,x,s\n", b"suite\n\0\n"]
)
def test_results_of_another_shape_are_one_sentence(
    fake: Fake, tmp_path: Path, table: bytes
) -> None:
    fake.says["GET jobs/5/csv/"] = Answer(body=table, type="text/csv")
    with pytest.raises(NoAnswerError, match="jobs/5/csv/"):
        Client(fake.lab(tmp_path)).results(5)


# Addresses and dates.


def test_an_origin_that_is_no_address_is_nobodys() -> None:
    for odd in ("http://[", "http://[::1", "//["):
        assert origin(odd) == ""
    assert origin("HTTP://A:80/b") == "http://a:80"
    assert Access(lambda _: None, (), ["http://["])._origins == {""}


@pytest.mark.parametrize(
    "more", ['[web]\nurl = "http://["', '[web]\nurl = "http://a:99999/"',
             '[labs.x]\nurl = "http://["\ntoken_file = "a"\nartifacts = "http://a"'],
)  # fmt: skip
def test_an_address_in_the_settings_that_is_none_is_one_sentence(tmp_path: Path, more: str) -> None:
    path = tmp_path / "vlag.toml"
    path.write_text((ROOT / "vlag.toml").read_text() + f"\n{more}\n")
    with pytest.raises(UsageError, match=r"(web|labs\.x)\.url: 'http://.* is no address: ") as e:
        config.load(path)
    one_sentence(e.value)


@pytest.mark.parametrize("text", ["0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00", "0000-01-01"])
def test_dates_at_the_ends_of_time_are_one_sentence(text: str) -> None:
    with pytest.raises(UsageError, match="--until"):
        moment(text, datetime.datetime.now(datetime.UTC))
    with pytest.raises(BadRequest, match="is not a date and time"):
        Params({"until": text}, "until").moment("until")
    with pytest.raises(click.BadParameter):
        _Moment().convert(text, None, None)


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "{a: " * 100_000, "- " * 100_000, "? " * 100_000, "- ? " * 50_000,
     "a:\n" + "".join(f"{' ' * i}a:\n" for i in range(1, 2000))],
)  # fmt: skip
def test_no_depth_ends_the_process(text: str) -> None:
    with pytest.raises(notation.NotationError):
        notation.read_yaml(text)
