# SPDX-License-Identifier: GPL-2.0-only
"""How far a board came in one boot: what a LAVA job's log shows of each part of the way.

The way is that of a new board: files to the dispatcher, serial line, power, boot loader,
DHCP, TFTP, kernel, policy, temperature, results.  Pure: lines of a log in, steps out.  The
words looked for are those of LAVA, U-Boot, UEFI, GRUB and the kernel (tests/data/first-boot has
them).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from vlag.lava.job import record

OK, FAILED, NOT_REACHED = "ok", "failed", "not reached"

#: Most characters of a line that a sentence quotes.
_QUOTED = 120


@frozen(kw_only=True)
class Step:
    """One part of the way."""

    name: str
    state: str  # OK, FAILED or NOT_REACHED
    sentence: str  # what was seen, or what is wrong and what to do


@frozen(kw_only=True)
class Way:
    """What a log shows, and the words of the board that a sentence names."""

    board: str
    network: bool  # the board sends its results over the network
    typed: bool  # LAVA types to its boot loader
    uboot: bool  # which is U-Boot
    policy: bool
    hot_limit: str  # the policy's, for a sentence
    started: set[str] = field(factory=set)  # LAVA's actions
    ended: set[str] = field(factory=set)
    failed: dict[str, str] = field(factory=dict)  # LAVA's action -> why
    console: list[str] = field(factory=list)
    inputs: list[str] = field(factory=list)  # typed to the boot loader
    commands: list[tuple[str, int | None]] = field(factory=list)  # run on the dispatcher, status

    def spoken(self, pattern: str) -> str | None:
        """Return the first line of the console that has the pattern."""
        return next((c.strip() for c in self.console if re.search(pattern, c)), None)

    @property
    def last(self) -> str:
        """Return the last line of the console that says something."""
        line = next((c.strip() for c in reversed(self.console) if c.strip()), "nothing")
        return line[:_QUOTED]

    def why(self, *actions: str) -> str:
        """Return LAVA's reason for the failure of one of its actions, or ""."""
        return next((self.failed[a] for a in actions if self.failed.get(a)), "")


_START = re.compile(r"(start|end): [\d.]+ ([\w-]+) ")
_CALLING = re.compile(r"Calling: (.*)")
_RETURNED = re.compile(r"Returned (\d+) in ")


def _fill(way: Way, lines: Sequence[str]) -> Way:
    for line in lines:
        row = record(line)
        level, message = row.get("lvl"), row.get("msg")
        if level == "results" and isinstance(message, dict):
            _result(way, message)
        elif not isinstance(message, str):
            continue
        elif start := _START.match(message):
            if "finalize" not in way.started:
                (way.started if start[1] == "start" else way.ended).add(start[2])
        elif "finalize" not in way.started:  # after that LAVA only switches the board off
            _word(way, level, message)
    return way


def _result(way: Way, result: Mapping[str, Any]) -> None:
    """Take a result of LAVA's own steps."""
    if result.get("result") == "fail" and result.get("definition") == "lava":
        extra = result.get("extra")
        why = extra.get("fail") if isinstance(extra, dict) else None
        way.failed.setdefault(str(result.get("case")), str(why or result.get("error_msg") or ""))


def _word(way: Way, level: object, message: str) -> None:
    if level in ("target", "feedback"):
        way.console.append(message)
    elif level == "input":
        way.inputs.append(message.strip())
    elif call := _CALLING.match(message):
        way.commands.append((call[1].removeprefix("'nice' "), None))
    elif (call := _RETURNED.match(message)) and way.commands:
        way.commands[-1] = (way.commands[-1][0], int(call[1]))


def read(
    lines: Sequence[str],
    *,
    board: str,
    network: bool,
    typed: bool,
    uboot: bool,
    policy: Sequence[str],
) -> tuple[Step, ...]:
    """Return all steps of a job's log `lines`, in their order; the first failure ends the way.

    `typed`: LAVA types to the board's boot loader; without it the board is started otherwise
    (an emulator, fastboot), and the steps of power and boot loader are left out.  Of DHCP and
    TFTP only the words of U-Boot are known, `uboot`.
    """
    limit = next((p.split()[1] for p in policy if p.startswith("temperature_max_mC ")), "")
    way = _fill(
        Way(
            board=board,
            network=network,
            typed=typed,
            uboot=uboot,
            policy=bool(policy),
            hot_limit=limit,
        ),
        lines,
    )
    steps: list[Step] = []
    for name, look in _looks(way):
        if steps and steps[-1].state != OK:
            steps.append(Step(name=name, state=NOT_REACHED, sentence="not reached"))
            continue
        good, sentence = look(way)
        steps.append(Step(name=name, state=OK if good else FAILED, sentence=sentence))
    return tuple(steps)


_Look = Callable[[Way], tuple[bool, str]]


def _looks(way: Way) -> Iterator[tuple[str, _Look]]:
    yield "artifacts", _artifacts
    if way.typed:
        yield from (("serial", _serial), ("power", _power), ("boot loader", _boot_loader))
    if way.uboot:
        yield from (("DHCP", _dhcp), ("TFTP", _tftp))
    yield "boot", _boot
    if way.policy:
        yield "policy", _policy
    if way.hot_limit:
        yield "temperature", _temperature
    if way.network:
        yield "network", _network
    yield "benchmark", _benchmark


#: LAVA's reason -> what is wrong; {0} is the reason, {1} the pattern's first group.
_UNPREPARED = (
    (
        r"No space left on device|(?i:disk space)",
        "the dispatcher's disk is full: it cannot keep kernel and initramfs; make room under its"
        " TFTP folder (TFTP_DIRECTORY in /etc/default/tftpd-hpa) and /var/lib/lava/dispatcher",
    ),
    (
        r"Cannot find command 'mkimage'",
        "the dispatcher lacks the program mkimage, which jobs with U-Boot need: install its package"
        " u-boot-tools there",
    ),
    (
        r"Cannot find command '([\w-]+)'",
        "the dispatcher lacks the program {1}, which a job of this board needs: install it there",
    ),
    (r"tftpd", "the dispatcher has no TFTP server ({0}): install its package tftpd-hpa there"),
    (
        r"\b40[34]\b",
        "the artifact store does not give the dispatcher a file ({0}): is `vlag serve` running with"
        " this state folder, and is `artifacts` of the lab its address?",
    ),
    (
        r"(?i)refused|resolve|unreachable|timed out|ConnectionError|unable to (get|download)",
        "the dispatcher does not reach the artifact store ({0}): check `artifacts` of the lab and"
        " `listen` in vlag.toml, and the firewall between them",
    ),
    (r"", "the dispatcher could not prepare the job: {0}"),
)


def _artifacts(way: Way) -> tuple[bool, str]:
    """The dispatcher fetches kernel, initramfs and device tree."""
    actions = ["http-download", "https-download", "file-download", "download-retry", "tftp-deploy"]
    if "connect-device" not in way.started:
        actions.append("job")
    why = way.why(*actions)
    for pattern, sentence in _UNPREPARED if why else ():
        if match := re.search(pattern, why):
            return False, sentence.format(" ".join(why.split())[:_QUOTED], *match.groups())
    return True, "the dispatcher has kernel and initramfs"


def _serial(way: Way) -> tuple[bool, str]:
    """The dispatcher opens the serial line."""
    why = way.why("connect-device")
    if why or "connect-device" not in way.ended:
        return False, (
            f"the command of the serial line, `console` of {way.board} in the inventory, ends"
            f" ({why[:_QUOTED] or 'no reason given'}): run it on the dispatcher by hand"
        )
    return True, "the serial line is connected"


def _power(way: Way) -> tuple[bool, str]:
    """The power command works, and the board says something after it."""
    broken = next((c for c, status in way.commands if status not in (0, None)), None)
    why = way.why("pdu-reboot", "reset-device", "power-on")
    if broken is not None or why:
        return False, (
            f"a power command of {way.board} failed ({broken or why[:_QUOTED]}): run it on the"
            " dispatcher by hand, and check `power` in the inventory"
        )
    if not any(line.strip() for line in way.console):
        return False, (
            f"the serial line is silent after the power command: no byte came from {way.board};"
            " check that the outlet is the board's, the board has power, TX and RX are not"
            " exchanged, and the console's port is this board's"
        )
    return True, "the board was switched, and speaks"


#: What UEFI says where it cannot fetch a boot loader -> what is wrong; {0} is the board, {1} the
#: line.
_UNFETCHED = (
    (
        r"(Client|Server) Error: \d+ |Could not retrieve NBP file size from HTTP server",
        "the web server does not give the firmware of {0} the boot loader ({1}): ask for the URI of"
        " its boot option with curl, from a machine in the board's network",
    ),
    (
        r"PXE-E1[68]",
        "no DHCP server answered the firmware of {0} ({1}): check its cable and VLAN, and that the"
        " DHCP server of that network serves its MAC address",
    ),
    (
        r"PXE-E23|NBP filesize is 0 ",
        "the TFTP server does not give the firmware of {0} the boot loader ({1}): put the file that"
        " the DHCP server names, GRUB's or iPXE's, into TFTP_DIRECTORY of the dispatcher's"
        " /etc/default/tftpd-hpa",
    ),
)


def _boot_loader(way: Way) -> tuple[bool, str]:
    """LAVA gets the prompt."""
    if way.inputs and "bootloader-interrupt" not in way.failed and any(
        " " in i or i == "dhcp" for i in way.inputs
    ):  # fmt: skip
        banner = way.spoken(r"U-Boot \d|iPXE|GNU GRUB") or "its boot loader"
        return True, f"LAVA has the prompt of {banner[:_QUOTED]}"
    odd = sum(not c.isprintable() and c not in "\r\n\t\b\x1b" for line in way.console for c in line)
    text = sum(map(len, way.console)) or 1
    if odd * 4 > text or "�" in "".join(way.console):
        return False, (
            "what comes over the serial line is no text: set the line to the board's speed,"
            " mostly 115200 baud, 8N1"
        )
    if way.spoken(r"login:|Linux version|\[ *\d+\.\d+\]") and not way.spoken(r"U-Boot \d"):
        return False, (
            f"{way.board} runs an operating system and showed no boot loader: the power command"
            " did not restart it, or it boots from its card without U-Boot"
        )
    for pattern, sentence in () if way.uboot else _UNFETCHED:
        if line := way.spoken(pattern):
            return False, sentence.format(way.board, line[:_QUOTED])
    where = (
        "Is U-Boot on the card"
        if way.uboot
        else "Does the DHCP server name GRUB or iPXE as the file to boot, without a menu"
    )
    return False, (
        f"no prompt of the boot loader on {way.board}; the last line is: {way.last}. {where}, and"
        " is its prompt the one that the device type expects?"
    )


def _dhcp(way: Way) -> tuple[bool, str]:
    """The boot loader has an address."""
    if bound := way.spoken(r"DHCP client bound to address [\d.]+"):
        return True, bound
    if not way.spoken(r"BOOTP broadcast|dhcp") and (set_ := way.spoken(r"ipaddr")):
        return True, f"a fixed address: {set_}"
    if way.spoken(r"No ethernet found|No network device|Net: +No"):
        return False, (
            f"the boot loader of {way.board} finds no network card: it needs a U-Boot with the"
            " driver of this board"
        )
    asked = sum("BOOTP broadcast" in line for line in way.console)
    if asked:
        return False, (
            f"no DHCP server answered {way.board} ({asked} requests): check its cable and VLAN, and"
            " that the DHCP server of that network serves its MAC address"
        )
    return False, f"the boot loader got no address; the last line is: {way.last}"


def _tftp(way: Way) -> tuple[bool, str]:
    """The boot loader loads the files."""
    wanted = sum(i.startswith("tftp ") for i in way.inputs)
    loaded = sum("Bytes transferred" in line for line in way.console)
    if missing := way.spoken(r"TFTP error: .*"):
        name = way.spoken(r"^Filename ") or ""
        return False, (
            f"the TFTP server answers, but not with the file that LAVA has put there ({missing};"
            f" {name[:_QUOTED]}): it serves another folder than TFTP_DIRECTORY of the dispatcher's"
            " /etc/default/tftpd-hpa"
        )
    if loaded and loaded >= wanted:
        return True, f"{loaded} files were loaded by TFTP"
    server = way.spoken(r"TFTP from server") or way.spoken(r"ARP Retry") or "its TFTP server"
    if way.spoken(r"Loading: .*T T|ARP Retry count exceeded|Retry count exceeded"):
        return False, (
            f"no TFTP server answers {way.board} ({server[:_QUOTED]}): start tftpd-hpa on the"
            " dispatcher, open UDP port 69, and check dispatcher_ip in the lab's configuration of"
            " the dispatcher"
        )
    return False, f"{loaded} of {wanted} files came by TFTP; the last line is: {way.last}"


#: What the console says before a kernel is up -> what is wrong; {0} is the line.
_UNBOOTED = (
    (
        r"Bad Linux \w+ Image magic|Wrong Image (Type|Format)|ERROR: can't get kernel image",
        "what was loaded is no kernel of this board ({0}): build for its board type",
    ),
    (
        r"Wrong Ramdisk Image Format",
        "U-Boot does not take the initramfs ({0}): booti in the device type must name its size, as"
        " {{RAMDISK_ADDR}}:${{initrd_size}}",
    ),
    (
        r"Did not find a cmdline Flattened Device Tree|Bad FDT|FDT_ERR|image is not a fdt",
        "the device tree is damaged or missing ({0}): build the kernel again",
    ),
    (
        r"error: file `.*' not found",
        "the TFTP server answers GRUB, but not with the file that LAVA has put there ({0}): it"
        " serves another folder than TFTP_DIRECTORY of the dispatcher's /etc/default/tftpd-hpa",
    ),
    (
        r"error: (time-?out|couldn't send network packet)",
        "no TFTP server answers GRUB ({0}): start tftpd-hpa on the dispatcher, open UDP port 69,"
        " and check dispatcher_ip in the lab's configuration of the dispatcher",
    ),
    (r"Kernel panic - not syncing", "the kernel panicked while booting: {0}; see the job's log"),
)


def _boot(way: Way) -> tuple[bool, str]:
    """The kernel comes up with our initramfs."""
    if way.spoken("@vlag:start"):
        version = re.search(r"Linux version \S+", way.spoken(r"Linux version [\d.]+") or "")
        return True, f"{version[0] if version else 'the kernel'} is up with its initramfs"
    for pattern, sentence in _UNBOOTED:
        if line := way.spoken(pattern):
            return False, sentence.format(line[:_QUOTED])
    if not way.spoken(r"Linux version|Booting Linux"):
        after = " after `Starting kernel`" if way.spoken("Starting kernel") else ""
        return False, (
            f"the kernel says nothing{after}: its device tree is not the one of {way.board}, or its"
            " console is another; check `dtb` of the board type and console_device of its device"
            " type"
        )
    return False, (
        f"the kernel started, but not its initramfs; the last line is: {way.last}. Is an option"
        " missing in its config? `vlag build --check` says so"
    )


def _policy(way: Way) -> tuple[bool, str]:
    """The board is as its type's policy asks."""
    for line in way.console:
        if knob := re.search(r"@vlag:knob (\S+) failed (.*)", line):
            return False, (
                f"the policy's {knob[1]} does not take on {way.board}: {knob[2].strip()}; change"
                " the board, or the policy of its board type"
            )
    taken = sum("@vlag:knob" in line for line in way.console)
    return True, f"{taken} settings of the policy took"


def _temperature(way: Way) -> tuple[bool, str]:
    """It is cool before the benchmark, and not throttled in it."""
    if hot := way.spoken("@vlag:hot"):
        return False, (
            f"{way.board} does not cool down to {way.hot_limit} mC though it is idle"
            f" ({hot.partition('@vlag:hot ')[2]}): its fan does not turn or its heat sink is loose"
        )
    if slow := way.spoken("@vlag:throttled"):
        return False, (
            f"{way.board} was slower than asked while it measured"
            f" ({slow.partition('@vlag:throttled ')[2]}): check fan, heat sink and power supply"
        )
    cool = way.spoken("@vlag:cool")
    if cool is None and (unread := way.spoken("@vlag:knob temperature_max_mC ok not known: ")):
        return True, f"not known: {unread.partition('not known: ')[2].strip()}"
    if cool is None:
        return False, f"{way.board} did not say how hot it is; the last line is: {way.last}"
    return True, f"cool: {cool.partition('@vlag:cool ')[2]}"


def _network(way: Way) -> tuple[bool, str]:
    """The running kernel reaches the artifact store."""
    if sent := way.spoken("@vlag:uploaded"):
        return True, f"the artifact store took {sent.partition('@vlag:uploaded ')[2].split()[0]}"
    if not way.spoken("@vlag:file"):
        return False, f"{way.board} sent no result; the last line is: {way.last}"
    if not way.spoken(
        r"IP-Config: (Complete|Got DHCP)|my address is|device=\w+, .*ipaddr=|ipaddr="
    ):
        return False, (
            f"the kernel of {way.board} has no address, so it printed its results: its driver of"
            " the network card is missing, or it got no answer to DHCP"
        )
    return False, (
        f"{way.board} has an address and does not reach the artifact store, so it printed its"
        " results: check `artifacts` of the lab in vlag.toml from that network"
    )


def _benchmark(way: Way) -> tuple[bool, str]:
    """The benchmark's script ends well."""
    if status := way.spoken(r"@vlag:status \d+"):
        number = status.rsplit(maxsplit=1)[1]
        if number == "0" and way.spoken("@vlag:done"):
            return True, "the benchmark ran"
        if number != "0":
            return False, f"the benchmark's script ended with status {number}; see the console"
    return False, f"the benchmark did not end; the last line is: {way.last}"
