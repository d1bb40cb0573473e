# SPDX-License-Identifier: GPL-2.0-only
"""CI's night: a clean clone whose `make run` goes the whole road once, with few and short runs.

One service, started by README's command and killed once, goes from the first look of prebuilt
kernels over a night of a branch built from source to pushed commits and a job of a LAVA server.
Only one kernel is compiled whole, a small one; what follows from it comes out of the compiler's
cache.  The deep nights are in tests/long/deep.
"""

import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import yaml
from attrs import frozen

from tests.integration.lava_lab import running
from tests.integration.line import Line
from tests.integration.mail_server import MailServer
from tests.long import tiny_kernel
from tests.night.clone import SETTINGS, Night, branch, environment, write_settings
from tests.night.digests import CATALOGUE
from tests.night.farm import Farm, add_lab, register
from tests.night.service import Service, edited, git, patched, push, report_of
from vlag import ROOT
from vlag.stats.compare import BOOTS_MINIMUM
from vlag.stats.modes import UNKNOWN_BOOTS

#: Boards by name: two of this machine, two that wait for no kernel long, and one of the lab.
HOSTS: Mapping[str, Mapping[str, Any]] = {
    "road-1": {"board_type": "road"},
    "road-2": {"board_type": "road"},
    "deaf-1": {"board_type": "road-deaf"},
    "deaf-2": {"board_type": "road-deaf"},
    "lab-1": {"board_type": "road-lab", "lab": "home"},
}
#: The deterministic board with a small kernel, which finds one CPU without ACPI.  It may boot
#: slowly, beside other work; the deaf board gives a kernel that hangs up soon.  Without a local
#: APIC nobody finds out how fast its timer is: the emulator takes 15 s to wait so busily.
_SHIPPED = CATALOGUE.board_type("qemu-sim-2")
_TYPE = {
    "extends": "qemu-sim-2",
    "cpus": 1,
    "topology": ["-smp 1,sockets=1,cores=1,threads=1"],
    "options": [
        option.replace("-cpu qemu64", "-cpu qemu64,-apic")
        for option in _SHIPPED.options
        if not option.startswith("-smp")
    ],
    "kconfig": ["scheduler.config", "qemu-sim.config", "road.config"],
    "boot_timeout_s": 600,
}
TYPES: Mapping[str, Mapping[str, Any]] = {
    "road": _TYPE,
    "road-deaf": {**_TYPE, "boot_timeout_s": 5},
    "road-lab": _TYPE,
}

_ENTRY = """  - benchmark: stress-ng-switch
    board_types: [{board_type}]
    seeds: {seeds}
    timeout_s: 600
"""
#: Boots a side, and rerun boots a side: the fewest that decide.  Boots of one kernel differ by
#: less than a thousandth here, the kernels by a twentieth and more.
BOOTS, RERUN = UNKNOWN_BOOTS, BOOTS_MINIMUM
#: The first look and the lab's job are boots of the road's first seed.
_PLANS = {
    "road": _ENTRY.format(board_type="road", seeds=BOOTS) + f"    confirm: [{RERUN}]\n",
    "look": _ENTRY.format(board_type="road", seeds=1),
    "lab": _ENTRY.format(board_type="road-lab", seeds=1),
    "panics": _ENTRY.format(board_type="road", seeds=2),
    "hangs": _ENTRY.format(board_type="road-deaf", seeds=2).replace("600", "1"),
}

#: Kernels of some bytes, which do nothing but fail.  The older is the newer's baseline.
PANIC, HANG = "Kernel panic - not syncing: nothing is in here", "vlag test: no word more"
_TINY = {
    f"{fault}-{age}": (f"{words} ({age})", ends)
    for fault, words, ends in (("panic", PANIC, True), ("hang", HANG, False))
    for age in ("old", "new")
}

#: Ten times the loop of the known regression: few boots show it.
_SLOW = ("for (int i = 0; i < 40; i++)", "for (int i = 0; i < 400; i++)")
#: What is pushed, commit by commit.
SLOW, DOCUMENT, BROKEN = range(3)
OWNER = "owner@vlag.test"


@frozen(kw_only=True)
class Road:
    """The service after all of it, which still runs, and what it left."""

    farm: Farm
    mail: MailServer
    night: dict[str, Any]  # build of the night, with properties
    job: dict[str, Any]  # of the lab, during which the master was killed
    shas: list[str]  # pushed commits
    pushes: list[dict[str, Any]]  # their builds
    reports: list[list[dict[str, Any]]]  # a push's comparisons
    runs: list[dict[str, Any]]  # rows of the database
    on_disk: list[dict[str, Any]]  # the documents of the runs

    @property
    def clone(self) -> Night:
        return self.farm.night

    def against_parent(self, commit: int, stage: str = "screen") -> dict[str, Any]:
        """Return the comparison of a commit with its parent."""
        return next(
            r
            for r in self.reports[commit]
            if r["stage"] == stage and r["base"]["commit"] == self.parent(commit)
        )

    def parent(self, commit: int) -> str:
        return self.shas[commit - 1] if commit else self.source["kernel"]["commit"]

    @property
    def source(self) -> dict[str, Any]:
        """The first boot of the branch as Debian has it."""
        return next(
            d for d in self.on_disk
            if d["kernel"]["subject"].startswith("linux-source-") and d["seed"] == 1
            and d["board"]["board_type"] == "road"
        )  # fmt: skip

    def build_of(self, document: Mapping[str, Any]) -> Path:
        """Return the build that a run booted."""
        return Path(document["reproduce"].split()[2])


class Progress:
    """Says what has been reached, for whoever waits."""

    def __init__(self) -> None:
        self.began = time.monotonic()

    def __call__(self, what: str) -> None:
        """Print it with the seconds from the beginning on."""
        print(f"night: {time.monotonic() - self.began:4.0f} s: {what}", flush=True)


@contextmanager
def made(cluster: str) -> Iterator[Road]:
    """Go the road; stop the service in the end."""
    say = Progress()
    folder = Path(tempfile.mkdtemp(prefix="vlag-night-"))
    clone, lab = folder / "vlag", folder / "lava"
    lab.mkdir()
    with ExitStack() as held:
        # Some hundred thousand files, minutes on a slow disk: nobody waits for it.
        held.callback(lambda: subprocess.Popen(["rm", "-rf", folder], start_new_session=True))
        mail = MailServer(folder / "mail")
        held.callback(mail.stop)
        with ThreadPoolExecutor(1) as beside:
            # LAVA ends with the thread that started it: this one.
            cloned = beside.submit(_clone, clone)
            lava = held.enter_context(running(cluster, lab))
            say("LAVA is up")
            cloned.result()
        say("the clone is set up and has the source")
        line = held.enter_context(Line(int(lava.url.rsplit(":", 1)[1])))
        add_lab(clone / SETTINGS, lava, line)
        listed = {"all": {"children": {"boards": {"hosts": dict(HOSTS)}}}}
        (clone / "ansible/inventory/boards.yml").write_text(yaml.safe_dump(listed))
        _add_mail(clone / SETTINGS, mail)
        night = Night(clone=clone, output="", seconds=0, commit="")
        service = Service(night, clone / SETTINGS)
        farm = Farm(night=night, lava=lava, line=line, service=service)
        held.callback(service.stop)
        service.start()
        say("the service is up")
        register(farm)
        yield _gone(farm, mail, folder, say)


def _clone(clone: Path) -> None:
    """Clone this checkout, write its settings, set it up, and import the source."""
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    _write_settings(clone)
    _write_catalogue(clone)
    env = environment(clone / SETTINGS)
    subprocess.run(["make", "setup"], cwd=clone, env=env, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([clone / ".venv/bin/vlag", "mirror"], cwd=clone, env=env, check=True)
    night = Night(clone=clone, output="", seconds=0, commit="")
    with tempfile.TemporaryDirectory() as scratch:
        slow = patched(clone / "slow.patch")
        push(night, "slow", [("sched/fair: look again", slow)], Path(scratch))


def _write_settings(clone: Path) -> None:
    branches = branch(baseline="slow", plan="road", board_type="road")
    for fault, board_type in (("panic", "road"), ("hang", "road-deaf")):
        faulty = branch(
            f"{fault}-new", baseline=f"{fault}-old", plan=f"{fault}s", board_type=board_type
        )
        branches += faulty.replace('"debian"', '"tiny"')
    # A master that comes back asks the tree at once: the commits need no short interval.
    toml = write_settings(clone, SETTINGS, branches)
    text = toml.read_text()
    older = '"linux-6.1" = "linux-source-6.1"\n'
    assert text.count(older) == 1
    tiny = "\n".join(_tiny(clone))
    toml.write_text(f"""{text.replace(older, "")}
[first]
tree = "prebuilt"
baseline = "6.1"
branch = "6.12"
board_types = ["road"]
plan = "look"
[trees.tiny.images]
{tiny}
""")


def _tiny(clone: Path) -> Iterator[str]:
    """Write the kernels that fail; yield their lines of the settings."""
    folder = clone.parent / "tiny"
    folder.mkdir()
    (folder / "config").write_text("CONFIG_SMP=y\n")
    for name, (words, ends) in _TINY.items():
        said = f"Linux version 6.12.0-{name}\r\n{words}\r\n".encode()
        image = tiny_kernel.image(said, release=f"6.12.0-{name}".encode(), ends=ends)
        (folder / name).write_bytes(image)
        yield f'"{name}" = {{image = "{folder / name}", config = "{folder / "config"}"}}'


def _write_catalogue(clone: Path) -> None:
    """Write board types and plans into the clone, and the patch of a slower kernel."""
    jobs = clone / "lava-jobs"
    for name, more in TYPES.items():
        document = yaml.safe_dump({"board_type": name, **more})
        (jobs / "devices" / f"{name}.yaml").write_text(document)
    for name, entries in _PLANS.items():
        (jobs / "plans" / f"{name}.yaml").write_text(f"plan: {name}\nentries:\n{entries}")
    fragment = Path(__file__).with_name("road.config")
    (clone / "workers/kconfig/road.config").write_text(fragment.read_text())
    shipped = (clone / "kernel-patches/known-regressions/02-pick-path.patch").read_text()
    assert shipped.count(_SLOW[0]) == 1
    (clone / "slow.patch").write_text(shipped.replace(*_SLOW))


def _add_mail(toml: Path, mail: MailServer) -> None:
    text = toml.read_text()
    toml.write_text(f"""{text}
[mail]
smtp = "127.0.0.1:{mail.port}"
tls = "none"
from = "vlag@vlag.test"
[mail.owners]
"debian/linux-6.12" = ["{OWNER}"]
"tiny" = ["{OWNER}"]
""")


def _gone(farm: Farm, mail: MailServer, folder: Path, say: Progress) -> Road:
    """Wait for the first night, push commits, and kill the master in the middle of a job."""
    service, night = farm.service, farm.night

    def nights() -> list[dict[str, Any]]:
        return [b for b in service.builds("nightly") if b["complete"]]

    service.wait(lambda: [b for b in service.builds("first") if b["complete"]])
    say("the first look has ended")
    service.wait(nights)
    say("the first night has ended")
    commits = [
        ("sched/fair: look again at each pick", patched(night.clone / "slow.patch")),
        ("docs: say more", edited("Documentation/scheduler/index.rst", "", "\n..\n")),
        ("init: break", edited("init/main.c", "", "this is not C\n")),
    ]
    last = max((j["id"] for j in farm.jobs()), default=0)
    # A commit: the branch moves before the master begins this again.
    source = git(night, "rev-parse", "linux-6.12")
    request = farm.force("lab", source, board_type="road-lab")
    job = farm.wait_for_boot(last)
    shas = push(night, "linux-6.12", commits, folder)
    service.kill_master()
    say("the master was killed in the middle of the lab's job, and is back")
    farm.wait_for_push(request)
    say("the lab's job is on record")

    def pushed() -> list[dict[str, Any]]:
        ended = {
            b["properties"].get("revision"): b
            for b in service.builds("push")
            if b["complete"] and b["results"] not in (5, None)  # 5: begun again
        }
        return [ended[sha] for sha in shas] if set(shas) <= ended.keys() else []

    pushes = service.wait(pushed)
    say("the pushed commits have their verdicts")
    [first] = nights()
    return Road(
        farm=farm,
        mail=mail,
        night=first,
        job=next(j for j in farm.jobs() if j["id"] == job["id"]),
        shas=shas,
        pushes=pushes,
        reports=[
            [report_of(night, c) for c in b["properties"].get("comparisons", [])] for b in pushes
        ],
        runs=farm.rows(
            "SELECT r.*, k.branch, k.commit, k.subject FROM run r JOIN kernel k ON k.id = r.kernel"
            " ORDER BY r.id"
        ),
        on_disk=[d for d in night.runs() if d["bundle"].suffix != ".partial"],
    )
