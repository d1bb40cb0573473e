# SPDX-License-Identifier: GPL-2.0-only
"""`vlag artifacts`: the server that hands out kernels and takes raw output."""

from __future__ import annotations

from pathlib import Path

import click

from vlag import config
from vlag.cli.command import one_sentence
from vlag.errors import UsageError


@click.command(hidden=True)
@click.option(
    "--listen", default="127.0.0.1:8020", show_default=True, metavar="HOST:PORT",
    help="Address to listen on; port 0 takes any free port.",
)  # fmt: skip
@click.option(
    "--folder", type=click.Path(path_type=Path),
    help="Folder of the store (default: from the settings).",
)  # fmt: skip
@one_sentence
def artifacts(listen: str, folder: Path | None) -> None:
    """Run the artifact server in the foreground until interrupted.

    Anyone who can reach it can read published files: listen only on a network of the lab.
    """
    host, colon, port = listen.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise UsageError(f"--listen {listen!r}: write HOST:PORT, as 127.0.0.1:8020")
    from vlag.lava.artifact_server import serve

    home = folder.absolute() if folder else config.load().artifacts
    serve(home, host.strip("[]"), int(port))
