# SPDX-License-Identifier: GPL-2.0-only
"""What goes into a board's userland, found without running a program of the board's."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from vlag.errors import InfrastructureError, UsageError
from vlag.lava import initramfs

#: Where a foreign board's libraries lie, and the dynamic linker its programs name.
FOLDER = "/usr/lib/aarch64-linux-gnu"
LINKER = "/lib/ld-linux-aarch64.so.1"
RUNPATH = "-Wl,--enable-new-dtags,-rpath,"


def compiled(path: Path, *options: str | Path, prefix: str = "") -> Path:
    """Compile an empty program or library that needs what `options` name, used or not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [f"{prefix}gcc", "-nostdlib", "-Wl,--no-as-needed", "-o", path, "-x", "c", "-",
         "-x", "none", *options],
        input="void _start(void) {}\n", text=True, check=True,
    )  # fmt: skip
    return path


def shared(root: Path, path: str, *options: str | Path, prefix: str = "") -> Path:
    soname = f"-Wl,-soname,{Path(path).name}"
    return compiled(root / path.lstrip("/"), "-shared", soname, *options, prefix=prefix)


@pytest.fixture
def foreign_root(tmp_path: Path) -> Path:
    """A root of arm64: `tool` needs libb.so.1, that libc2.so.1 in a folder of its own."""
    prefix = "aarch64-linux-gnu-"
    shared(tmp_path, LINKER, prefix=prefix)
    inner = shared(tmp_path, f"{FOLDER}/own/libc2.so.1", prefix=prefix)
    origin = f"{RUNPATH}$ORIGIN/../aarch64-linux-gnu/own"
    libb = shared(tmp_path, f"{FOLDER}/libb.so.1", inner, origin, prefix=prefix)
    link = f"-Wl,-rpath-link,{inner.parent},--dynamic-linker={LINKER}"
    compiled(tmp_path / "usr/bin/tool", "-pie", libb, link, prefix=prefix)
    return tmp_path


def test_a_foreign_programs_libraries(foreign_root: Path) -> None:
    found = initramfs.libraries(foreign_root, "/usr/bin/tool", "arm64")
    assert sorted(found) == [LINKER, f"{FOLDER}/libb.so.1", f"{FOLDER}/own/libc2.so.1"]


@pytest.mark.parametrize("path", [LINKER, f"{FOLDER}/libb.so.1", f"{FOLDER}/own/libc2.so.1"])
def test_a_library_that_is_not_there(foreign_root: Path, path: str) -> None:
    (foreign_root / path.lstrip("/")).unlink()
    with pytest.raises(InfrastructureError, match=f"needs the library .*{Path(path).name}, which"):
        initramfs.libraries(foreign_root, "/usr/bin/tool", "arm64")


def test_libraries_of_another_architecture_are_not_taken(foreign_root: Path) -> None:
    with pytest.raises(InfrastructureError, match=r"needs the library libb\.so\.1, which"):
        initramfs.libraries(foreign_root, "/usr/bin/tool", "x86_64")


def test_an_absolute_link_stays_inside_the_root(foreign_root: Path) -> None:
    """As Debian's link to the loader, which this machine has too, with other contents."""
    loader = foreign_root / LINKER.lstrip("/")
    loader.rename(foreign_root / FOLDER.lstrip("/") / loader.name)
    loader.symlink_to(f"{FOLDER}/{loader.name}")
    assert LINKER in initramfs.libraries(foreign_root, "/usr/bin/tool", "arm64")
    assert initramfs.inside(foreign_root, LINKER) == (
        foreign_root / FOLDER.lstrip("/") / loader.name
    )


@pytest.mark.parametrize(
    ("link", "leads"),
    [("/etc/b", "etc/b"), ("../../../etc/b", "etc/b"), ("b", "usr/b"), ("/usr/../etc", "etc")],
)
def test_where_a_link_leads(tmp_path: Path, link: str, leads: str) -> None:
    (tmp_path / "usr").mkdir()
    (tmp_path / "usr/a").symlink_to(link)
    (tmp_path / "alias").symlink_to("/usr")
    assert initramfs.inside(tmp_path, "/alias/a") == tmp_path / leads


def test_links_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("/b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(InfrastructureError, match=r"^/a: its symbolic links lead in a circle$"):
        initramfs.inside(tmp_path, "/a")


def test_a_script_has_no_libraries(foreign_root: Path) -> None:
    (foreign_root / "usr/bin/tool").write_text(f"#!/bin/sh\n{'# ' * 100}\n")
    with pytest.raises(InfrastructureError, match=r"cannot list the libraries of tool: .*ELF"):
        initramfs.libraries(foreign_root, "/usr/bin/tool", "arm64")


def said_by_the_linker(program: Path) -> set[str]:
    """Return what this machine's dynamic linker loads, from its folders alone."""
    read = subprocess.run(
        ["readelf", "--program-headers", program], capture_output=True, text=True, check=True
    )
    linker = re.search(r"interpreter: (\S+)\]", read.stdout)
    assert linker
    done = subprocess.run(
        [linker[1], "--inhibit-cache", "--list", program],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(map(os.path.normpath, re.findall(r"(?:=> )?(/\S+) \(0x", done.stdout)))


def on_this_machine(program: Path) -> set[str]:
    machine = subprocess.run(["uname", "-m"], capture_output=True, text=True, check=True)
    arch = {"aarch64": "arm64"}.get(machine.stdout.strip(), machine.stdout.strip())
    return set(initramfs.libraries(Path("/"), str(program), arch))


@pytest.mark.parametrize("name", ["git", "perl", "readelf", "ccache", "zstd", "qemu-system-x86_64"])
def test_the_dynamic_linker_loads_the_same(name: str) -> None:
    program = Path(shutil.which(name) or pytest.fail(f"{name} is missing")).resolve()
    expected = said_by_the_linker(program)
    assert len(expected) >= 2
    assert on_this_machine(program) == expected


@pytest.mark.parametrize("tags", ["--enable-new-dtags", "--disable-new-dtags"])
def test_the_dynamic_linker_finds_the_same_folders(tmp_path: Path, tags: str) -> None:
    """A library beside the program, by RUNPATH and by RPATH."""
    library = shared(tmp_path, "lib/libvlag.so.1")
    origin = f"-Wl,{tags},-rpath,${{ORIGIN}}/../lib"
    program = compiled(tmp_path / "bin" / "tool", "-pie", library, "-lc", origin)
    assert str(library) in said_by_the_linker(program)
    assert on_this_machine(program) == said_by_the_linker(program)


def test_the_applets_of_a_busybox(tmp_path: Path) -> None:
    """Other strings stand before and after the table."""
    path = tmp_path / "busybox"
    path.write_bytes(b"\x7fELF\0[\0test\0\0[\0[[\0acpid\0ash\0zcat\0\0sh\0\0")
    assert initramfs.applets(path) == ["[", "[[", "acpid", "ash", "zcat"]


@pytest.mark.parametrize("data", [b"\x7fELF\0[\0test\0\0", b"\0[\0[[\0acpid\0ash"])
def test_no_table_of_applets(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "busybox"
    path.write_bytes(data)
    with pytest.raises(InfrastructureError, match="no table of applets"):
        initramfs.applets(path)


@pytest.mark.parametrize(
    ("arch", "folder"), [("x86_64", "a39406608b78865a"), ("arm64", "0b56f19974842d60")]
)
def test_an_archive_is_found_again_under_its_key(tmp_path: Path, arch: str, folder: str) -> None:
    """The first architecture's are where they were before there was a second."""
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "userland.cpio.zst").write_bytes(b"an archive")
    archive = hashlib.sha256(b"an archive").hexdigest()
    known = {"sha256": archive, "packages": {"stress-ng": "0.15.06-2"}}
    (tmp_path / folder / "userland.json").write_text(json.dumps(known))
    packages = ["stress-ng", "libc-bin", "busybox"]
    made = initramfs.build(tmp_path, packages, ["stress-ng"], arch=arch)
    assert made.sha256 == archive
    assert made.path == tmp_path / folder / "userland.cpio.zst"


def test_an_architecture_without_packages(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no userland for boards of arch m68k; there are: x86_64"):
        initramfs.build(tmp_path, ["busybox"], [], arch="m68k")
    assert not any(tmp_path.iterdir())


@pytest.fixture
def proxy() -> Iterator[tuple[str, list[str]]]:
    """A proxy that has nothing: its URL, and what it was asked for."""
    asked: list[str] = []

    class Nothing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Nothing) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("key", ["Acquire::http::Proxy", "Dir::Etc::NoSetting"])
def test_packages_come_through_the_proxy_of_this_machines_apt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxy: tuple[str, list[str]], key: str
) -> None:
    """The other key is the negative control: only what says how an archive is reached is taken."""
    url, asked = proxy
    settings = tmp_path / "apt.conf"
    settings.write_text(
        # Without the proxy nobody is asked, and nothing is fetched.
        f'Acquire::http::Proxy "http://127.0.0.1:1/";\nAcquire::Retries "0";\n{key} "{url}";\n'
    )
    monkeypatch.setenv("APT_CONFIG", str(settings))
    (tmp_path / "userland").mkdir()
    with pytest.raises(InfrastructureError) as refused:
        initramfs.build(tmp_path / "userland", ["busybox"], ["busybox"])
    through = key.startswith("Acquire")
    assert any("/bookworm/InRelease" in path for path in asked) is through
    # The cause, not that apt has failed.
    cause = "does not have a Release file" if through else "Could not connect"
    assert cause in str(refused.value)
