# SPDX-License-Identifier: GPL-2.0-only
"""A folder with which somebody else repeats boots, with nothing but the emulator."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import shlex
import shutil
import tarfile
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from vlag import ROOT, durable
from vlag.bundle import is_final, read, sha256
from vlag.bundle_records import BuildRecord, EmulatorRecord, RunRecord
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.config.documents import fault
from vlag.errors import RefusedError, UsageError
from vlag.kernel import places, shared_objects
from vlag.lava import initramfs, marker
from vlag.model import BoardType, Observation, Outcome
from vlag.pipeline.boot import boot_entry, command_line, places_of, prepare_userland, run_key

log = logging.getLogger(__name__)

SCRIPT = ROOT / "lava-jobs" / "reproduce" / "reproduce"
#: Preloaded into the emulator, and its plugin; each is built from NAME.c.
LOCKSTEP = "lockstep"
#: What is observed -> the plugin of the emulator that does it.
_PLUGINS = {
    Observation.PROFILE: "profile", Observation.DECISIONS: "decisions",
    Observation.CACHES: "caches",
}  # fmt: skip
#: Of those that are told where to look: the version of what they send.
_PLACED = {
    Observation.DECISIONS: places.VERSION, Observation.CACHES: shared_objects.VERSION,
}  # fmt: skip
#: What the plugins' sources include.
_INCLUDED = ("cpu.h", "guest.h", "lines.h", "packed.h", "plugin.h")

_MARK = re.compile(r"@vlag:.*$")
_METRIC = re.compile(r"@vlag:metric (\S+) \S+ (\S+) (\S+)$")
_WIDTH = 78
_PRINTED = 40  # lines of a tool's output that the README has
_ENDED = (Outcome.COMPLETE, Outcome.PANIC, Outcome.BENCHMARK_FAILED)
#: Settings of a board's policy in words.
POLICY = {
    "cpus": "bring up the CPUs: {}",
    "governor": "frequency governor {}",
    "frequency_khz": "fixed frequency in kHz: {}",
    "turbo": "turbo {}",
    "cstate_latency_us": "no idle state that takes more than {} us to leave",
    "irq_affinity": "interrupts on CPUs {}",
    "autogroup": "autogroup {}",
    "schedstats": "schedstats {}",
    "numa_balancing": "NUMA balancing {}",
    "epp": "energy performance preference {} on all CPUs",
    "thp": "transparent huge pages: {}",
    "smt": "SMT {}",
    "sockets": "a board with so many sockets: {}",
    "page_bytes": "a kernel whose pages have {} bytes",
    "memory_min_MB": "a board with {} MB of memory or more",
    "temperature_max_mC": "no thermal zone above {} thousandths of a degree before the benchmark",
    "thermal_wait_s": "wait for that at most {} s",
    "watch_s": "watch temperatures and frequencies every {} s meanwhile",
}


@frozen(kw_only=True)
class Recorded:
    """A run on record with everything that it booted."""

    folder: Path
    document: RunRecord  # run.json
    name: str  # of its folder among the boots
    board_type: BoardType
    image: Path
    userland: initramfs.Userland
    entry: bytes  # cpio archive behind the userland

    @property
    def observes(self) -> Observation | None:
        """Return what it observed; None if it was scored."""
        word = self.document.get("observes")
        return None if word is None else Observation(word)

    @property
    def cmdline(self) -> str:
        """Return the kernel's command line."""
        knobs = self.document["knobs"]
        return command_line(self.board_type, knobs, self.observes, places=self._places)

    @property
    def _places(self) -> str:
        return places_of(self.image.parent, self.observes)

    @property
    def plugin(self) -> str | None:
        """Return the emulator's plugin with its argument; None: nothing is observed by one."""
        if self.observes is Observation.PROFILE:
            return f"./{_PLUGINS[self.observes]}.so,version={marker.VERSION}"
        if self.observes in _PLACED:
            return f"./{_PLUGINS[self.observes]}.so,at={_PLACED[self.observes]}{self._places}"
        return None

    @property
    def emulator(self) -> EmulatorRecord | None:
        """Return what emulated its board; None: it is hardware."""
        return self.document["board"]["emulator"]

    @property
    def output(self) -> Path | None:
        """Return its raw output; None if it failed before."""
        name = self.document["output"]
        return None if name is None else self.folder / name


def _document(folder: Path, path: Path) -> RunRecord:
    """Return run.json; raises UsageError, or RefusedError, where nobody can repeat the run."""
    document = read(RunRecord, path) if is_final(path.parent) else None
    if document is None:
        raise UsageError(f"{folder}: no run; name the folder of a run, or its number on record")
    wrong = fault(document, "run.schema.json")
    if wrong:
        raise RefusedError(wrong, path=path)
    if Outcome(document["outcome"]) not in _ENDED:
        raise UsageError(f"{folder}: {document['outcome']}: such a run has no figures to repeat")
    if document["synthetic"]:
        raise UsageError(f"{folder}: its figures come from a report, not from a boot")
    return document


def recorded(folder: Path, side: str = "", *, settings: Settings, catalogue: Catalogue) -> Recorded:
    """Return a run's folder with what it booted; `side` begins its name.

    The digest of all inputs is computed anew: it is that of the run, or the run is refused.
    Raises UsageError for a folder that is no run, or if its kernel is gone, RefusedError if what
    is here is not what it booted.
    """
    path = folder / "run.json" if folder.is_dir() else folder
    document = _document(folder, path)
    board_type = catalogue.board_type(document["board"]["board_type"])
    benchmark = catalogue.benchmark(document["benchmark"])
    if board_type.partner:
        raise UsageError(f"{folder}: {board_type.name} is two machines; repeat it with `vlag run`")
    if document.get("guest"):
        raise UsageError(f"{folder}: {benchmark.name} starts guests; repeat it with `vlag run`")
    observes = Observation(word) if (word := document.get("observes")) else None
    entry = path.parent / "entry.cpio"
    archive = (
        entry.read_bytes()
        if entry.is_file()
        else boot_entry(
            benchmark, document["parameters"], document["seed"], document["knobs"],
            observes=observes, policy=board_type.policy,
        ).archive
    )  # fmt: skip
    userland = prepare_userland(settings, benchmark, board_type.arch, board_type.brings(observes))
    image = _image(settings.builds, document)
    emulator = document["board"]["emulator"]
    key = run_key(
        image_sha256=document["image_sha256"],
        userland_sha256=userland.sha256,
        entry_sha256=hashlib.sha256(archive).hexdigest(),
        board_type=board_type,
        knobs=document["knobs"],
        emulator=emulator,
        observes=observes,
    )
    if key != document["run_key"]:
        raise RefusedError(
            f"this run had another {_changed(document, archive, userland)} than there is now;"
            " check out the vlag of its time",
            path=path,
        )
    return Recorded(
        folder=path.parent,
        document=document,
        name="-".join(filter(None, (side, benchmark.name, f"seed{document['seed']}"))),
        board_type=board_type,
        image=image,
        userland=userland,
        entry=archive,
    )


def write(runs: Sequence[Recorded], target: Path, lockstep: Path) -> None:
    """Write the folder `target` with all that `runs` booted, and a script that repeats them.

    The runs are of one board type.  `lockstep` is the folder with what is loaded into the
    emulator, and its sources.  Raises UsageError if `target` exists, if the runs are of several
    board types or emulators, and if what is loaded is not installed.
    """
    if target.exists():
        raise UsageError(f"{target}: exists; name a new folder")
    kinds = sorted({r.board_type.name for r in runs})
    if len(kinds) > 1:
        raise UsageError(f"these runs are of several board types: {', '.join(kinds)}; name one's")
    emulators = {json.dumps(r.emulator, sort_keys=True) for r in runs}
    if len(emulators) > 1:
        raise UsageError("these runs had different emulators; write a folder for each")
    draft = target.with_name(f"{target.name}.partial")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    named = _named(runs)
    for run in named:
        log.info(f"writing {run.name}")
        _boot(draft, run)
    repeats, emulator = named[0].board_type.deterministic, named[0].emulator
    if repeats and emulator is not None:
        _loaded(draft, named, lockstep)
        (draft / "emulator").write_text(
            f"{emulator['program']} {emulator['sha256']} {emulator['version']}\n"
        )
        shutil.copy(SCRIPT, draft / SCRIPT.name)
    (draft / "README").write_text(_readme(named, target.name, repeats=repeats), encoding="utf-8")
    files = sorted(p for p in draft.rglob("*") if p.is_file())
    sums = "".join(f"{sha256(p)}  {p.relative_to(draft)}\n" for p in files)
    (draft / "SHA256SUMS").write_text(sums)
    durable.place(draft, target)


def pack(folder: Path) -> Path:
    """Pack a folder beside itself as FOLDER.tar.gz, and return that."""
    target = folder.with_name(f"{folder.name}.tar.gz")
    with durable.replacing(target) as draft, tarfile.open(draft, "w:gz") as archive:
        archive.add(folder, folder.name, filter=_nobodys)
    return target


def _nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Take the names of this machine's users from an archive's member."""
    # Not member.replace(): Python has it from 3.11.4 on, and Debian 12 has 3.11.2.
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    return member


def _image(builds: Path, document: RunRecord) -> Path:
    """Return the image that a run booted."""
    wanted = document["image_sha256"]
    for path in sorted((builds / document["kernel"]["digest"][:16]).glob("*/build.json")):
        build = read(BuildRecord, path) if is_final(path.parent) else None
        if build and build["image"] and build["image"]["sha256"] == wanted:
            image = path.parent / build["image"]["path"]
            if image.is_file() and sha256(image) == wanted:
                return image
    raise UsageError(
        f"the image of {document['kernel']['describe']} that this run booted is not in {builds};"
        " build it again with `vlag build`"
    )


def _changed(document: Mapping[str, Any], archive: bytes, userland: initramfs.Userland) -> str:
    """Name what differs from what a run booted."""
    if hashlib.sha256(archive).hexdigest() != document["entry_sha256"]:
        return f"script or policy of {document['benchmark']}"
    if userland.sha256 != document["userland"]["sha256"]:
        return "userland"
    return f"command line or emulator's options of {document['board']['board_type']}"


def _named(runs: Sequence[Recorded]) -> list[Recorded]:
    """Return runs with names that differ."""
    by_name: dict[str, Recorded] = {}
    for run in runs:
        name, extra = run.name, 1
        while name in by_name:
            extra += 1
            name = f"{run.name}-{extra}"
        by_name[name] = evolve(run, name=name)
    return list(by_name.values())


def _boot(draft: Path, run: Recorded) -> None:
    """Write what one run booted, and what its board printed."""
    folder = draft / "boots" / run.name
    folder.mkdir(parents=True)
    for name, source, digest in (
        ("image", run.image, run.document["image_sha256"]),
        ("userland", run.userland.path, run.userland.sha256),
    ):
        shared = draft / f"{name}s" / digest[:12]
        if not shared.exists():
            shared.parent.mkdir(exist_ok=True)
            shutil.copy(source, shared)
        (folder / name).write_text(f"{shared.relative_to(draft)}\n")
    (folder / "entry.cpio").write_bytes(run.entry)
    (folder / "cmdline").write_text(f"{run.cmdline}\n")
    (folder / "run.json").write_bytes((run.folder / "run.json").read_bytes())
    if run.board_type.virtual:
        words = [word for option in run.board_type.options for word in shlex.split(option)]
        if run.plugin is not None:
            words += ["-plugin", run.plugin]
        (folder / "options").write_text("".join(f"{word}\n" for word in words))
        (folder / "seconds").write_text(f"{run.document['estimate_s']:.0f}\n")
    (folder / "expected").write_text("".join(f"{line}\n" for line in protocol(run.folder)))
    if run.output is not None:
        shutil.copy(run.output, folder / run.output.name)


def protocol(run: Path) -> list[str]:
    """Return what a run's board reported, line by line: files with their bytes, and figures."""
    console = (run / "console.log").read_text(encoding="utf-8", errors="replace")
    return [mark[0] for line in console.splitlines() if (mark := _MARK.search(line))]


def _loaded(draft: Path, runs: Sequence[Recorded], folder: Path) -> None:
    """Copy what is loaded into the emulator, with its source."""
    plugins = sorted({_PLUGINS[r.observes] for r in runs if r.observes in _PLUGINS})
    names = [f"{name}{suffix}" for name in (LOCKSTEP, *plugins) for suffix in (".c", ".so")]
    for name in (*names, *(_INCLUDED if plugins else ())):
        if not (folder / name).is_file():
            raise UsageError(f"{folder / name} is missing: `make setup` installs it")
        shutil.copy(folder / name, draft / name)


# For people.


def _readme(runs: Sequence[Recorded], name: str, *, repeats: bool) -> str:
    """Return what the folder is, how to use it, and the figures to expect."""
    first = runs[0]
    kind = first.board_type
    lines = [f"{len(runs)} boot{'' if len(runs) == 1 else 's'} on {kind.name}, to repeat", ""]
    emulator = first.emulator
    if repeats and emulator is not None:
        lines += [
            "    ./reproduce",
            "",
            "boots them again and compares what comes out, to the last digit. It needs",
            f"{emulator['program']}, best of version {emulator['version']}:",
            "another one may execute other instructions, and the script says so.",
        ]
    elif emulator is not None:
        lines += [
            "The clock of this virtual board is its host's: figures vary from boot to boot.",
            "Boot the image with the command line and the initramfs below, with",
            f"{emulator['program']} {emulator['version']} and the words in `options`.",
        ]
    else:
        lines += [
            "This board is hardware: figures vary from boot to boot. Boot the image with the",
            "command line and the initramfs below on a board of this type, several times.",
        ]
    if kind.limits:
        lines += ["", *textwrap.wrap(kind.limits, _WIDTH)]
    lines += ["", *_policy(kind)]
    for run in runs:
        lines += _facts(run)
    lines += [
        "",
        "The initramfs of a boot is two files in one:",
        "",
        f"    cd {name}",
        f"    cat $(cat boots/{first.name}/userland) boots/{first.name}/entry.cpio > initramfs",
    ]
    return "\n".join(lines) + "\n"


def _policy(kind: BoardType) -> list[str]:
    """Return the state that a board is brought into before the benchmark."""
    if not kind.policy:
        return ["The board is left as it boots."]
    lines = []
    for line in kind.policy:
        setting, value, *rest = line.split()
        words = POLICY.get(setting, f"{setting} {{}}").format(value)
        lines.append(f"  - {words}{' (where the board has it)' if rest else ''}")
    return ["The initramfs brings the board into this state first, knobs of a boot aside:", *lines]


def _facts(run: Recorded) -> list[str]:
    """Return what one run booted, and its figures."""
    d = run.document
    kernel = d["kernel"]
    applied = "".join(f", with {p['name']}" for p in kernel["patches"])
    lines = [
        "",
        f"boots/{run.name}",
        f'  kernel: {kernel["describe"]} {kernel["commit"][:12]} ("{kernel["subject"]}"){applied}',
        f"  command line: {run.cmdline}",
        *(f"  knob: {name}={value}" for name, value in d["knobs"].items()),
        f"  benchmark: {d['benchmark']}, seed {d['seed']}",
        *(f"    {shlex.join(words)}" for words in d["argv"].values()),
        f"  it ended: {d['outcome']}{': ' + d['reason'] if d['reason'] else ''}",
    ]
    metrics = [m for line in protocol(run.folder) if (m := _METRIC.search(line))]
    lines += [f"  {name}: {value} {unit}" for name, value, unit in (m.groups() for m in metrics)]
    if d["output"]:
        text = (run.folder / d["output"]).read_text(encoding="utf-8", errors="replace").splitlines()
        lines += ["", f"  The tool printed ({Path(d['output']).name}):", ""]
        lines += [f"    {line}" for line in text[:_PRINTED]]
        lines += [f"    ... and {len(text) - _PRINTED} lines"] if len(text) > _PRINTED else []
    return lines
