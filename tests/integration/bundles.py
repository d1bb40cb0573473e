# SPDX-License-Identifier: GPL-2.0-only
"""Complete bundles made of real raw outputs, with numbers moved from boot to boot."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vlag.config.catalogue import Catalogue
from vlag.model import digest
from vlag.pipeline.ingest import ingest_all
from vlag.store.database import Connection

RAW = Path(__file__).parents[1] / "data" / "raw"
TIMES = {"started_at": "2026-03-01T10:00:00Z", "finished_at": "2026-03-01T10:05:00Z"}
PACKAGES = {"stress-ng": "0.15.06-2", "rt-tests": "2.4-2"}
EMULATOR = {"program": "qemu-system-x86_64", "version": "10.0.2", "sha256": "e" * 64}


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


BOARD = {
    "name": "qemu-sim-2-1",
    "board_type": "qemu-sim-2",
    "deterministic": True,
    "cpus": 2,
    "setup": sha("setup"),
    "emulator": EMULATOR,
}


def kernel(name: str, **changes: Any) -> dict[str, Any]:
    """Kernel `name` ("6.1", "6.12", ...) of the tree debian; `changes` are keys of its identity."""
    identity = {
        "tree": "debian",
        "commit": sha(name)[:40],
        "series": None,
        "application": "none",
        "variant": "default",
        "arch": "x86_64",
        "kconfig": sha("kconfig"),
        **{k: v for k, v in changes.items() if k not in ("branch", "describe", "subject")},
    }
    patches = identity.pop("patches", [])
    applied = {"patches": [p["sha256"] for p in patches]} if patches else {}
    words = {
        "branch": f"linux-{name}",
        "describe": f"debian/{name}.170-1",
        "subject": f"linux-source-{name} {name}.170-1",
        "committed_at": "2026-02-20T00:00:00Z",
    }
    key = digest({**identity, **applied})
    return {**words, **identity, **changes, "patches": patches, "digest": key}


def stress_ng(factor: float = 1.0) -> bytes:
    """Output of a real run with all rates times `factor`."""
    text = (RAW / "stress-ng-switch-0.15.06.txt").read_text()
    for old in ("443124.79", "452083.42"):
        text = text.replace(old, f"{float(old) * factor:.2f}")
    text = text.replace("886409", str(round(886409 * factor)))
    return text.replace("2255.82", f"{2255.82 / factor:.2f}").encode()


def cyclictest(shift: int = 0) -> bytes:
    """Output of a real run with all latencies `shift` us later, its histogram 400 us wide."""
    document = json.loads((RAW / "cyclictest-2.4.json").read_text())
    document["cmdline:"] = document["cmdline:"].replace("-h 40", "-h 400")
    for thread in document["thread"].values():
        counts = {int(k): v for k, v in thread["histogram"].items()}
        beyond = thread["cycles"] - sum(counts.values())
        counts[thread["max"] - 1] = beyond - 1
        counts[thread["max"]] = 1
        thread["histogram"] = {str(k + shift): v for k, v in sorted(counts.items()) if v}
        for key in ("min", "max", "avg"):
            thread[key] += shift
    return json.dumps(document, indent=2).encode()


def add(folder: Path, name: str, data: bytes) -> dict[str, Any]:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return {"path": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def write(path: Path, document: Mapping[str, Any]) -> Path:
    path.write_text(json.dumps(document, indent=1))
    return path.parent


#: Of each kernel that is built.
CONFIG = b"CONFIG_SMP=y\nCONFIG_HZ=250\n"


def build(folder: Path, of: Mapping[str, Any], **changes: Any) -> Path:
    """Write a build bundle and return its folder; `changes` are keys of build.json."""
    image = add(folder, "bzImage", b"image " + of["digest"].encode())
    config = add(folder, "config", CONFIG)
    log = add(folder, "build.log", b"make\n")
    complete = changes.get("outcome", "complete") == "complete"
    document = {
        "schema": 1,
        "kind": "build",
        "kernel": dict(of),
        "outcome": "complete",
        "reason": None,
        "release": f"{of['describe']}-vlag" if complete else None,
        "image": image if complete else None,
        "config": config if complete else None,
        "toolchain": "gcc 12.2.0",
        "environment": {},
        **TIMES,
        "files": [image, config, log] if complete else [log],
        "reproduce": f"vlag build --tree debian --ref {of['commit']} --board-type qemu-sim-2",
        **changes,
    }
    return write(folder / "build.json", document)


def run(
    folder: Path,
    of: Mapping[str, Any],
    catalogue: Catalogue,
    *,
    benchmark: str = "stress-ng-switch",
    raw: bytes | None = None,
    seed: int = 1,
    **changes: Any,
) -> Path:
    """Write a run bundle and return its folder; `changes` are keys of run.json.

    `raw` is what the tool printed, None with a failed outcome.
    """
    entry = catalogue.benchmarks[benchmark]
    complete = changes.get("outcome", "complete") == "complete"
    if raw is None and complete:
        raw = stress_ng() if entry.tool == "stress-ng" else cyclictest()
    files = [
        add(folder, "console.log", b"[    0.000000] Linux version\n"),
        add(folder, "job.yaml", b"device_type: qemu-sim\n"),
    ]
    output = f"raw/{entry.output}" if raw is not None else None
    if output is not None and raw is not None:
        files.append(add(folder, output, raw))
    document = {
        "schema": 1,
        "kind": "run",
        "run_key": sha(f"{of['digest']} {benchmark} {seed} {changes.get('knobs')}"),
        "kernel": dict(of),
        "image_sha256": sha("image " + of["digest"]),
        "config_sha256": sha(CONFIG.decode()),
        "release": f"{of['describe']}-vlag",
        "plan": "nightly",
        "benchmark": benchmark,
        "parameters": dict(entry.parameters),
        "argv": {"main": [entry.tool]},
        "seed": seed,
        "knobs": {},
        "board": BOARD,
        "userland": {"sha256": sha("userland"), "packages": PACKAGES},
        "entry_sha256": sha(f"entry {seed}"),
        "executor": {"program": "lava-run", "job": "1"},
        "outcome": "complete",
        "reason": None,
        **TIMES,
        "estimate_s": 30.5,
        "environment": {"/proc/version": "Linux version"},
        "health": [],
        "output": output,
        "files": files,
        "reproduce": f"vlag run --build builds/{of['digest'][:12]} {benchmark} --seed {seed}",
        "synthetic": False,
        **changes,
    }
    return write(folder / "run.json", document)


def edit(folder: Path, **changes: Any) -> Path:
    """Change keys of a bundle's document."""
    path = next(p for p in (folder / "build.json", folder / "run.json") if p.exists())
    return write(path, {**json.loads(path.read_text()), **changes})


def side(
    root: Path,
    of: Mapping[str, Any],
    catalogue: Catalogue,
    *,
    factors: Sequence[float] = (),
    nested: Sequence[float] = (),
    shifts: Sequence[int] = (),
    **changes: Any,
) -> list[Path]:
    """Write a build and one run a factor (stress-ng) and a shift (cyclictest), seeds 1, 2, ...

    `nested` are factors of switches in nested groups.
    """
    name = sha(of["digest"] + repr(sorted(changes.items())))[:12]
    found = [build(root / "builds" / of["digest"][:12], of)]
    work = [("stress-ng-switch", seed, stress_ng(f)) for seed, f in enumerate(factors, 1)]
    work += [("stress-ng-switch-nested", seed, stress_ng(f)) for seed, f in enumerate(nested, 1)]
    work += [("cyclictest-hackbench", seed, cyclictest(s)) for seed, s in enumerate(shifts, 1)]
    for benchmark, seed, raw in work:
        folder = root / "runs" / name / f"{benchmark}-{seed}"
        found.append(run(folder, of, catalogue, benchmark=benchmark, raw=raw, seed=seed, **changes))
    return found


def store(conn: Connection, catalogue: Catalogue, paths: Sequence[Path]) -> None:
    """Ingest bundles; one that is refused is the test's own fault."""
    for result in ingest_all(paths, conn=conn, catalogue=catalogue):
        assert not isinstance(result, Exception), result


def latencies(histogram: Mapping[str, int]) -> bytes:
    document = json.loads(cyclictest())
    for thread in document["thread"].values():
        thread["histogram"] = dict(histogram)
        thread["cycles"] = sum(histogram.values())
        thread["min"] = thread["avg"] = min(map(int, histogram))
        thread["max"] = max(map(int, histogram))
    return json.dumps(document).encode()
