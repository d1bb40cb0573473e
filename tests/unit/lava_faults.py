# SPDX-License-Identifier: GPL-2.0-only
"""Faults of jobs, devices and inventories, each in a file, and the sentence on it."""

from __future__ import annotations

from pathlib import Path

INVENTORY = "ansible/inventory/farm-example.yml"
FAULTS = {
    "a lab's board of a type that has no job": (
        "lava-jobs/devices/vhost-host.yaml",
        "job: ipxe.yaml.jinja2",
        "job: null",
        "lava-jobs/devices/vhost-host.yaml: job: null, so no lab can boot its boards",
    ),
    "a variable that no template reads": (
        INVENTORY,
        "boot_interface: net1",
        "boot_interfce: net1",
        "farm-example.yml: vhost-1.variables.boot_interfce: no template of LAVA's device type"
        " vhost-host reads boot_interfce",
    ),
    "a key that a boot loader's template does not know": (
        INVENTORY,
        "dispatcher: dispatcher-1\n          tags",
        "dispatcher: dispatcher-1\n          serial_number: ab12\n          tags",
        "farm-example.yml: lab-qemu-1.serial_number: no template of LAVA's device type qemu-plain"
        " reads adb_serial_number",
    ),
    "a command that is no text of YAML": (
        INVENTORY,
        "console: telnet console-1 7001",
        'console: "telnet: console-1"',
        "farm-example.yml: rpi5-1: connect: not valid YAML: 'connect: telnet: console-1'",
    ),
    "an action without a time-out": (
        "lava-jobs/boot/actions.jinja2",
        "      timeout:\n        seconds: {{ timeout_s }}\n      method",
        "      method",
        "lava-jobs/boot/uboot.yaml.jinja2: actions.1.boot.timeout: missing; LAVA would take a"
        " time-out of its own (plan s1, stress-ng-pipe on rpi5)",
    ),
    "a job without a time-out": (
        "lava-jobs/boot/job.jinja2",
        "  job:\n    seconds: {{ limit_s",
        "  jobs:\n    seconds: {{ limit_s",
        "lava-jobs/boot/qemu.yaml.jinja2: timeouts.job: missing; LAVA would take a time-out of its"
        " own (plan smoke, stress-ng-switch on qemu and 2 more)",
    ),
    "an action that may take longer than the job": (
        "lava-jobs/boot/job.jinja2",
        "limit_s | default(deploy_timeout_s + 2 * boot_timeout_s + timeout_s)",
        "60",
        "lava-jobs/boot/uboot.yaml.jinja2: timeouts.action: Global timeout is larger than job",
    ),
    "a key that LAVA's schema of jobs does not know": (
        "lava-jobs/boot/uboot.yaml.jinja2",
        "{% block actions %}",
        "{% block protocols %}\ntag: [fast]\n{% endblock %}\n{% block actions %}",
        "lava-jobs/boot/uboot.yaml.jinja2: tag: extra keys not allowed (plan s1,",
    ),
    "a boot method that the device has not": (
        "lava-jobs/boot/uboot.yaml.jinja2",
        'vlag.boot("u-boot"',
        'vlag.boot("ipxe"',
        "lava-jobs/boot/uboot.yaml.jinja2: actions: ",
    ),
    "a key of a device that LAVA's schema does not take": (
        "lava-jobs/devices/types/bcm2712-rpi-5-b.jinja2",
        "{% set action_timeout_bootloader_interrupt = 90 %}",
        "{% set action_timeout_bootloader_interrupt = 0 %}",
        "farm-example.yml: rpi5-1: timeouts.actions.bootloader-interrupt",
    ),
    "a device type with an error of syntax": (
        "lava-jobs/devices/types/altra.jinja2",
        "{% set efi_grub = true %}",
        "{% set efi_grub true %}",
        "lava-jobs/devices/types/altra.jinja2:4: not a valid template: expected token",
    ),
    "a device type that extends none": (
        "lava-jobs/devices/types/x86-480.jinja2",
        "vlag-server.jinja2",
        "vlag-sever.jinja2",
        "lava-jobs/devices/types/vlag-sever.jinja2: missing; neither we nor LAVA have such",
    ),
    "a job template with an error of syntax": (
        "lava-jobs/boot/uboot.yaml.jinja2",
        "{% block actions %}",
        "{% block actions",
        "lava-jobs/boot/uboot.yaml.jinja2:7: not a valid template: expected token",
    ),
    "a job template with a word that nobody gives it": (
        "lava-jobs/boot/job.jinja2",
        "{{ run_key }}",
        "{{ run_keys }}",
        "lava-jobs/boot/uboot.yaml.jinja2: 'run_keys' is undefined",
    ),
    "a static address as LAVA writes it": (
        "lava-jobs/devices/types/vlag-server.jinja2",
        '":::off:" ~ static_dns',
        '":::off:" ~ static_dns ~ ":"',
        'lava-jobs/boot/health-check.yaml.jinja2: actions: Invalid job data: ["Deploy Commands',
    ),
    "a pair that has a key which belongs to one machine": (
        "lava-jobs/boot/pair.yaml.jinja2",
        "{% block context %}\n",
        "{% block context %}\ncontext:\n  arch: x86_64\n",
        'lava-jobs/boot/pair.yaml.jinja2: "context" should not be used with multinode',
    ),
    "a run that takes longer than it may": (
        "lava-jobs/plans/s1.yaml",
        "timeout_s: 120",
        "timeout_s: 12",
        "lava-jobs/plans/s1.yaml: entries.0.timeout_s: 12 s, but stress-ng-pipe takes about 20 s",
    ),
    "a parameter that is no number": (
        "lava-jobs/plans/smoke.yaml",
        "board_types: [virtual]",
        "parameters: {instances: many}\n    board_types: [virtual]",
        "lava-jobs/plans/smoke.yaml: entries.0.parameters: stress-ng-switch: instances must be a",
    ),
}


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
