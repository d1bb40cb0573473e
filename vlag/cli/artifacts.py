"""`vlag artifacts`: the store where boards fetch kernels and leave raw output."""

from __future__ import annotations

from pathlib import Path

import click

from vlag import config
from vlag.cli.command import one_sentence, say
from vlag.errors import UsageError


@click.command()
@click.option(
    "--listen", default="127.0.0.1:8020", show_default=True, metavar="HOST:PORT",
    help="Where boards and dispatchers reach it; port 0: any free one.",
)  # fmt: skip
@click.option(
    "--folder", type=click.Path(path_type=Path),
    help="Folder of the store (default: that of the settings).",
)  # fmt: skip
@one_sentence
def artifacts(listen: str, folder: Path | None) -> None:
    """Run the artifact store in the foreground, until it is interrupted.

    It hands out published files to whoever asks: listen on a network of the lab only.
    """
    host, colon, port = listen.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise UsageError(f"--listen {listen!r}: write HOST:PORT, as 127.0.0.1:8020")
    from vlag.lava.artifact_server import serve

    home = folder.absolute() if folder else config.load().artifacts
    serve(home, host.strip("[]"), int(port), say)
