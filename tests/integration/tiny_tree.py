# SPDX-License-Identifier: GPL-2.0-only
"""A tree of one commit with one file, and the settings of a service that watches it."""

from __future__ import annotations

from pathlib import Path

from tests import sandboxes, settings_files
from tests.repositories import WorkTree, bare
from tests.repositories import git as git  # noqa: PLC0414 - part of this module


def write(folder: Path, *tags: str) -> Path:
    """Write the tree's repository and the settings; return the settings' path."""
    url = folder / "tiny.git"
    stream = (
        "commit refs/heads/main\ncommitter x <x@localhost> 1 +0000\ndata 1\nx\n"
        "M 100644 inline text\ndata 4\none\n\n"
    )
    stream += "".join(f"reset refs/tags/{tag}\nfrom refs/heads/main\n\n" for tag in tags)
    bare(url, stream)
    path = folder / "vlag.toml"
    path.write_text(settings(url))
    return path


def settings(url: Path) -> str:
    """Return the settings of a service that watches a tree."""
    tree = f'[trees.tiny]\nurl = "{url}"'
    text = settings_files.settings(trees=tree, tree="tiny", branch="main", baseline="v1")
    return f'{text}[sandbox]\nuser = "{sandboxes.user()}"\n'


#: What tuxmake needs of a kernel's makefile; each image tells how fast its kernel is.
MAKEFILE = """O ?= .
allnoconfig:
	@cp options $(O)/.config
olddefconfig:
	@:
bzImage: acts
	@mkdir -p $(O)/arch/x86/boot $(O)/include/config
	@cp speed $(O)/arch/x86/boot/bzImage
	@echo 6.12.0 > $(O)/include/config/kernel.release
acts:
.PHONY: acts
"""


def work_tree(folder: Path, options: str) -> Path:
    """Make a repository whose one commit tuxmake builds; `options` is the config of its kernels."""
    WorkTree(folder).commit(
        "first", Makefile=MAKEFILE, speed="1.0\n", options=options, Kbuild="\n", Kconfig="\n"
    )
    for above in (folder.parent, *folder.parent.parents):  # the build's user goes through them
        if not above.stat().st_mode & 0o001:
            above.chmod(0o755)
    return folder
