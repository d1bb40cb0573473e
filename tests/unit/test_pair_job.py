# SPDX-License-Identifier: GPL-2.0-only
"""The job of a virtual pair, as LAVA's own code reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from vlag import ROOT
from vlag.config.catalogue import load
from vlag.errors import UsageError
from vlag.lava import render
from vlag.model import Board
from vlag.operate.farm import lava_config
from vlag.operate.farm.validate import _ask
from vlag.pipeline.boot import command_line

pytestmark = pytest.mark.slow

CATALOGUE = load()
TYPES = {"sut": "qemu-sut", "loadgen": "qemu-loadgen"}


@pytest.fixture
def files(tmp_path: Path) -> render.Files:
    """Return files that LAVA finds."""
    for name in ("kernel", "ramdisk"):
        (tmp_path / name).write_bytes(b"\0")
    return render.Files(
        kernel=(tmp_path / "kernel").as_uri(), ramdisk=(tmp_path / "ramdisk").as_uri()
    )


def job(files: render.Files, pair: str = "pair-1", **more: Any) -> str:
    """Render the job of the pair of that name."""
    roles = [
        render.Role(
            name=role,
            device_type=name,
            cmdline=command_line(CATALOGUE.board_type(name), {}),
            files=files,
            tags=[f"{pair}-{role}"],
        )
        for role, name in TYPES.items()
    ]
    kind = CATALOGUE.board_type("qemu-sut")
    return render.job(
        ROOT / "lava-jobs" / "boot" / str(kind.job),
        board_type=kind,
        name="pair",
        run_key="run",
        cmdline="",
        files=files,
        timeout_s=60,
        request=render.Request(key="key", token="token"),  # noqa: S106 - no secret
        **{"roles": roles, **more},
    )


def answer(job: str, devices: dict[str, str]) -> Any:
    [said] = _ask([json.dumps({"job": job, "devices": devices, "server": True})])
    return said


def devices(**facts: str) -> dict[str, str]:
    """Return both boards, with further `facts`, as a LAVA server gives them to its dispatcher."""
    shipped = lava_config.templates(CATALOGUE)
    return {
        role: shipped.device(
            lava_config.dictionary(
                Board(name=f"pair-1-{role}", board_type=name, lab="home", facts=facts),
                CATALOGUE.board_type(name),
                shipped,
                inventory=Path("boards.yml"),
            ),
            {"arch": "x86_64"},
        )
        for role, name in TYPES.items()
    }


def cables(text: str) -> dict[str, tuple[str, str]]:
    """Return of each role where its end of the cable is, and where it sends to."""
    found = {}
    for action in yaml.safe_load(text)["actions"]:
        if "deploy" in action:
            words = action["deploy"]["images"]["kernel"]["image_arg"].split()
            [netdev] = [w for w in words if w.startswith("dgram,")]
            keys = dict(word.split("=") for word in netdev.split(",")[1:])
            found[action["deploy"]["role"][0]] = (keys["local.path"], keys["remote.path"])
    return found


def test_lava_takes_the_job_for_both_machines(files: render.Files) -> None:
    assert answer(job(files), devices()) is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("method: qemu", "method: teleport", "actions.boot.teleport"),
        ("count: 1", "count: many", "count"),
        ("seconds: 60\n      to: tmpfs", "moments: 60\n      to: tmpfs", "timeout"),
    ],
)
def test_lava_does_not_take_anything(files: render.Files, old: str, new: str, said: str) -> None:
    text = job(files)
    assert old in text
    assert said in str(answer(text.replace(old, new, 1), devices()))


def test_either_end_of_the_cable_sends_to_the_other(files: render.Files) -> None:
    ends = cables(job(files))
    assert ends["sut"] == ends["loadgen"][::-1]
    assert ends["sut"][0] != ends["sut"][1]


def test_two_pairs_have_no_cable_in_common(files: render.Files) -> None:
    one, two = ({path for ends in cables(job(files, pair)).values() for path in ends}
                for pair in ("pair-1", "pair-2"))  # fmt: skip
    assert len(one) == len(two) == 2
    assert not one & two


def test_a_pair_that_is_not_pinned_to_its_boards_is_refused(files: render.Files) -> None:
    """The cable is named by the board, and the entry has the other board's address."""
    roles = [render.Role(name="sut", device_type="qemu-sut", cmdline="", files=files)]
    with pytest.raises(UsageError, match=r"pair-qemu\.yaml\.jinja2"):
        job(files, roles=roles)


@pytest.mark.parametrize("role", list(TYPES))
def test_a_machine_boots_alone_for_its_health_check(files: render.Files, role: str) -> None:
    """Its network card hangs on a hub: without a cable QEMU would not start."""
    check = lava_config.health_check(CATALOGUE.board_type(TYPES[role]), CATALOGUE, files)
    assert "lava-multinode" not in check
    assert answer(check, {"": devices()[role]}) is None


@pytest.mark.parametrize("role", list(TYPES))
def test_a_board_has_the_disk_that_the_inventory_names(
    files: render.Files, tmp_path: Path, role: str
) -> None:
    """What a boot writes there is kept elsewhere: the image may be that of both machines."""
    image = tmp_path / "disk.img"
    image.write_bytes(b"\0" * 65536)
    made = devices(disk=str(image))
    assert answer(job(files), made) is None
    plain, options = (
        yaml.safe_load(of[role])["actions"]["boot"]["methods"]["qemu"]["parameters"]["options"]
        for of in (devices(), made)
    )
    more = options[len(plain) :]
    assert options[: len(plain)] == plain  # its identity, with and without a disk
    assert more == [
        f"-drive if=none,id=disk,format=raw,snapshot=on,file={image}",
        "-device virtio-blk-pci,drive=disk",
    ]


def test_the_machines_of_a_pair_have_addresses_of_their_own() -> None:
    cards = [
        option
        for name in TYPES.values()
        for option in CATALOGUE.board_type(name).options
        if option.startswith("-device")
    ]
    assert len(set(cards)) == len(cards) == 2
