# SPDX-License-Identifier: GPL-2.0-only
"""Unpack a distribution's kernel into a bundle: what `build` does for sources, in a second."""

from __future__ import annotations

import datetime
import gzip
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from vlag import durable
from vlag.bundle import describe
from vlag.bundle_records import CompleteBuild, KernelRecord
from vlag.errors import InfrastructureError
from vlag.kernel.kconfig import options
from vlag.model import Outcome

#: Architecture as the kernel calls it -> as Debian does.
DEBIAN = {"x86_64": "amd64", "arm64": "arm64"}

#: Settings of a build in build.json: somebody else's are not on record.
ENVIRONMENT: Mapping[str, str] = {}

# Linux version 6.12.43+deb12-cloud-arm64 (debian-kernel@lists.debian.org) ...
_BANNER = re.compile(rb"Linux version (\S+) ")
_BOOT = re.compile(r"\./boot/(vmlinuz|config)-[^/]+")


def plain(image: bytes) -> bytes:
    """Return an image as boards boot it: arm64's may be compressed, which not all of them take."""
    return gzip.decompress(image) if image.startswith(b"\x1f\x8b") else image


def header(image: bytes, name: str) -> tuple[str, str]:
    """Return architecture and release of a kernel image; `name` is for the message.

    Raises InfrastructureError for a file that is no image of an architecture known here.
    """
    if image[0x202:0x206] == b"HdrS":
        start = int.from_bytes(image[0x20E:0x210], "little") + 0x200
        release = image[start : start + 256].partition(b"\0")[0].split(b" ")[0]
        if release:
            return "x86_64", release.decode("ascii", "replace")
    if image[0x38:0x3C] == b"ARM\x64" and (banner := _BANNER.search(image)):
        return "arm64", banner[1].decode("ascii", "replace")
    raise InfrastructureError(
        f"{name}: no bzImage of x86_64 and no Image of arm64 (its header says so)", retry=False
    )


def packed_at(package: Path) -> int:
    """Return when a package's kernel was made, in seconds since 1970.

    Debian sets the date of its files to that of the package's changelog.
    """
    with tempfile.TemporaryDirectory(prefix="vlag-image-") as scratch:
        return max(int(p.stat().st_mtime) for p in _boot(package, Path(scratch)).values())


def build(
    *,
    kernel: KernelRecord,
    files: Sequence[Path],
    bundle: Path,
    reproduce: str,
) -> CompleteBuild:
    """Unpack a package, or copy an image and a config, into `bundle`; return `build.json`.

    Raises InfrastructureError for a package that cannot be unpacked or has no kernel, and for an
    image of another architecture than the kernel's identity has.
    """
    started = _now()
    package = kernel["prebuilt"]
    bundle.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="vlag-image-") as scratch:
        if len(files) == 1:
            unpacked = _boot(files[0], Path(scratch))
            image, config = unpacked["vmlinuz"], unpacked["config"]
        else:
            image, config = files
        (bundle / "image").write_bytes(plain(image.read_bytes()))
        (bundle / "config").write_bytes(config.read_bytes())
    arch, release = header((bundle / "image").read_bytes(), package["name"])
    if arch != kernel["arch"]:
        raise InfrastructureError(f"{package['name']}: an image of {arch}, not of {kernel['arch']}")
    compiler = options((bundle / "config").read_text(encoding="utf-8", errors="replace")).get(
        "CONFIG_CC_VERSION_TEXT", "not known"
    )
    (bundle / "build.log").write_text(
        f"{package['name']} {package['version']}: unpacked, not built here\n"
        + "".join(f"sha256 {digest}\n" for digest in package["sha256"])
        + "no symbols: a package of an image has none, so `vlag profile` cannot name functions\n",
        encoding="utf-8",
    )
    document: CompleteBuild = {
        "schema": 1,
        "kind": "build",
        "kernel": kernel,
        "outcome": Outcome.COMPLETE.value,
        "reason": None,
        "release": release,
        "image": describe(bundle, "image"),
        "config": describe(bundle, "config"),
        "toolchain": compiler.strip('"'),
        "environment": dict(ENVIRONMENT),
        "started_at": started,
        "finished_at": _now(),
        "files": [describe(bundle, "build.log")],
        "reproduce": reproduce,
    }
    durable.sync(bundle)
    with durable.replacing(bundle / "build.json") as draft:
        draft.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return document


def _boot(package: Path, to: Path) -> dict[str, Path]:
    """Unpack image and config of a package; return their paths by `vmlinuz` and `config`."""
    paths: dict[str, Path] = {}
    with subprocess.Popen(
        ["dpkg-deb", "--fsys-tarfile", str(package)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as child:  # fmt: skip
        try:
            with tarfile.open(fileobj=child.stdout, mode="r|") as tar:
                for member in tar:
                    match = _BOOT.fullmatch(member.name)
                    content = tar.extractfile(member) if match and member.isfile() else None
                    if match and content is not None:
                        # Not `extract`: Debian 12's Python knows no safe filter for it.
                        paths[match[1]] = to / match[1]
                        with open(paths[match[1]], "wb") as file:
                            shutil.copyfileobj(content, file)
                        os.utime(paths[match[1]], (member.mtime, member.mtime))
                    # The modules, nearly all of a package, come after these.
                    if len(paths) == 2:
                        break
        except tarfile.TarError as e:
            raise InfrastructureError(f"{package}: cannot be unpacked: {e}", retry=False) from e
        finally:
            child.kill()
    if len(paths) != 2:
        raise InfrastructureError(
            f"{package}: no package of a kernel image: it has no /boot/vmlinuz-* with its config",
            retry=False,
        )
    return paths


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
