# SPDX-License-Identifier: GPL-2.0-only
"""Build-time variants: their fragments, who builds them, and what an older kernel says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from attrs import evolve
from buildbot.process.properties import Properties

from master.kernel import build_arguments, kernel_request
from master.schedulers import pushed_branches
from tests import sandboxes
from tests.unit.kernel_trees import arch_alone
from tests.unit.shipped import change, copied
from vlag import ROOT, config
from vlag.bundle_records import BuildRecord
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError
from vlag.kernel import option_versions
from vlag.kernel import tuxmake_build as kernel_build
from vlag.kernel.option_versions import Lifetime
from vlag.kernel.tuxmake_build import Recipe
from vlag.model import Outcome
from vlag.pipeline.build_stage import fragments_of
from vlag.pipeline.night_plan import plan_night

pytestmark = pytest.mark.slow

SHIPPED = config.load(ROOT / "vlag.toml")
CATALOGUE = catalogues.load()
SIM = CATALOGUE.board_type("qemu-sim-2")
RT = fragments_of(SIM, "preempt_rt")

#: A kernel that knows both options, and whose config is what it makes of any request.
MAKEFILE = """
allnoconfig olddefconfig:
	printf '%s\\n' {got} > $(O)/.config
Image bzImage:
	mkdir -p $(O)/arch/x86/boot $(O)/include/config
	echo 1.0 > $(O)/include/config/kernel.release
	echo image > $(O)/arch/x86/boot/$@
"""


def build(tmp_path: Path, got: str, fragments: list[Path], version: str = "") -> BuildRecord:
    source = tmp_path / "source"
    source.mkdir()
    (source / "Makefile").write_text(version + MAKEFILE.format(got=got))
    (source / "Kconfig").write_text("config PREEMPT\nconfig PREEMPT_RT\nconfig PREEMPT_DYNAMIC\n")
    (source / "Kbuild").touch()
    merge = source / "scripts" / "kconfig" / "merge_config.sh"
    merge.parent.mkdir(parents=True)
    merge.write_text("#!/bin/sh\n")
    merge.chmod(0o755)
    for words in (["init", "--quiet"], ["add", "."]):
        subprocess.run(["git", "-C", str(source), *words], check=True)
    return kernel_build.build(
        kernel=arch_alone("x86_64"), source=source, bundle=tmp_path / "builds" / "one",
        recipe=Recipe(kconfig_target="allnoconfig", fragments=fragments),
        tools=sandboxes.tools(tmp_path / "ccache"), reproduce="",
    )  # fmt: skip


def test_a_variant_overrides_the_boards_fragments(tmp_path: Path) -> None:
    """The board asks for CONFIG_PREEMPT, which a real-time kernel has not."""
    assert RT[:-1] == fragments_of(SIM)
    assert "CONFIG_PREEMPT=y" in "".join(f.read_text() for f in RT[:-1])
    document = build(tmp_path, "CONFIG_PREEMPT_RT=y", RT)
    assert (document["outcome"], document["reason"]) == (Outcome.COMPLETE.value, None)


def test_the_boards_own_kernel_still_needs_what_the_variant_drops(tmp_path: Path) -> None:
    document = build(tmp_path, "CONFIG_PREEMPT_RT=y", fragments_of(SIM))
    assert document["reason"] == (
        "config: scheduler.config asks for CONFIG_PREEMPT=y, the kernel made it n"
    )


def test_an_older_kernel_says_what_it_lacks(tmp_path: Path) -> None:
    document = build(tmp_path, "CONFIG_PREEMPT=y", RT)
    assert document["outcome"] == Outcome.BUILD_FAILED.value
    assert document["reason"] == (
        "config: preempt_rt.config asks for CONFIG_PREEMPT_RT=y, the kernel made it n: x86 and"
        " arm64 have it in mainline from Linux 6.12 on; an older kernel needs the out-of-tree"
        " PREEMPT_RT patches as a series"
    )


def linux(major: int, minor: int) -> str:
    return f"VERSION = {major}\nPATCHLEVEL = {minor}\nSUBLEVEL = 3\n"


def test_an_option_that_the_kernel_does_not_know_is_refused(tmp_path: Path) -> None:
    fragment = tmp_path / "own.config"
    fragment.write_text("CONFIG_PREEMPT=y\nCONFIG_RENAMED=y\n")
    document = build(tmp_path, "CONFIG_PREEMPT=y", [fragment], linux(7, 3))
    assert document["outcome"] == Outcome.BUILD_FAILED.value
    assert document["reason"] == (
        "config: own.config asks for CONFIG_RENAMED=y, which Linux 7.3 does not know: was it"
        " renamed? workers/kconfig/versions.toml says which kernels may lack an option, and its"
        " other name"
    )


@pytest.mark.parametrize(("minor", "builds"), [(11, False), (12, False), (13, True)])
def test_an_option_that_ended_may_be_lacked_by_newer_kernels(
    tmp_path: Path, minor: int, builds: bool
) -> None:
    fragment = tmp_path / "own.config"
    fragment.write_text("CONFIG_SCHED_DEBUG=y\n")
    document = build(tmp_path, "CONFIG_PREEMPT=y", [fragment], linux(6, minor))
    assert (document["outcome"] == Outcome.COMPLETE.value) is builds


@pytest.mark.parametrize(
    ("options", "version", "refused"),
    [
        ({}, (6, 12), "CONFIG_OLD=y, which Linux 6.12 does not know"),
        ({}, (6, 13), "CONFIG_NEW=y, its name in newer kernels; the kernel made it n"),
        ({"CONFIG_NEW": "m"}, (6, 13), "the kernel made it m"),
        ({"CONFIG_NEW": "y"}, (6, 13), None),
        ({}, None, None),
    ],
)
def test_a_renamed_option_is_looked_for_under_its_new_name(
    options: dict[str, str], version: tuple[int, int] | None, refused: str | None
) -> None:
    lifetimes = {"CONFIG_OLD": Lifetime(until=(6, 12), name="CONFIG_NEW")}
    answer = option_versions.refusal("CONFIG_OLD", "y", version, options, lifetimes)
    if refused is None:
        assert answer is None
    else:
        assert answer is not None
        assert refused in answer


def test_each_option_on_the_list_is_of_a_fragment() -> None:
    texts = "".join(path.read_text() for path in catalogues.KCONFIG.rglob("*.config"))
    for option, lifetime in option_versions.load().items():
        assert f"\n{option}=" in texts
        assert lifetime.vendor or lifetime.since or lifetime.until


def test_an_unknown_variant_is_named_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no variant 'rt'; there are: default, lock"):
        fragments_of(SIM, "rt")
    wrong = evolve(SHIPPED, branches=(evolve(SHIPPED.branches[0], variant="rt"),))
    with pytest.raises(UsageError, match=r"vlag\.toml: branches\.0\.variant: no variant 'rt'"):
        catalogues.of(wrong)


def test_the_key_of_a_branch(tmp_path: Path) -> None:
    copied(tmp_path)
    path = tmp_path / "vlag.toml"
    path.write_text((ROOT / "vlag.toml").read_text())
    assert {b.variant for b in config.load(path).branches} == {"default"}
    change(path, 'plan = "nightly"\n', 'plan = "rt"\nvariant = "preempt_rt"\n')
    assert [b.variant for b in config.load(path).branches] == ["preempt_rt", "default"]


def test_a_night_builds_branch_and_baseline_of_the_variant() -> None:
    plain = evolve(SHIPPED.branches[0], plan="rt", board_types=("qemu-sim-2",))
    both = evolve(SHIPPED, branches=(plain, evolve(plain, variant="preempt_rt")))
    night = plan_night(both, CATALOGUE, {})
    assert [(p.base.variant, p.new.variant) for p in night.pairs] == [
        ("default", "default"),
        ("preempt_rt", "preempt_rt"),
    ]
    assert len({k.key for k in night.kernels}) == 4
    assert [k.label for k in night.kernels if k.variant != "default"] == [
        "baseline debian/6.1.*, preempt_rt",
        "linux-6.12, preempt_rt",
    ]
    # A push is tested with the default kernel only.
    assert pushed_branches(both) == [plain]
    arguments = [
        Properties(**kernel_request(k, purpose="night", compared_with=[]))
        .render(build_arguments)
        .result
        for k in night.kernels
    ]
    assert [a[a.index("--variant") + 1] for a in arguments if "--variant" in a] == [
        "preempt_rt"
    ] * 2


def test_the_plan_of_real_time_kernels() -> None:
    entries = CATALOGUE.plan("rt").entries
    assert {e.benchmark for e in entries} >= {"pi-stress", "ptsematest", "signaltest", "oslat"}
    boards = {name for e in entries for name in e.board_types}
    hardware = {k.name for k in CATALOGUE.board_types.values() if "hardware" in k.classes}
    assert boards == hardware | {"qemu-sim-2"}


def test_a_debug_kernel_runs_once_a_week_and_in_no_night(tmp_path: Path) -> None:
    path = tmp_path / "vlag.toml"
    text = (ROOT / "vlag.toml").read_text()
    lane = (
        '[[branches]]\ntree = "debian"\nbranch = "linux-6.12"\nbaseline = "debian/6.1.*"\n'
        'board_types = ["gate"]\nvariant = "lockdep"\nweekly_plans = ["debug"]\n'
        '[weekly]\nday = "sunday"\nhour = 3\nminute = 0\n'
    )
    path.write_text(text.replace("[nightly]", f"{lane}[nightly]"))
    made = config.load(path)
    known = catalogues.of(made)
    assert made.branches == SHIPPED.branches
    assert {k.variant for k in plan_night(made, known, {}).kernels} == {"default"}
    week = plan_night(made.of_week(), known, {})
    assert [(k.variant, k.plan, k.board_types) for k in week.kernels] == [
        ("lockdep", "debug", ("qemu-sim-2",))
    ] * 2
    assert "linux-6.12" in made.watched("debian")
    path.write_text(text.replace("[nightly]", f"{lane}[nightly]").replace('["debug"]', '["s1"]'))
    with pytest.raises(UsageError, match=r"branches\.2\.weekly_plans\.0: s1 has nothing to run on"):
        catalogues.of(config.load(path))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('plan = "nightly"\n', "", "branches.0: 'plan' is a required property of a branch without"),
        (
            'plan = "nightly"\ncommit_plan = "commit"', 'weekly_plans = ["rt"]\ncommit_plan = "rt"',
            "branches.0.commit_plan: a branch without a plan of its nights tests no pushes",
        ),
    ],
)  # fmt: skip
def test_a_branch_without_a_plan_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "vlag.toml"
    text = (ROOT / "vlag.toml").read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(UsageError, match=said):
        config.load(path)


def test_a_debug_kernel_is_of_checked_locks() -> None:
    """Its own fragment comes last; a kernel that does not check locks is refused."""
    [own] = [f for f in fragments_of(SIM, "lockdep") if f not in fragments_of(SIM)]
    assert "CONFIG_PROVE_LOCKING=y" in own.read_text()
    assert "KASAN=y" not in own.read_text()
