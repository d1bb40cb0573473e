# SPDX-License-Identifier: GPL-2.0-only
"""`vlag mirror`, `vlag build` and `vlag initramfs`: what boards boot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vlag import config
from vlag.cli.command import FORMAT, echo, emit, end_with, one_sentence
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError
from vlag.model import Outcome

if TYPE_CHECKING:
    from vlag.pipeline.build_stage import Built


@click.command()
@one_sentence
def mirror() -> None:
    """Create or update the git mirrors of the trees."""
    from vlag.pipeline.build_stage import prepare_mirrors

    prepare_mirrors(config.load())


@click.command()
@click.argument("benchmark")
@click.option("--arch", default="x86_64", show_default=True, help="Architecture of the boards.")
@one_sentence
def initramfs(benchmark: str, arch: str) -> None:
    """Build the initramfs of BENCHMARK if its recipe has changed."""
    from vlag.pipeline.boot import prepare_userland

    settings = config.load()
    known = catalogues.of(settings).benchmark(benchmark)
    made = prepare_userland(settings, known, arch)
    echo(f"{made.path}\nsha256 {made.sha256}")
    for package, version in sorted(made.packages.items()):
        echo(f"{package} {version}")


@click.command()
@click.option("--tree", required=True, help="A tree of the settings.")
@click.option(
    "--ref",
    required=True,
    help="Branch, tag, pattern of tags, commit, or UPSTREAM...BRANCH: their merge base.",
)
@click.option("--branch", help="Branch to record the commit under (default: REF).")
@click.option("--series", help="Patch series in kernel-patches/ to apply.")
@click.option(
    "--application",
    help="Which patches of the series: full (default), none, solo(I), prefix(I), without(I).",
)
@click.option(
    "--variant",
    default=config.DEFAULT,
    show_default=True,
    help="Build-time variant: a file of workers/kconfig/variants/.",
)
@click.option("--board-type", required=True, help="Board type to build for.")
@click.option("--fresh", is_flag=True, help="Build even if this kernel was built before.")
@click.option("--check", is_flag=True, help="Only make its config, and hold it against the board.")
@FORMAT
@one_sentence
def build(
    tree: str,
    ref: str,
    branch: str | None,
    series: str | None,
    application: str | None,
    variant: str,
    board_type: str,
    fresh: bool,
    check: bool,
    form: str,
) -> None:
    """Build a kernel.

    A failed build is a recorded result; the exit status is 20.  So it is for a config that
    lacks what the board needs.
    """
    from vlag.pipeline.build_stage import Request
    from vlag.pipeline.build_stage import build as stage

    settings = config.load()
    if check:
        if series is not None:
            raise UsageError(f"--series {series}: --check applies no patches")
        _check(settings, tree, ref, variant, board_type, form)
        return
    built = stage(
        settings=settings,
        catalogue=catalogues.of(settings),
        request=Request(
            tree=tree,
            ref=ref,
            branch=branch,
            board_type=board_type,
            series=series,
            application=application,
            variant=variant,
            fresh=fresh,
        ),
    )
    _print(built, form)
    end_with(built.outcome)


def _print(built: Built, form: str) -> None:
    d = built.document
    k = d["kernel"]
    applied = "" if k["series"] is None else f" + {k['series']} {k['application']}"
    applied += "" if k["variant"] == config.DEFAULT else f", variant {k['variant']}"
    emit(
        form,
        {
            "outcome": d["outcome"],
            "bundle": str(built.folder),
            "kernel": k["digest"],
            "commit": k["commit"],
            "series": k["series"],
            "application": k["application"],
            "variant": k["variant"],
            "release": d["release"],
            "reason": d["reason"],
            "reused": built.reused,
        },
        f"{built.folder}\n{d['release'] or k['describe']}{applied}: {d['outcome']}"
        + (f": {d['reason']}" if d["reason"] else ""),
    )


def _check(
    settings: config.Settings, tree: str, ref: str, variant: str, board_type: str, form: str
) -> None:
    from vlag.pipeline.build_stage import check as stage

    done = stage(
        settings=settings,
        catalogue=catalogues.of(settings),
        tree=tree,
        ref=ref,
        variant=variant,
        board_type=board_type,
    )
    made = done.config
    rows = [(n, made.options.get(n.option, "n")) for n in made.needs]
    outcome = Outcome.COMPLETE if made.wrong is None else Outcome.BUILD_FAILED
    lines = [
        f"{'ok' if n.met(made.options) else 'NOT'} {n.option}={value}: {n.reason}"
        for n, value in rows
    ]
    lines += [f"not known: {sentence}" for sentence in made.unknown]
    verdict = made.wrong or "everything that the board needs is built in"
    emit(
        form,
        {
            "commit": done.commit.sha,
            "board_type": board_type,
            "variant": variant,
            "needs": [
                {"option": n.option, "value": value, "least": n.least, "reason": n.reason,
                 "met": n.met(made.options)}
                for n, value in rows
            ],
            "unknown": made.unknown,
            "wrong": made.wrong,
        },
        "\n".join([*lines, f"{done.commit.describe} for {board_type}: {verdict}"]),
    )  # fmt: skip
    end_with(outcome)
