# SPDX-License-Identifier: GPL-2.0-only
"""What a LAVA server is given: device types, dictionaries, health checks, and jobs for a lab."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from attrs import evolve
from click.testing import CliRunner

from vlag import ROOT
from vlag.cli.lava import lava
from vlag.config.catalogue import load
from vlag.errors import UsageError
from vlag.lava import render
from vlag.model import Board, BoardType
from vlag.operate.farm import lava_config

EXAMPLE = ROOT / "ansible" / "inventory" / "farm-example.yml"
CATALOGUE = load(inventory=EXAMPLE)
SHIPPED = lava_config.templates(CATALOGUE)
BOOT = ROOT / "lava-jobs" / "boot"
URL = "http://127.0.0.1:8020/files"
FILES = render.Files(kernel=f"{URL}/0/Image", ramdisk=f"{URL}/1/ramdisk", dtb=f"{URL}/2/b.dtb")


def kind_of(name: str) -> BoardType:
    return CATALOGUE.board_type(CATALOGUE.board(name).board_type)


def device(name: str, cmdline: str = "oops=panic") -> dict[str, Any]:
    """Return a device as LAVA's server gives it to a dispatcher."""
    board, kind = CATALOGUE.board(name), kind_of(name)
    text = lava_config.dictionary(board, kind, SHIPPED, inventory=EXAMPLE)
    context = {"arch": kind.arch, "extra_kernel_args": cmdline}
    document: dict[str, Any] = yaml.safe_load(SHIPPED.device(text, context))
    return document


def job(kind: BoardType, **more: Any) -> str:
    return render.job(
        BOOT / str(kind.job), board_type=kind, name="n", run_key="r", cmdline="oops=panic",
        timeout_s=60, **{"files": FILES, **more},
    )  # fmt: skip


def lab_job(kind: BoardType, **more: Any) -> dict[str, Any]:
    request = render.Request(
        key="k1", token="t1", priority=90, callback=("http://m/k1", "secret"),  # noqa: S106
        tags=more.pop("tags", ()),
    )  # fmt: skip
    text = job(kind, request=request, **more)
    document: dict[str, Any] = yaml.safe_load(text)
    return document


ROLES = [
    render.Role(name=r, device_type=t, cmdline="oops=panic", files=FILES, tags=[f"{r}-1"])
    for r, t in (("sut", "sut-loadgen"), ("loadgen", "loadgen"))
]
KINDS = sorted({b.board_type for b in CATALOGUE.boards})


def test_the_example_shows_a_board_of_every_type_that_a_plan_uses() -> None:
    used = {t for plan in CATALOGUE.plans.values() for e in plan.entries for t in e.board_types}
    assert used <= set(KINDS)


def test_lava_calls_a_type_as_we_do_but_where_it_has_one_of_that_name() -> None:
    other = {k.name: k.lava_type for k in CATALOGUE.board_types.values() if k.lava_type != k.name}
    assert other == {"qemu": "qemu-plain", "rpi5": "bcm2712-rpi-5-b",
                     "rpi5-4k": "bcm2712-rpi-5-b"}  # fmt: skip
    lavas = {path.stem for path in lava_config.LAVA_TYPES.glob("*.jinja2")}
    assert "qemu" in lavas
    assert not lavas & {Path(name).stem for name in SHIPPED.own}


@pytest.mark.parametrize("name", ["lab-sim2-1", "lab-sim4-1", "lab-sim8-1", "lab-arm64-1"])
def test_an_emulated_board_is_the_same_through_a_server(name: str) -> None:
    """The deterministic boards must give the same figures both ways."""
    kind = kind_of(name)
    template = ROOT / "lava-jobs" / "devices" / str(kind.template)
    local = yaml.safe_load(render.device(template, Board(name="b", board_type=kind.name), kind))
    assert (
        device(name)["actions"]["boot"]["methods"]["qemu"]
        == local["actions"]["boot"]["methods"]["qemu"]
        == {"parameters": {"command": kind.command, "options": list(kind.options)}}
    )
    ours, labs = yaml.safe_load(job(kind)), lab_job(kind)
    assert ours["actions"] == labs["actions"]
    assert ours["timeouts"] == labs["timeouts"]


@pytest.mark.parametrize("name", [b.name for b in CATALOGUE.boards])
def test_no_board_is_booted_twice_under_one_job(name: str) -> None:
    constants = device(name)["constants"]
    assert (constants["boot_retry"], constants["failure_retry"]) == (1, 1)


def test_commands_of_the_inventory_reach_the_device() -> None:
    facts, commands = CATALOGUE.board("altra-1").facts, device("altra-1")["commands"]
    assert commands == {
        "connect": facts["console"],
        "power_on": facts["power"]["on"],
        "power_off": facts["power"]["off"],
        "hard_reset": facts["power"]["reset"],
    }


COMMANDS = {
    "rpi5-1": (
        "u-boot",
        "setenv bootargs 'console=ttyAMA10,115200n8 root=/dev/ram0 oops=panic ip=",
    ),
    "altra-1": (
        "grub",
        "linux (tftp,{SERVER_IP})/{KERNEL} console=ttyAMA0,115200 ip=dhcp oops=panic",
    ),
    "x86-480-1": (
        "ipxe",
        "set extraargs oops=panic ip=192.0.2.13::192.0.2.1:255.255.255.0:::off:192",
    ),
    "vhost-1": ("ipxe", "dhcp net1"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_boot_loader_is_given_the_kernels_arguments(name: str) -> None:
    method, start = COMMANDS[name]
    commands = device(name)["actions"]["boot"]["methods"][method]["ramdisk"]["commands"]
    assert any(command.startswith(start) for command in commands), commands
    # Negative control: they come from the job, not from the template.
    other = device(name, "quiet")["actions"]["boot"]["methods"][method]["ramdisk"]["commands"]
    assert not any("oops=panic" in command for command in other)


def test_a_mac_address_stays_text() -> None:
    """YAML reads 10:20:30:40:50:11 as a number where a template does not quote it."""
    found = CATALOGUE.board("x86-480-1")
    board = Board(
        name="b", board_type=found.board_type, lab="home",
        facts={**found.facts, "mac": "10:20:30:40:50:11"},
    )  # fmt: skip
    text = lava_config.dictionary(board, kind_of("x86-480-1"), SHIPPED, inventory=EXAMPLE)
    made = yaml.safe_load(SHIPPED.device(text, {}))
    lava_mac = made["actions"]["boot"]["methods"]["ipxe"]["parameters"]["lava_mac"]
    assert lava_mac == made["parameters"]["interfaces"]["target"]["mac"] == "10:20:30:40:50:11"


@pytest.mark.parametrize("name", [n for n in KINDS if CATALOGUE.board_type(n).partner is None])
def test_a_job_of_a_lab(name: str) -> None:
    made = lab_job(CATALOGUE.board_type(name), tags=["b-1"])
    assert made["device_type"] == CATALOGUE.board_type(name).lava_type
    assert made["tags"] == ["b-1"]
    assert made["priority"] == 90
    assert made["metadata"] == {"vlag.run_key": "r", "vlag.key": "k1", "vlag.token": "t1"}
    assert made["notify"]["callback"] == {
        "url": "http://m/k1", "token": "secret", "method": "POST", "dataset": "all",
        "content-type": "json",
    }  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_nothing_is_typed_after_the_boot_loader(name: str) -> None:
    kind = CATALOGUE.board_type(name)
    actions = lab_job(kind, roles=ROLES)["actions"]
    for action in actions:
        for what, keys in action.items():
            assert not {"prompts", "auto_login", "transfer_overlay"} & set(keys)
            assert what != "test" or "monitors" in keys
    assert sum("test" in action for action in actions) == (2 if kind.partner else 1)


def test_the_machines_of_a_pair_are_pinned_each() -> None:
    made = lab_job(CATALOGUE.board_type("sut-loadgen"), roles=ROLES, tags=["ignored"])
    roles = made["protocols"]["lava-multinode"]["roles"]
    assert {r: (d["device_type"], d["tags"]) for r, d in roles.items()} == {
        "sut": ("sut-loadgen", ["sut-1"]),
        "loadgen": ("loadgen", ["loadgen-1"]),
    }
    assert not {"device_type", "tags", "context"} & set(made)
    assert [next(iter(a.values()))["role"] for a in made["actions"]] == [["sut"]] * 3 + [
        ["loadgen"]
    ] * 3


def test_a_root_over_nfs_takes_the_modules() -> None:
    kind = CATALOGUE.board_type("altra")
    whole = evolve(FILES, nfsroot=f"{URL}/3/root.tar.xz", modules=f"{URL}/4/m.tar.xz")
    made = yaml.safe_load(job(kind, files=whole))
    deploy, boot, _ = made["actions"]
    assert boot["boot"]["commands"] == "nfs"
    assert deploy["deploy"]["nfsrootfs"]["install_modules"] is True
    assert deploy["deploy"]["modules"]["url"] == f"{URL}/4/m.tar.xz"
    # Negative control: without a root of its own the job has neither.
    deploy, boot, _ = yaml.safe_load(job(kind))["actions"]
    assert boot["boot"]["commands"] == "ramdisk"
    assert not {"nfsrootfs", "modules"} & set(deploy["deploy"])


def test_a_kernel_that_ipxe_boots_is_told_its_initramfs() -> None:
    """UEFI gives it none otherwise; the name is that of LAVA's file."""
    files = evolve(FILES, ramdisk=f"{URL}/1/ramdisk?job=t1")
    alone = lab_job(CATALOGUE.board_type("x86-480"), files=files)
    assert alone["context"]["extra_kernel_args"] == "oops=panic initrd=ramdisk"
    roles = [evolve(role, files=files) for role in ROLES]
    pair = lab_job(CATALOGUE.board_type("sut-loadgen"), roles=roles)
    for role in pair["protocols"]["lava-multinode"]["roles"].values():
        assert role["context"]["extra_kernel_args"] == "oops=panic initrd=ramdisk"
    # Negative control: GRUB gives its initramfs itself.
    altra = lab_job(CATALOGUE.board_type("altra"), files=files)
    assert altra["context"]["extra_kernel_args"] == "oops=panic"


def test_a_boot_image_is_made_of_the_files_that_lava_has_fetched() -> None:
    files = evolve(FILES, ramdisk=f"{URL}/1/ramdisk?job=t1")
    download = lab_job(CATALOGUE.board_type("rb5"), files=files)["actions"][0]["deploy"]
    made = download["postprocess"]["docker"]["steps"][-1]
    assert "--ramdisk ramdisk --base" in made


def test_a_board_with_a_device_tree_needs_its_file() -> None:
    kind = CATALOGUE.board_type("rpi5")
    with pytest.raises(UsageError, match=r"rpi5 boots with broadcom/bcm2712-rpi-5-b\.dtb: name"):
        render.job(
            BOOT / str(kind.job), board_type=kind, name="n", run_key="r", cmdline="",
            files=evolve(FILES, dtb=None), timeout_s=60,
        )  # fmt: skip


def test_a_place_in_a_pair_is_told_to_the_board(tmp_path: Path) -> None:
    benchmark = CATALOGUE.benchmark("stress-ng-switch")
    words = render.argv(benchmark, benchmark.parameters)

    def entry(place: dict[str, str] | None) -> bytes:
        return render.entry(benchmark, words, seed=1, knobs={}, scripts=[], place=place)

    assert entry(None) == entry({})  # the boards that stand alone keep their run keys
    subprocess.run(
        ["cpio", "--extract", "--quiet", "--make-directories"],
        cwd=tmp_path, input=entry({"ROLE": "sut", "PEER": "192.0.2.15"}), check=True,
    )  # fmt: skip
    said = subprocess.run(
        ["sh", "-ec", ". vlag/entry; sh -c 'echo $ROLE $PEER'"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert said == "sut 192.0.2.15\n"


def test_a_lab_gets_its_own_boards_and_their_tags(tmp_path: Path) -> None:
    inventory = tmp_path / "boards.yml"
    text = EXAMPLE.read_text()
    inventory.write_text(
        text.replace(
            "board_type: altra\n          lab: home", "board_type: altra\n          lab: b"
        )
    )
    catalogue = load(inventory=inventory)
    made = lava_config.farm(catalogue, inventory=inventory, health={}, lab="b")
    assert list(made.devices) == ["altra-1.jinja2"]
    assert made.boards == (
        {"hostname": "altra-1", "device_type": "altra", "worker": "dispatcher-1",
         "tags": ["altra-1"]},
    )  # fmt: skip
    with pytest.raises(UsageError, match=r"boards\.yml: no board has the key lab: nowhere"):
        lava_config.farm(catalogue, inventory=inventory, health={}, lab="nowhere")


def test_the_command_writes_what_a_server_reads(tmp_path: Path) -> None:
    health = tmp_path / "health.yml"
    health.write_text(yaml.safe_dump({"rpi5": {"kernel": URL, "ramdisk": URL, "dtb": URL}}))
    words = ["render", str(tmp_path / "lab"), "--inventory", str(EXAMPLE), "--health", str(health)]
    done = CliRunner().invoke(lava, words)
    assert done.exit_code == 0, done.output
    made = tmp_path / "lab"
    assert {p.stem for p in made.glob("devices/*.jinja2")} == {b.name for b in CATALOGUE.boards}
    types = {p.stem for p in made.glob("device-types/*.jinja2")}
    assert {kind_of(b.name).lava_type for b in CATALOGUE.boards} <= types
    [check] = made.glob("health-checks/*.yaml")
    assert check.stem == "bcm2712-rpi-5-b"
    assert "cyclictest-idle" in yaml.safe_load(check.read_text())["job_name"]
    tags = {b["hostname"]: b["tags"] for b in json.loads((made / "boards.json").read_text())}
    assert tags["lab-qemu-1"] == ["lab-qemu-1", "smoke"]
    # No secret of the inventory's host stands in what is written but what LAVA must run.
    assert not re.search("ansible_", "".join(p.read_text() for p in made.rglob("*.jinja2")))


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ({"rpi6": {"kernel": URL, "ramdisk": URL}}, "health.yml: rpi6: no board type"),
        ({"rpi5": {"kernel": URL}}, "health.yml: rpi5: 'ramdisk' is a required property"),
        ({"rpi5": {"kernel": "x", "ramdisk": URL}}, "health.yml: rpi5.kernel: 'x' does not match"),
        ({"rpi5": {"kernel": URL, "ramdisk": URL}}, "board type rpi5 boots with broadcom/"),
    ],
)
def test_what_a_health_check_loads_is_checked(
    tmp_path: Path, document: dict[str, Any], sentence: str
) -> None:
    health = tmp_path / "health.yml"
    health.write_text(yaml.safe_dump(document))
    words = ["render", str(tmp_path / "lab"), "--inventory", str(EXAMPLE), "--health", str(health)]
    done = CliRunner().invoke(lava, words)
    assert done.exit_code == 2
    assert sentence in done.output
    assert not (tmp_path / "lab").exists()


def test_an_inventory_without_a_lab_gives_a_server_nothing(tmp_path: Path) -> None:
    done = CliRunner().invoke(lava, ["render", str(tmp_path / "lab")])
    assert done.exit_code == 2
    assert "boards.yml: no board has the key lab; only boards of a lab" in done.output
