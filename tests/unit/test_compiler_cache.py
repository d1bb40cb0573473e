"""The compiler's cache gives what the compiler would, also where a file takes another in."""

import os
import subprocess
from pathlib import Path

from vlag.kernel.tuxmake import CACHED

#: As the kernel's own: the compressed kernel goes into the image by `.incbin`.
PIGGY = '.section ".rodata"\n.incbin "payload"\n'


def assembled(folder: Path, payload: bytes, **how: str) -> bytes:
    """Return the object of PIGGY, made through the cache as the kernel's makefiles do."""
    (folder / "payload").write_bytes(payload)
    (folder / "piggy.S").write_text(PIGGY)
    settings = {k: v for k, v in {**CACHED, **how}.items() if v}
    kept = {k: v for k, v in os.environ.items() if not k.startswith("CCACHE_")}
    subprocess.run(
        ["ccache", "gcc", "-Wp,-MMD,piggy.d", "-c", "-o", "piggy.o", "piggy.S"],
        cwd=folder, check=True, env={**kept, "CCACHE_DIR": str(folder / "cache"), **settings},
    )  # fmt: skip
    return (folder / "piggy.o").read_bytes()


def test_another_payload_of_the_same_size_is_another_object(tmp_path: Path) -> None:
    assert b"one" in assembled(tmp_path, b"one")
    assert b"two" in assembled(tmp_path, b"two")


def test_the_mode_that_would_not_see_it(tmp_path: Path) -> None:
    """Negative control: in depend mode the first kernel comes back."""
    assembled(tmp_path, b"one", CCACHE_NODEPEND="", CCACHE_DEPEND="1")
    again = assembled(tmp_path, b"two", CCACHE_NODEPEND="", CCACHE_DEPEND="1")
    assert b"one" in again
