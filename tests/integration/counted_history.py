# SPDX-License-Identifier: GPL-2.0-only
"""A tree whose commits are kernels on record, with the counts of real boots."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

from tests import kernel_image
from tests.integration import bundles, profiled
from tests.repositories import WorkTree
from vlag.config.catalogue import Catalogue
from vlag.search import path_points as stage
from vlag.store.database import Connection

#: Which kernel of tests/data/profile each commit of the tree is, the oldest first.
HISTORY = ("plain", "comment", "longer", "longer", "plain")


class Tree:
    """A tree whose commits are kernels on record."""

    def __init__(self, conn: Connection, catalogue: Catalogue, folder: Path):
        self.conn, self.catalogue, self.folder = conn, catalogue, folder
        self.work = WorkTree(folder / "tree")
        self.commits: list[str] = []
        self.kernels: list[dict[str, object]] = []

    def commit(self, subject: str, **kernel: object) -> dict[str, object]:
        self.work.commit(subject, **{"kernel/sched/fair.c": f"{subject}\n"})
        sha = self.work.git("rev-parse", "HEAD")
        number = len(self.commits)
        of = bundles.kernel(
            f"h{number}", commit=sha, branch="main", subject=subject, describe=f"v6.12-{number}",
            **kernel,
        )  # fmt: skip
        self.commits.append(sha)
        self.kernels.append(of)
        return of

    def built(self, of: dict[str, object], name: str, line: int | None = None) -> list[Path]:
        """Store a build that is the kernel `name`; return its counted runs, seeds 1 to 3.

        `line` is that of its first warning, which a comment moves.
        """
        build = profiled.build(self.folder, of, name)
        runs = profiled.runs(self.folder, of, self.catalogue, name)
        line = len(self.commits) if line is None else line
        code = b"longer" if name == "longer" else b"plain"
        data = kernel_image.packed(code, line=line, told=str(of["digest"]))
        digest = hashlib.sha256(data).hexdigest()
        (build / "bzImage").write_bytes(data)
        document = json.loads((build / "build.json").read_text())
        image = {**document["image"], "sha256": digest, "bytes": len(data)}
        others = [f for f in document["files"] if f["path"] != "bzImage"]
        bundles.edit(build, image=image, files=others)
        for run in runs:
            bundles.edit(run, image_sha256=digest)
        bundles.store(self.conn, self.catalogue, [build])
        return runs

    def mirror(self) -> None:
        """Bring the mirror of the settings up to date."""
        mirror = self.folder / "state" / "mirrors" / "debian.git"
        if self.commits:
            shutil.rmtree(mirror, ignore_errors=True)
            self.work.git("clone", "--quiet", "--mirror", ".", str(mirror))

    def counted(self, of: dict[str, object], name: str) -> Path:
        run = self.built(of, name)[0]
        told, skipped = stage.collect(self.conn, self.catalogue, [run])
        assert (len(told), skipped) == (1, [])
        return run
