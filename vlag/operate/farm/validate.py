# SPDX-License-Identifier: GPL-2.0-only
"""Check every plan, job template and device with LAVA's own code, without any board."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen

from vlag import ROOT, notation
from vlag.config.catalogue import Catalogue, load, read_boards
from vlag.errors import UsageError, blame_program
from vlag.lava import render
from vlag.model import Board, BoardType, Plan, PlanEntry
from vlag.operate.farm import lava_config
from vlag.pipeline.boot import command_line, estimate_s
from vlag.pipeline.night_plan import planned_runs

#: Debian's Python: LAVA is installed for it and for no other.
_PYTHON = "/usr/bin/python3"
_ACCEPT = ROOT / "vlag" / "lava" / "accept.py"
#: Versions of LAVA whose code this asks in tests.
_KNOWN = "2023.01 to 2026.10"
#: LAVA's code takes a second to load and milliseconds a question.
_LIMIT_S = 300


@frozen(kw_only=True)
class Duration:
    """How long a plan takes on boards of one type, one run after the other."""

    plan: str
    board_type: str
    runs: int
    minutes: float


@frozen(kw_only=True)
class Report:
    """The result of a validation: `findings` are sentences with file and key."""

    findings: tuple[str, ...]
    jobs: int  # rendered
    questions: int  # checked by LAVA: distinct jobs, on devices
    devices: int
    durations: tuple[Duration, ...]


@frozen(kw_only=True)
class _Machine:
    """One device of a question, and the file that defines it."""

    where: str
    dictionary: str | None  # for LAVA's server, which renders it with the job's context
    device: str | None  # for lava-run, already rendered


@frozen(kw_only=True)
class _Question:
    job: str
    template: str  # of the job, for messages
    machines: Mapping[str, _Machine]  # role -> machine; "" in a job of one machine
    about: str

    @property
    def server(self) -> bool:
        return all(m.device is None for m in self.machines.values())


@frozen(kw_only=True)
class _Findings:
    """Findings, each once, with its count."""

    seen: dict[str, list[str]] = field(factory=dict)

    def add(self, sentence: str, about: str = "") -> None:
        self.seen.setdefault(sentence, []).append(about)

    def sentences(self) -> tuple[str, ...]:
        return tuple(f"{s}{self._about(a)}" for s, a in self.seen.items())

    @staticmethod
    def _about(abouts: Sequence[str]) -> str:
        named = list(dict.fromkeys(f for f in abouts if f))
        if not named:
            return ""
        more = f" and {len(named) - 1} more" if len(named) > 1 else ""
        return f" ({named[0]}{more})"


def durations(catalogue: Catalogue) -> tuple[Duration, ...]:
    """Return how long each plan takes on each of its board types, without confirmation."""
    rows = []
    for plan in catalogue.plans.values():
        for name in dict.fromkeys(t for e in plan.entries for t in e.board_types):
            kind = catalogue.board_type(name)
            settings = {tuple(sorted(e.all_knobs.items())) for e in plan.entries}
            runs = [
                run
                for knobs in sorted(settings)
                for run in planned_runs(catalogue, plan.name, [name], knobs=dict(knobs))
            ]
            seconds = sum(_estimate_s(catalogue, run.entry, kind) for run in runs)
            rows.append(
                Duration(plan=plan.name, board_type=name, runs=len(runs), minutes=seconds / 60)
            )
    return tuple(rows)


def _estimate_s(catalogue: Catalogue, entry: PlanEntry, kind: BoardType) -> float:
    return estimate_s(catalogue.benchmark(entry.benchmark), kind, entry.parameters)


def validate(*, inventory: Path | None = None, root: Path = ROOT) -> Report:
    """Render every job of every plan and every device, and ask LAVA whether it takes them.

    If the inventory has no board of a type in a lab, the board of `farm-example.yml` is
    used.  Raises UsageError if the lists themselves cannot be read, or LAVA's code is not
    installed.
    """
    folder = root / "ansible" / "inventory"
    inventory = inventory or folder / "boards.yml"
    catalogue = load(root, inventory=inventory)
    example = folder / "farm-example.yml"
    findings = _Findings()
    for board in catalogue.boards:
        if board.lab is None and catalogue.board_type(board.board_type).template is None:
            findings.add(
                f"{inventory}: {board.name}.lab: missing; lava-run cannot boot a board of type"
                f" {board.board_type} here"
            )
    with tempfile.TemporaryDirectory(prefix="vlag-validate-") as scratch:
        check = _Check(
            catalogue=catalogue,
            root=root,
            shipped=lava_config.templates(catalogue, root),
            findings=findings,
            files=_files(Path(scratch)),
            boards=_boards(catalogue, inventory, example),
        )
        questions = [*check.health_checks(), *check.plans()]
        asked = check.ask(questions)
    return Report(
        findings=findings.sentences(),
        jobs=len(questions),
        questions=asked,
        devices=sum(map(len, check.boards.values())),
        durations=durations(catalogue),
    )


def _files(folder: Path) -> render.Files:
    """Return files that a job can name; LAVA checks that they exist."""
    for name in ("kernel", "ramdisk", "board.dtb"):
        (folder / name).write_bytes(b"\0")
    return render.Files(
        kernel=(folder / "kernel").as_uri(),
        ramdisk=(folder / "ramdisk").as_uri(),
        dtb=(folder / "board.dtb").as_uri(),
    )


def _boards(
    catalogue: Catalogue, inventory: Path, example: Path
) -> dict[str, list[tuple[Board, Path]]]:
    """Return the boards of labs by board type, each with its inventory."""
    by_type: dict[str, list[tuple[Board, Path]]] = {}
    for board in lava_config.in_labs(catalogue.boards):
        by_type.setdefault(board.board_type, []).append((board, inventory))
    own = set(by_type)
    for board in lava_config.in_labs(read_boards(example, catalogue.board_types)):
        if board.board_type not in own:
            by_type.setdefault(board.board_type, []).append((board, example))
    return by_type


@frozen(kw_only=True)
class _Check:
    catalogue: Catalogue
    root: Path
    shipped: lava_config.Templates
    findings: _Findings
    files: render.Files
    boards: Mapping[str, Sequence[tuple[Board, Path]]]
    dictionaries: dict[str, str | None] = field(factory=dict)
    jobs: dict[str, Mapping[str, Any] | None] = field(factory=dict)  # text -> document

    def health_checks(self) -> Iterator[_Question]:
        """Yield the health check of every board of a lab."""
        for name, boards in self.boards.items():
            kind = self.catalogue.board_type(name)
            try:
                job = lava_config.health_check(kind, self.catalogue, self.files, self.root)
            except UsageError as e:
                self.findings.add(str(e), f"health check of {name}")
                continue
            for board, path in boards:
                machine = self._machine(board, path)
                if machine is not None:
                    yield _Question(
                        job=job,
                        template="lava-jobs/boot/health-check.yaml.jinja2",
                        machines={"": machine},
                        about=f"health check of {board.name}",
                    )

    def plans(self) -> Iterator[_Question]:
        """Yield every entry of every plan on every one of its board types."""
        for plan in self.catalogue.plans.values():
            for entry in plan.entries:
                for name in entry.board_types:
                    yield from self._entry(plan, entry, self.catalogue.board_type(name))

    def _entry(self, plan: Plan, entry: PlanEntry, kind: BoardType) -> Iterator[_Question]:
        where = f"lava-jobs/plans/{plan.name}.yaml: entries.{entry.number}"
        try:
            render.parameters(self.catalogue.benchmark(entry.benchmark), entry.parameters)
        except UsageError as e:
            self.findings.add(f"{where}.parameters: {e}")
            return
        try:
            render.with_knobs(kind.policy, entry.all_knobs)
        except UsageError as e:
            self.findings.add(f"{where}.knobs: {e}")
        needed = _estimate_s(self.catalogue, entry, kind) - kind.boot_s
        if kind.deterministic:  # its time-outs are on its own clock
            needed /= kind.seconds_per_virtual_s
        if needed > entry.timeout_s:
            self.findings.add(
                f"{where}.timeout_s: {entry.timeout_s} s, but {entry.benchmark} takes about"
                f" {needed:.0f} s on {kind.name}"
            )
        if kind.job is None:
            return
        about = f"plan {plan.name}, {entry.benchmark} on {kind.name}"
        if kind.template is not None:
            yield from self._local(entry, kind, about)
        boards = self.boards.get(kind.name)
        if not boards and kind.template is None:
            self.findings.add(
                f"{where}.board_types: no inventory has a board of type {kind.name}, not even"
                " farm-example.yml, to try it on"
            )
        for board, path in (boards or ())[:1]:
            yield from self._lab(entry, kind, board, path, about)

    def _local(self, entry: PlanEntry, kind: BoardType, about: str) -> Iterator[_Question]:
        template = self.root / "lava-jobs" / "devices" / str(kind.template)
        try:
            device = render.device(template, Board(name="board", board_type=kind.name), kind)
            job = self._job(entry, kind)
        except UsageError as e:
            self.findings.add(str(e), about)
            return
        where = f"lava-jobs/devices/{kind.template}"
        machine = _Machine(where=where, dictionary=None, device=device)
        yield self._question(kind, job, {"": machine}, about)

    def _lab(
        self, entry: PlanEntry, kind: BoardType, board: Board, path: Path, about: str
    ) -> Iterator[_Question]:
        machines = {"": self._machine(board, path)}
        roles: list[render.Role] = []
        if kind.partner is not None:
            other = next(
                b for b, p in self.boards[kind.partner] if b.name == board.facts["partner"]
            )
            machines = {
                "sut": self._machine(board, path),
                "loadgen": self._machine(other, path),
            }
            roles = [self._role("sut", board), self._role("loadgen", other)]
        try:
            job = self._job(
                entry,
                kind,
                key="validate",
                priority=50,
                tags=[board.name],
                callback=("http://127.0.0.1/callback", "token"),
                roles=roles,
            )
        except UsageError as e:
            self.findings.add(str(e), about)
            return
        known = {role: machine for role, machine in machines.items() if machine is not None}
        if len(known) == len(machines):
            yield self._question(kind, job, known, about)

    def _role(self, name: str, board: Board) -> render.Role:
        kind = self.catalogue.board_type(board.board_type)
        return render.Role(
            name=name,
            device_type=kind.lava_type,
            cmdline=command_line(kind, {}),
            files=self.files,
            tags=[board.name],
        )

    def _job(self, entry: PlanEntry, kind: BoardType, **more: Any) -> str:
        return render.job(
            self.root / "lava-jobs" / "boot" / str(kind.job),
            board_type=kind,
            name="validate",
            run_key="validate",
            cmdline=command_line(kind, {}),
            files=render.Files(
                kernel=self.files.kernel,
                ramdisk=self.files.ramdisk,
                dtb=self.files.dtb if kind.dtb is not None else None,
            ),
            timeout_s=entry.timeout_s,
            **more,
        )

    @staticmethod
    def _question(
        kind: BoardType, job: str, machines: Mapping[str, _Machine], about: str
    ) -> _Question:
        return _Question(
            job=job, template=f"lava-jobs/boot/{kind.job}", machines=machines, about=about
        )

    def _machine(self, board: Board, path: Path) -> _Machine | None:
        if board.name not in self.dictionaries:
            kind = self.catalogue.board_type(board.board_type)
            try:
                text = lava_config.dictionary(
                    board, kind, self.shipped, inventory=path, root=self.root
                )
                self.dictionaries[board.name] = text
            except UsageError as e:
                self.findings.add(str(e))
                self.dictionaries[board.name] = None
        dictionary = self.dictionaries[board.name]
        if dictionary is None:
            return None
        return _Machine(where=f"{path}: {board.name}", dictionary=dictionary, device=None)

    def ask(self, questions: Sequence[_Question]) -> int:
        """Pass the distinct questions to LAVA's code, add its findings, return their number."""
        asked: dict[str, _Question] = {}
        for question in questions:
            text = self._text(question)
            if text is not None:
                asked.setdefault(text, question)
        answers = _ask(list(asked))
        for question, answer in zip(asked.values(), answers, strict=True):
            if answer is not None:
                part, role, key, message = answer
                where = question.template if part == "job" else question.machines[role].where
                self.findings.add(f"{where}: {f'{key}: ' if key else ''}{message}", question.about)
        return len(asked)

    def _read(self, question: _Question) -> Mapping[str, Any] | None:
        """Return a job as a document with all time-outs, or None with a finding."""
        try:
            job: Mapping[str, Any] = notation.read_yaml(question.job)
        except notation.NotationError as e:
            lines = question.job.splitlines()
            line = lines[e.line - 1].strip() if e.line and e.line <= len(lines) else ""
            self.findings.add(
                f"{question.template}: {line.partition(':')[0]}: makes no valid YAML: {line!r}",
                question.about,
            )
            return None
        lacking = next(_without_timeout(job), None)
        if lacking is not None:
            self.findings.add(
                f"{question.template}: {lacking}: missing; LAVA would take a time-out of its own",
                question.about,
            )
            return None
        return job

    def _text(self, question: _Question) -> str | None:
        """Return a question as JSON, or None if a fault was found without LAVA."""
        if question.job not in self.jobs:
            self.jobs[question.job] = self._read(question)
        job = self.jobs[question.job]
        if job is None:
            return None
        devices = {}
        for role, machine in question.machines.items():
            try:
                devices[role] = machine.device or self.shipped.device(
                    str(machine.dictionary), _context(job, role)
                )
            except UsageError as e:
                self.findings.add(str(e), question.about)
                return None
        document = {"job": question.job, "devices": devices, "server": question.server}
        return json.dumps(document, sort_keys=True)


def _context(job: Mapping[str, Any], role: str) -> Mapping[str, Any]:
    at = job["protocols"]["lava-multinode"]["roles"][role] if role else job
    return dict(at.get("context", {}))


def _without_timeout(job: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys of time-outs that a job of ours must state."""
    stated = job.get("timeouts") or {}
    for name in ("job", "action", "connection"):
        if name not in stated:
            yield f"timeouts.{name}"
    for i, action in enumerate(job.get("actions") or []):
        for name, keys in action.items():
            if "timeout" not in keys:
                yield f"actions.{i}.{name}.timeout"


def _ask(questions: Sequence[str]) -> list[tuple[str, str, str, str] | None]:
    """Run LAVA's code on the questions; UsageError if it is not installed."""
    done = subprocess.run(
        [_PYTHON, "-I", str(_ACCEPT)],
        input=f"[{','.join(questions)}]",
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        advice = (
            "Debian's packages lava-server and lava-dispatcher bring it: `make setup` installs them"
            if "No module named" in last
            else f"vlag knows the code of LAVA {_KNOWN}"
        )
        raise blame_program(
            done.returncode,
            last,
            f"LAVA's own code does not run under {_PYTHON} ({last}); {advice}",
        )
    answers: list[tuple[str, str, str, str] | None] = json.loads(done.stdout)
    return answers
