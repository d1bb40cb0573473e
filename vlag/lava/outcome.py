# SPDX-License-Identifier: GPL-2.0-only
"""Decide the outcome of a run from the board's console and LAVA's result."""

from __future__ import annotations

import re

from vlag.errors import InfrastructureError
from vlag.lava.console import Console
from vlag.lava.job import JobResult
from vlag.model import Outcome

#: An emulator's own complaints begin with its name.
_EMULATOR = re.compile(r"qemu-system-\w+: ")
#: The kernel's first words, and the last ones of an emulator's firmware before it starts one.  A
#: kernel that panics before it has a console ends the emulator without more.
_BEGAN = ("Linux version", "Booting from ROM")


def judge(
    heard: Console,
    job: JobResult,
    limit_s: int,
    *,
    deterministic: bool = False,
    repeated: bool = False,
) -> tuple[Outcome, str | None]:
    """Return outcome and reason of a run that had `limit_s` seconds from power to end.

    They are the host's, or the board's own where it is `deterministic`; `repeated`: such a board
    ended two boots at the same character.  Raises InfrastructureError if the board or its serial
    line failed, or whatever ran it, and not the kernel.
    """
    if heard.panic is not None:
        return Outcome.PANIC, heard.panic.text
    if heard.hot is not None:
        raise InfrastructureError(
            f"the board did not cool down before the benchmark: {heard.hot}; see to its cooling,"
            " or raise temperature_max_mC or thermal_wait_s in its policy"
        )
    if heard.knobs_failed:
        name, why = next(iter(heard.knobs_failed.items()))
        raise InfrastructureError(
            f"{name} is not as asked for: the board says {why!r}", retry=False
        )
    if not heard.done:
        return _cut_short(heard, job, limit_s, deterministic=deterministic, repeated=repeated)
    if heard.throttled:
        raise InfrastructureError(
            f"the board was throttled while it measured: {'; '.join(heard.throttled)}"
        )
    if heard.damaged:
        raise InfrastructureError(heard.damaged[0])
    missing = [name for name in heard.uploaded if name not in heard.files]
    if missing:
        raise InfrastructureError(
            f"the board uploaded {', '.join(missing)}, but nothing was taken from the artifact"
            " store under that name"
        )
    if heard.status != 0:
        return Outcome.BENCHMARK_FAILED, f"the benchmark's script ended with status {heard.status}"
    return Outcome.COMPLETE, None


def went_silent(heard: Console, job: JobResult) -> bool:
    """Return whether the board went down without a word, after its kernel had begun.

    The kernel did it, by a triple fault, say; or its emulator ended, as where the host kills it.
    """
    return (
        not heard.done
        and heard.panic is None
        and job.instructions is None
        and not _timed_out(job)
        and _gave_up(job) is None
        and any(words in line for words in _BEGAN for line in job.console)
    )


def ran_out(heard: Console, job: JobResult) -> bool:
    """Return whether time was over, on the clock of the host, before the board's last word."""
    return not heard.done and heard.panic is None and _timed_out(job)


def _timed_out(job: JobResult) -> bool:
    return job.error is not None and "timed out" in job.error.lower()


def _gave_up(job: JobResult) -> str | None:
    """Return the emulator's own last words."""
    return next((line.strip() for line in job.console if _EMULATOR.match(line)), None)


def _cut_short(
    heard: Console, job: JobResult, limit_s: int, *, deterministic: bool, repeated: bool
) -> tuple[Outcome, str]:
    """Return outcome and reason for a console without an end."""
    last = next((line.strip()[:120] for line in reversed(job.console) if line.strip()), "nothing")
    where = "in the benchmark" if heard.started else "while booting"
    if job.error is None:
        raise InfrastructureError(
            f"LAVA calls the job complete, but its log ends {where}: it is cut short; last line:"
            f" {last}"
        )
    if job.instructions is not None:
        return Outcome.HANG, (
            f"no end within {limit_s} s of the board's own clock, {where}, after"
            f" {job.instructions:,} instructions; last line: {last}"
        )
    if _timed_out(job) and deterministic:
        raise InfrastructureError(
            f"time was over on the clock of the host, {where}, before {limit_s} s were over on the"
            " board's own: the host is too slow for it, or has a lockstep from before such limits"
            f" (lava-jobs/lockstep/install); last line: {last}"
        )
    if _timed_out(job):
        return Outcome.HANG, f"no end within {limit_s} s, {where}; last line: {last}"
    if (died := _gave_up(job)) is not None:
        raise InfrastructureError(f"the emulator gave up: {died}")
    if went_silent(heard, job):
        if not repeated:
            raise InfrastructureError(
                f"the board went down {where} without a word of its kernel, as where its host ends"
                f" the emulator or its power fails; last line: {last}"
            )
        # The machine reset itself (a triple fault, say): no alarm, but the kernel caused it.
        return Outcome.PANIC, f"the board went down {where} without a word; last line: {last}"
    raise InfrastructureError(
        f"no kernel spoke on the console ({job.error or 'no error from LAVA'}); last line: {last}"
    )
