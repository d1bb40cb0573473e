# SPDX-License-Identifier: GPL-2.0-only
"""`python -m release.settings_page`: write docs/settings.md, every key of vlag.toml."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vlag import ROOT

SCHEMA = ROOT / "schemas" / "json" / "settings.schema.json"
PAGE = ROOT / "docs" / "settings.md"

#: In a description, begins what holds without the key where that is no one value.
_OTHERWISE = "; default: "
#: Of numbers, by the end of the key's name.
_UNITS = {"_s": "seconds", "_mb": "MiB", "_days": "days"}
_TYPES = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true, false"}
_HEAD = """\
# Settings

<!-- Written by python -m release.settings_page from schemas/json/settings.schema.json. -->

Every key of `vlag.toml`, or of the file that `VLAG_SETTINGS` names; it is TOML. A relative path is
relative to the file that has it, and `include` spreads the settings over several files
([trees.md](trees.md)). An unknown key, a wrong type and a missing key are refused with file and
key; "required" means: where its table is there. A running service takes edited settings up when it
is reloaded ([operate.md](operate.md#edit-the-settings)). Addresses and passwords of a farm come
from its inventory (`ansible/README.md`), those of containers from `master/compose.toml` and
`secrets/`.
"""

Schema = Mapping[str, Any]
#: Path of a key, its schema, and whether its table must have it.
Key = tuple[tuple[str, ...], Schema, bool]


def schema() -> dict[str, Any]:
    """Return the schema of the settings."""
    found: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return found


def _below(of: Schema) -> Schema | None:
    """Return the schema of the table that a key has for each name or entry, or None."""
    inner = of.get("items") or of.get("additionalProperties")
    if not isinstance(inner, dict):
        return None
    return next((one for one in (inner, *inner.get("oneOf", ())) if "properties" in one), None)


def _name(of: Schema) -> tuple[str, ...]:
    """Return what stands for the names in a table of a person's own names, such as NAME."""
    title = of.get("propertyNames", {}).get("title")
    return () if title is None else (str(title),)


def keys(of: Schema, path: tuple[str, ...] = ()) -> Iterator[Key]:
    """Yield each key of a table and of the tables below it, each before what is below it."""
    for name, inner in of.get("properties", {}).items():
        here = (*path, name)
        yield here, inner, name in of.get("required", ())
        yield from keys(inner, here)
        if (below := _below(inner)) is not None:
            yield from keys(below, (*here, *_name(inner)))


def faults(of: Schema) -> list[str]:
    """Return what the keys lack that the page says of them."""
    said = []
    for path, key, required in keys(of):
        table = "properties" in key or _below(key) is not None
        name, text = ".".join(path), key.get("description", "")
        if not text:
            said.append(f"{name}: no description")
        elif not (table or required or "default" in key or _OTHERWISE in text):
            said.append(f"{name}: no default; write it, or '{_OTHERWISE}…' into the description")
    return said


def kind(key: Schema) -> str:
    """Return the type of a key's value in words."""
    if "oneOf" in key:
        return " or ".join(kind(one) for one in key["oneOf"])
    if "const" in key or "enum" in key:
        return ", ".join(f'"{word}"' for word in key.get("enum", [key.get("const")]))
    if key["type"] == "array":
        return f"list of {kind(key['items'])}"
    if key["type"] == "object":
        each = key.get("additionalProperties")
        return "table" if not isinstance(each, dict) else f"{kind(each)} for each {_name(key)[0]}"
    return f"{_TYPES[key['type']]}{_bounds(key)}"


def _bounds(key: Schema) -> str:
    """Return the smallest and the largest value, as far as there are such."""
    least, most = key.get("minimum"), key.get("maximum")
    if least is not None and most is not None:
        return f", {least} to {most}"
    parts = [
        f", {words} {key[bound]}"
        for bound, words in (
            ("minimum", "at least"), ("exclusiveMinimum", "more than"),
            ("maximum", "at most"), ("exclusiveMaximum", "less than"),
        )
        if bound in key
    ]  # fmt: skip
    return "".join(parts)


def _row(name: str, key: Schema, *, required: bool) -> str:
    """Return the row of a key; `name` as it is written below its table's heading."""
    unit = next((f", {unit}" for end, unit in _UNITS.items() if name.endswith(end)), "")
    meaning, _, otherwise = key["description"].partition(_OTHERWISE)
    if required:
        otherwise = "required"
    elif "default" in key:
        otherwise = f"`{json.dumps(key['default'])}`"
    return f"| `{name}` | {kind(key)}{unit} | {otherwise or 'none'} | {meaning} |"


def _table(of: Schema, path: tuple[str, ...], heading: str, about: str) -> Iterator[str]:
    """Yield the lines of a table of settings, and of the lists of tables below it."""
    rows, lists = list[str](), list[Key]()
    for below, key, required in keys(of):
        if any(below[: len(found)] == found for found, _, _ in lists):
            continue
        if key.get("type") == "array" and _below(key) is not None:
            lists.append((below, key, required))
        else:
            rows.append(_row(".".join(below), key, required=required))
    yield from ("", f"## {heading}", "", about)
    if rows:
        yield from ("", "| key | type | without it | meaning |", "|---|---|---|---|", *rows)
    for below, key, required in lists:
        yield from _section((*path, *below), key, required=required)


def _section(path: tuple[str, ...], key: Schema, *, required: bool) -> Iterator[str]:
    """Yield the lines of a section of the settings, such as [mail] or [[branches]]."""
    meaning, _, otherwise = key["description"].partition(_OTHERWISE)
    without = "Required." if required else f"Without it: {otherwise or 'the values below'}."
    about = f"{meaning[0].upper()}{meaning[1:]}. {without}"
    name = ".".join((*path, *(_name(key) if "properties" not in key else ())))
    heading = f"[[{name}]]" if key["type"] == "array" else f"[{name}]"
    inner = key if "properties" in key else _below(key)
    yield from _table(inner or {}, path, f"`{heading}`", about)


def text(of: Schema) -> str:
    """Return the page."""
    sections = {
        name: key
        for name, key in of["properties"].items()
        if "properties" in key or _below(key) is not None
    }
    plain = {name: key for name, key in of["properties"].items() if name not in sections}
    top = {"properties": plain, "required": of["required"]}
    lines = list(_table(top, (), "At the top", "These keys come before all tables."))
    for name, key in sections.items():
        lines += _section((name,), key, required=name in of["required"])
    linked = (re.sub(r"\bdocs/([\w-]+\.md)", r"[\1](\1)", line) for line in lines)
    return "\n".join([_HEAD.rstrip("\n"), *linked, ""])


def write(page: Path = PAGE) -> None:
    """Write the page."""
    page.write_text(text(schema()), encoding="utf-8")


if __name__ == "__main__":
    write()
