# SPDX-License-Identifier: GPL-2.0-only
"""Units of the service's programs, as Ansible writes them."""

from __future__ import annotations

import re
from pathlib import Path

import jinja2

from vlag import ROOT

ROLES = ROOT / "ansible" / "roles"

#: The worker's unit says why for each thing that it leaves open.
WORKER_UNIT = ROLES / "buildbot_worker" / "templates" / "vlag-worker.service.j2"


def written(template: Path, drop: str = "") -> str:
    """Return a unit as Ansible writes it, without one of its settings."""
    folders = [template.parent, ROOT / "ansible" / "templates"]
    rows = jinja2.Environment(loader=jinja2.FileSystemLoader(folders), trim_blocks=True)  # noqa: S701 - no HTML
    role = template.parts[-3]
    names = {f"{role}_{key}": f"/srv/{key}" for key in ("state", "home", "name", "master_host")}
    text = rows.get_template(template.name).render(**names, groups={"master": ["m"]})
    return re.sub(rf"(?m)^{drop}=.*\n", "", text) if drop else text
