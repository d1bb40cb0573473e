# SPDX-License-Identifier: GPL-2.0-only
"""docs/settings.md has each key of the schema of vlag.toml, with the code's defaults."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from release import settings_page
from vlag.config import load

PAGE = settings_page.PAGE.read_text(encoding="utf-8")
#: Each table that a person's settings may have, with what it must have.
LEAST: dict[str, Any] = {
    "state": "var",
    "ports": {"postgresql": 1, "web": 2, "worker": 3},
    "trees": {"own": {"url": "own.git"}},
    "branches": [
        {"tree": "own", "branch": "main", "baseline": "v1", "board_types": ["x"], "plan": "p"}
    ],
    "nightly": {"hour": 1, "minute": 2},
    "labs": {"home": {"url": "http://l", "token_file": "t", "artifacts": "http://a"}},
    "profile": {}, "sandbox": {}, "toggles": {}, "bisect": {}, "gc": {}, "alerts": {}, "web": {},
    "boots": {},
    "checks": {"hours": [1]},
    "build": {"jobs": 1, "poll_interval_s": 1},
    "mail": {"smtp": "m:25", "from": "a@b", "owners": {"own": ["c@d"]}},
    "database": {"host": "h"},
    "workers": {"hosts": [{"name": "one"}]},
}  # fmt: skip


def rows(page: str) -> list[str]:
    """Return the keys of a page by the headings of their tables: "mail.smtp", "trees.NAME.url"."""
    found, table = [], ""
    for line in page.splitlines():
        if match := re.fullmatch(r"## (?:At the top|`\[+([\w.]+)\]+`)", line):
            table = f"{match[1]}." if match[1] else ""
        elif match := re.match(r"\| `([\w./]+)` \|", line):
            found.append(table + match[1])
    return found


def values(schema: Any, path: str = "") -> list[str]:
    """Return the keys of a schema that have no heading, apart from the generator's own way."""
    found = []
    for name, key in schema.get("properties", {}).items():
        inner = key.get("items") or key.get("additionalProperties") or {}
        inner = inner if isinstance(inner, dict) else {}
        titles = [key["propertyNames"]["title"]] if "propertyNames" in key else []
        each = ".".join([path + name, *titles]) + "."
        tables = [t for t in (inner, *inner.get("oneOf", ())) if "properties" in t]
        headed = "properties" in key or "properties" in inner
        found += [] if headed else [path + name]
        found += values(key, f"{path}{name}.")
        for table in tables:
            found += values(table, each)
    return found


def toml(value: Any) -> str:
    """Return a value as TOML, tables in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def written(folder: Path, document: dict[str, Any]) -> Path:
    path = folder / "vlag.toml"
    path.write_text("".join(f"{key} = {toml(value)}\n" for key, value in document.items()))
    return path


def with_defaults(schema: Any, document: Any) -> int:
    """Write each default into the tables of a document; return how many there were."""
    n = 0
    for name, key in schema.get("properties", {}).items():
        if "default" in key:
            document[name] = key["default"]
            n += 1
        elif name in document:
            inner, value = key.get("items") or key.get("additionalProperties"), document[name]
            if "properties" in key:
                n += with_defaults(key, value)
            elif isinstance(inner, dict) and "properties" in inner:
                each = value if isinstance(value, list) else value.values()
                n += sum(with_defaults(inner, one) for one in each)
    return n


def count_of_defaults(schema: Any) -> int:
    return sum("default" in key for _, key, _ in settings_page.keys(schema))


def test_the_page_is_that_of_the_schema() -> None:
    schema = settings_page.schema()
    assert settings_page.text(schema) == PAGE, "run python -m release.settings_page"
    assert sorted(rows(PAGE)) == sorted(values(schema))
    assert len(rows(PAGE)) > 90


def test_a_row_less_and_a_row_more_are_seen() -> None:
    """Negative control."""
    known = sorted(values(settings_page.schema()))
    less = re.sub(r"^\| `smtp`.*\n", "", PAGE, flags=re.M)
    assert sorted([*rows(less), "mail.smtp"]) == known
    more = PAGE.replace("| `smtp` |", "| `imap` | text | none | gone |\n| `smtp` |")
    assert set(rows(more)) - set(known) == {"mail.imap"}


def test_each_key_is_described() -> None:
    assert settings_page.faults(settings_page.schema()) == []


@pytest.mark.parametrize(
    ("lost", "fault"),
    [
        ("description", "labs.NAME.callback: no description"),
        ("; default:", "labs.NAME.callback: no default"),
    ],
)
def test_a_key_without_description_or_default_is_found(lost: str, fault: str) -> None:
    """Negative control."""
    schema = settings_page.schema()
    key = schema["properties"]["labs"]["additionalProperties"]["properties"]["callback"]
    if lost in key:
        del key[lost]
    else:
        key["description"] = key["description"].partition(lost)[0]
    (said,) = settings_page.faults(schema)
    assert said.startswith(fault)


def test_a_default_that_is_written_changes_nothing(tmp_path: Path) -> None:
    schema = settings_page.schema()
    plain = load(written(tmp_path, LEAST))
    document = copy.deepcopy(LEAST)
    assert with_defaults(schema, document) == count_of_defaults(schema) > 35
    assert load(written(tmp_path, document)) == plain


def test_another_default_is_seen(tmp_path: Path) -> None:
    """Negative control."""
    schema = settings_page.schema()
    plain = load(written(tmp_path, LEAST))
    schema["properties"]["alerts"]["properties"]["latency"]["default"] = 0.2
    document = copy.deepcopy(LEAST)
    with_defaults(schema, document)
    assert load(written(tmp_path, document)) != plain
