# SPDX-License-Identifier: GPL-2.0-only
"""Files of a distribution's kernel package, read without installing it."""

from __future__ import annotations

import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

from vlag.errors import InfrastructureError

_NONE = "no Debian package, or a damaged one"


def files(package: Path, wanted: Callable[[str], object]) -> dict[str, bytes]:
    """Return the plain files of a Debian package whose paths are wanted, by path: `./boot/...`.

    Raises InfrastructureError for a file that is no package or is damaged.
    """
    contents: dict[str, bytes] = {}
    with subprocess.Popen(
        ["dpkg-deb", "--fsys-tarfile", str(package)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as child:  # fmt: skip
        try:
            with tarfile.open(fileobj=child.stdout, mode="r|") as tar:
                for member in tar:
                    content = tar.extractfile(member) if member.isfile() else None
                    if content is not None and wanted(member.name):
                        contents[member.name] = content.read()
        except tarfile.TarError as e:
            raise InfrastructureError(f"{package}: {_NONE}", retry=False) from e
    if child.returncode:
        raise InfrastructureError(f"{package}: {_NONE}", retry=False)
    return contents
