# SPDX-License-Identifier: GPL-2.0-only
"""The CycloneDX bill of materials of a release.

It says what the repository says: Python packages with their hashes from requirements.lock, Debian
packages by the lists of workers/packages (Debian's release decides their version), images by
images.env, and tools of boards by workers/packages/tools.yml.  A commit gives the same bytes each
time.
"""

from __future__ import annotations

import datetime
import re
import subprocess
import uuid
from collections.abc import Iterator
from typing import Any

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from release import licences, lock
from vlag import ROOT
from vlag.notation import read_yaml

PACKAGES = ROOT / "workers" / "packages"
#: Lists whose packages only developers and CI install.
_CHECKS = {"check"}
_BASE = uuid.UUID("7c0b3b0e-5c2f-5d0b-9a53-2f5a1c4f5f0a")


def version() -> str:
    """Return the version of the project."""
    return str(lock.project()["version"])


def bill() -> Bom:
    """Return the bill of the checked out commit.  Raises UsageError for a broken lock file."""
    commit, seconds = _git("log", "-1", "--format=%H %ct").split()
    root = Component(
        name="vlag",
        version=version(),
        type=ComponentType.APPLICATION,
        bom_ref="vlag",
        licenses=[LicenseExpression(str(lock.project()["license"]))],
        properties=[Property(name="vlag:commit", value=commit)],
    )
    made = Bom(serial_number=uuid.uuid5(_BASE, commit))
    made.metadata.component = root
    made.metadata.timestamp = datetime.datetime.fromtimestamp(int(seconds), datetime.UTC)
    required = _python(made, root)
    for other in (*_debian(), *_images(), *_tools()):
        made.components.add(other)
        if other.scope == ComponentScope.REQUIRED:
            required.append(other)
    made.register_dependency(root, required)
    return made


def write(made: Bom) -> str:
    """Return a bill as JSON of CycloneDX 1.6."""
    return JsonV1Dot6(made).output_as_string(indent=1) + "\n"


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def _scope(required: bool) -> ComponentScope:
    # CycloneDX's word for what is used in tests and not at run time.
    return ComponentScope.REQUIRED if required else ComponentScope.EXCLUDED


def _python(made: Bom, root: Component) -> list[Component]:
    """Add the locked packages with what asks for them; return those that the project names."""
    known = licences.load().packages
    entries = lock.read()
    components = {
        entry.ref: Component(
            name=entry.name,
            version=entry.version,
            bom_ref=f"pypi:{entry.ref}",
            purl=PackageURL("pypi", name=entry.name, version=entry.version),
            scope=_scope(entry.runtime),
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=h) for h in entry.hashes],
            licenses=[LicenseExpression(known[entry.name])] if entry.name in known else [],
            properties=[Property(name="vlag:marker", value=entry.marker)] if entry.marker else [],
        )
        for entry in entries
    }
    for entry in entries:
        component = components[entry.ref]
        made.components.add(component)
        made.register_dependency(
            component, [components[e.ref] for e in entries if entry.name in e.parents]
        )
    return [components[e.ref] for e in entries if root.name in e.parents and e.runtime]


def _debian() -> Iterator[Component]:
    lists: dict[str, set[str]] = {}
    for path in sorted(PACKAGES.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if name := line.partition("#")[0].strip():
                lists.setdefault(name, set()).add(path.stem)
    for name, stems in sorted(lists.items()):
        yield Component(
            name=name,
            bom_ref=f"deb:{name}",
            purl=PackageURL("deb", "debian", name),
            scope=_scope(bool(stems - _CHECKS)),
            properties=[Property(name="vlag:list", value=stem) for stem in sorted(stems)],
        )


def _images() -> Iterator[Component]:
    text = (ROOT / "images.env").read_text(encoding="utf-8")
    for name, tag in re.findall(r"(?m)^VLAG_\w+=([^\s:]+):(\S+)", text):
        if not name.startswith("vlag/"):  # built from what stands in this bill
            owner, _, short = name.rpartition("/")
            yield Component(
                name=name,
                version=tag,
                type=ComponentType.CONTAINER,
                bom_ref=f"image:{name}:{tag}",
                purl=PackageURL("docker", owner or "library", short, tag),
                scope=ComponentScope.REQUIRED,
            )


def _tools() -> Iterator[Component]:
    found: dict[str, Any] = read_yaml((PACKAGES / "tools.yml").read_bytes())
    for tool in found["tools"]:
        digest = tool.get("sha256")
        yield Component(
            name=tool["name"],
            version=str(tool["version"]),
            type=ComponentType.APPLICATION,
            bom_ref=f"tool:{tool['name']}:{tool['version']}",
            purl=PackageURL("generic", name=tool["name"], version=str(tool["version"])),
            scope=ComponentScope.REQUIRED,
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)] if digest else [],
        )
