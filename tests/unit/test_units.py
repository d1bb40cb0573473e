"""systemd's own rating of the units that Ansible writes: how much a service could reach."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import jinja2
import pytest

from vlag import ROOT

ROLES = ROOT / "ansible" / "roles"
UNITS = sorted(ROLES.glob("*/templates/vlag-*.service.j2"))
#: The highest exposure (10: no protection at all) that is allowed.
HIGHEST = 3.0
#: The worker is root, mounts, makes devices and namespaces: what else there was is taken away.
WORKER = 5.7


def written(template: Path, drop: str = "") -> str:
    """Return a unit as Ansible writes it, without one of its settings."""
    folders = [template.parent, ROOT / "ansible" / "templates"]
    rows = jinja2.Environment(loader=jinja2.FileSystemLoader(folders), trim_blocks=True)  # noqa: S701 - no HTML
    role = template.parts[-3]
    names = {f"{role}_{key}": f"/srv/{key}" for key in ("state", "home", "name", "master_host")}
    text = rows.get_template(template.name).render(**names, groups={"master": ["m"]})
    return re.sub(rf"(?m)^{drop}=.*\n", "", text) if drop else text


def exposure(folder: Path, template: Path, drop: str = "") -> float:
    """Return what `systemd-analyze security` says of a unit's file; no systemd has to run."""
    unit = folder / template.stem
    unit.write_text(written(template, drop))
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", unit],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert found, done.stderr
    return float(found[1])


@pytest.mark.parametrize("template", UNITS, ids=lambda path: path.name)
def test_a_unit_reaches_no_more_than_it_must(tmp_path: Path, template: Path) -> None:
    worker = template.name == "vlag-worker.service.j2"
    assert exposure(tmp_path, template) <= (WORKER if worker else HIGHEST)


@pytest.mark.parametrize(
    ("name", "drop", "highest"),
    [
        ("vlag-master.service.j2", "(?:Capability|System|Restrict)\\w+", HIGHEST),
        ("vlag-worker.service.j2", "CapabilityBoundingSet", WORKER),
        ("vlag-worker.service.j2", "SystemCallFilter", WORKER),
    ],
)
def test_less_protection_is_seen(tmp_path: Path, name: str, drop: str, highest: float) -> None:
    """Negative control."""
    [template] = [path for path in UNITS if path.name == name]
    assert exposure(tmp_path, template, drop) > highest


def test_every_unit_of_ours_is_rated() -> None:
    services = {path for path in ROLES.glob("*/templates/*") if "ExecStart=" in path.read_text()}
    assert services == set(UNITS)
    assert len(UNITS) == 4
