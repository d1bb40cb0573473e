"""Input that readers themselves choke on ends in one sentence."""

import subprocess
from pathlib import Path

import pytest

from vlag import config
from vlag.config.documents import read_yaml
from vlag.errors import UsageError
from vlag.kernel.mirror import git

DEEP = "[" * 20_000


@pytest.mark.parametrize("text", [b"a: \x1b", b"a: " + b"9" * 5000, b"\xff", DEEP.encode()])
def test_odd_yaml_is_one_sentence(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "a.yaml").write_bytes(text)
    with pytest.raises(UsageError, match="not valid YAML") as said:
        read_yaml(tmp_path / "a.yaml", "plan.schema.json")
    assert len(str(said.value).splitlines()) == 1


@pytest.mark.parametrize(
    "text", [b"a = \x1b", b"a = " + b"9" * 5000, b"\xff", b"a = " + DEEP.encode()]
)
def test_odd_toml_is_one_sentence(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "a.toml").write_bytes(text)
    with pytest.raises(UsageError, match="not valid TOML"):
        config.load(tmp_path / "a.toml")


def test_a_subject_in_latin_1_is_read(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", "--bare", tmp_path], check=True)
    tree = git(tmp_path, "hash-object", "-t", "tree", "-w", "/dev/null")
    raw = f"tree {tree}\nauthor a <a> 0 +0000\ncommitter a <a> 0 +0000\n\nsched: caf"
    made = subprocess.run(
        ["git", "-C", tmp_path, "hash-object", "-t", "commit", "-w", "--stdin"],
        input=raw.encode() + b"\xe9\n", capture_output=True, check=True,
    )  # fmt: skip
    said = git(tmp_path, "log", "-1", "--format=%s", made.stdout.decode().strip())
    assert said == "sched: caf\ufffd"
