# SPDX-License-Identifier: GPL-2.0-only
"""What a release consists of: `python -m release`, its licences and its advisories."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import re
import runpy
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.requirements import Requirement as Asked

from release import __main__ as command
from release import audit, licences, lock, sbom
from vlag import ROOT
from vlag.errors import UsageError

LOCKED = lock.read()
LICENCES = licences.load()
NOW = datetime.datetime(2026, 11, 24, tzinfo=datetime.UTC)


def needed() -> set[str]:
    """Return what the installed releases say that the service needs, extras followed."""
    seen: set[tuple[str, frozenset[str]]] = set()
    left = [Asked(str(d)) for d in lock.project()["dependencies"]]  # type: ignore[attr-defined]
    while left:
        asked = left.pop()
        key = (re.sub(r"[-_.]+", "-", asked.name).lower(), frozenset(asked.extras))
        if key in seen:
            continue
        seen.add(key)
        for line in importlib.metadata.requires(asked.name) or ():
            inner = Asked(line)
            extras = {"", *asked.extras}
            if inner.marker is None or any(inner.marker.evaluate({"extra": e}) for e in extras):
                left.append(inner)
    return {name for name, _ in seen}


def installed(names: Iterable[str]) -> dict[str, str]:
    """Return the SPDX expressions that installed releases state; older ones state none."""
    found = {
        name: importlib.metadata.metadata(name).json.get("license_expression") for name in names
    }
    return {name: str(expression) for name, expression in found.items() if expression}


def test_the_service_needs_what_the_lock_file_gives_it() -> None:
    here = [r for r in LOCKED if r.runtime and "!= 'CPython'" not in (r.marker or "")]
    assert {r.name for r in here} == needed()
    # Negative control: the extras of others are not the service's.
    extras = runpy.run_path(str(ROOT / "workers/runtime-lock"))["BY_EXTRA"]
    assert extras <= {r.name for r in LOCKED} - needed()


def test_every_package_of_the_service_has_an_allowed_licence() -> None:
    assert licences.faults(LOCKED, LICENCES) == []
    stated = installed(needed())
    assert len(stated) > 30
    assert {name: LICENCES.packages[name] for name in stated} == stated


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("GPL-3.0-or-later", "GPL-3.0-or-later is not among the allowed licences"),
        ("MIT AND GPL-3.0-or-later", "is not among the allowed licences"),
        ("Proprietary", "is no SPDX expression"),
        ("", "no licence"),
    ],
)
def test_another_licence_is_refused(expression: str, fault: str) -> None:
    packages = {**LICENCES.packages, "numpy": expression}
    [found] = licences.faults(LOCKED, evolve(LICENCES, packages=packages))
    assert found.startswith("numpy: ")
    assert fault in found


def test_one_side_of_a_choice_is_enough() -> None:
    assert licences.refused("MIT OR GPL-3.0-or-later", LICENCES.allowed) is None
    assert licences.refused("GPL-2.0-only OR GPL-3.0-only", ["MIT"])


def test_an_unknown_package_and_one_too_many_are_said() -> None:
    packages = {n: e for n, e in LICENCES.packages.items() if n != "numpy"} | {"nobody": "MIT"}
    found = licences.faults(LOCKED, evolve(LICENCES, packages=packages))
    assert [fault.partition(":")[0] for fault in found] == ["numpy", "nobody"]


def test_a_lock_file_without_hashes_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "requirements.lock"
    path.write_text("# head\nattrs==1.0\n    # via vlag (pyproject.toml)\n")
    with pytest.raises(UsageError, match=r"requirements\.lock:2: .* run `make lock`"):
        lock.read(path)
    path.write_text("")
    with pytest.raises(UsageError, match="no requirement"):
        lock.read(path)


def test_the_bill_is_valid_and_has_everything() -> None:
    text = sbom.write(sbom.bill())
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    # Negative control of the validator.
    broken = text.replace('"type": "application"', '"type": "nothing"', 1)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(broken) is not None
    made = json.loads(text)
    refs = {component["bom-ref"]: component for component in made["components"]}
    assert {r.ref for r in LOCKED} == {ref[5:] for ref in refs if ref.startswith("pypi:")}
    assert {"deb:postgresql", "deb:qemu-system-x86", "tool:stress-ng:0.15.06"} <= set(refs)
    assert [ref for ref in refs if ref.startswith("image:postgres:")]
    assert refs["deb:shellcheck"]["scope"] == "excluded"
    twisted = next(c for c in refs.values() if c["name"] == "twisted")
    assert twisted["licenses"] == [{"expression": "MIT"}]
    assert {h["alg"] for h in twisted["hashes"]} == {"SHA-256"}
    # What the service needs hangs together below the project.
    below = {d["ref"]: d.get("dependsOn", []) for d in made["dependencies"]}
    left, seen = ["vlag"], set()
    while left:
        ref = left.pop()
        seen.add(ref)
        left += [inner for inner in below[ref] if inner not in seen]
    assert {ref for ref, c in refs.items() if c["scope"] == "required"} <= seen


def test_the_same_commit_has_the_same_bill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "new" / "bill.json"
    monkeypatch.setattr(sys, "argv", ["release", "sbom", str(target)])
    assert command.main() == 0
    assert target.read_text() == sbom.write(sbom.bill())


def advisory(name: str, events: list[dict[str, str]], **more: Any) -> dict[str, Any]:
    """Return an advisory as OSV exports it."""
    return {
        "id": "GHSA-h5c8-rqwp-cp95",
        "modified": "2026-11-20T01:02:03.123456789Z",
        "aliases": ["CVE-2024-22195"],
        "summary": "a sentence",
        "affected": [{
            "package": {"ecosystem": "PyPI", "name": name, "purl": f"pkg:pypi/{name}"},
            "ranges": [{"type": "ECOSYSTEM", "events": events}],
            "versions": [],
        }],
        **more,
    }  # fmt: skip


def packed(folder: Path, *records: object) -> Path:
    """Write a snapshot as OSV packs it."""
    path = folder / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number, record in enumerate(records):
            archive.writestr(f"PYSEC-{number}.json", json.dumps(record))
    return path


@pytest.mark.parametrize(
    ("version", "events", "concerned"),
    [
        ("3.1.2", [{"introduced": "0"}, {"fixed": "3.1.3"}], True),
        ("3.1.3", [{"introduced": "0"}, {"fixed": "3.1.3"}], False),
        ("3.1.10", [{"introduced": "0"}, {"fixed": "3.1.3"}], False),
        ("3.1.3", [{"introduced": "0"}, {"last_affected": "3.1.3"}], True),
        ("3.1.4", [{"introduced": "0"}, {"last_affected": "3.1.3"}], False),
        ("2.5", [{"introduced": "2.0"}, {"fixed": "2.4"}, {"introduced": "2.5"}], True),
        ("1.9", [{"introduced": "2.0"}, {"fixed": "2.4"}], False),
        ("2.4", [{"fixed": "2.4"}, {"introduced": "2.4"}], True),
        ("9.9", [{"introduced": "0"}], True),
        ("1.0", [{"introduced": "no version"}], True),
    ],
)
def test_ranges_are_read_as_osv_means_them(
    version: str, events: list[dict[str, str]], concerned: bool
) -> None:
    assert (
        audit.concerns(version, {"ranges": [{"type": "ECOSYSTEM", "events": events}]}) is concerned
    )
    # A range of commits says nothing of releases.
    assert not audit.concerns(version, {"ranges": [{"type": "GIT", "events": events}]})
    assert audit.concerns(version, {"versions": ["x", version]})


def test_an_advisory_of_a_locked_release_is_told_with_its_mend(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    open_ended = advisory("Jinja2", [{"introduced": "0"}, {"fixed": "9000"}])
    snapshot = packed(
        tmp_path,
        open_ended,
        {**open_ended, "id": "GHSA-withdrawn", "withdrawn": "2026-01-01T00:00:00Z"},
        advisory("pytest", [{"introduced": "0"}], id="PYSEC-1"),
        advisory("jinja2", [{"introduced": "0"}, {"fixed": "1"}], id="PYSEC-2"),
        advisory("somebody-else", [{"introduced": "0"}], id="PYSEC-3"),
    )
    assert audit.main(snapshot, 30, NOW) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "5 advisories, the youngest of 2026-11-20, 3 days ago" in lines[0]
    assert re.fullmatch(
        r"jinja2==\S+ \(the service\): GHSA-h5c8-rqwp-cp95, CVE-2024-22195: a sentence; "
        "fixed in 9000", lines[1],
    )  # fmt: skip
    assert re.fullmatch(
        r"pytest==\S+ \(developers' tools\): PYSEC-1, .*; no fixed release", lines[2]
    )
    assert lines[3] == f"{len(LOCKED)} locked packages, 2 advisories that concern them"
    assert audit.main(packed(tmp_path, advisory("jinja2", [])), 30, NOW) == 0


def test_an_old_snapshot_is_refused(tmp_path: Path) -> None:
    snapshot = packed(tmp_path, advisory("nobody", []))
    with pytest.raises(UsageError, match="older than 2 days: fetch a new export"):
        audit.main(snapshot, 2, NOW)


@pytest.mark.parametrize("record", [[], {"modified": "2026-11-20T00:00:00Z"}, {"id": "x"}, "x"])
def test_what_is_no_advisory_is_refused(tmp_path: Path, record: object) -> None:
    with pytest.raises(UsageError):
        audit.main(packed(tmp_path, record), 30, NOW)


def test_a_broken_snapshot_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = packed(tmp_path, advisory("jinja2", [])).read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "empty").mkdir()
    for name in ("cut.zip", "empty", "absent.zip"):
        monkeypatch.setattr(sys, "argv", ["release", "audit", str(tmp_path / name)])
        assert command.main() == 2
        said = capsys.readouterr().err
        assert said.startswith("release: ")
        assert said.count("\n") == 1


#: First in each Python file, below its interpreter's line.
SPDX = "# SPDX-License-Identifier: GPL-2.0-only"


def states_its_licence(text: str) -> bool:
    """Return whether a Python file with a word in it begins with its licence."""
    lines = [line for line in text.splitlines() if not line.startswith("#!")]
    return not lines or lines[0] == SPDX


def test_each_python_file_states_its_licence() -> None:
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "*.py"], capture_output=True, text=True, check=True
    ).stdout.split()
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in listed}
    assert [name for name, text in texts.items() if not states_its_licence(text)] == []
    assert SPDX.rsplit(maxsplit=1)[-1] == lock.project()["license"]
    # Negative control.
    assert not states_its_licence('"""A module."""\n')
    assert not states_its_licence(f"import os\n{SPDX}\n")
