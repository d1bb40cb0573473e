# SPDX-License-Identifier: GPL-2.0-only
"""Ask LAVA's own code whether it takes devices and jobs; a program for Debian's Python.

Only Debian's Python sees LAVA, so this runs as `/usr/bin/python3 -I accept.py`, with a
JSON list of questions on stdin, and prints the list of answers:

    {"job": YAML, "devices": {ROLE: YAML}, "server": bool}

The role of a job's only machine is "".  `server` asks for what a server checks too: the
schemas of devices and jobs.  An answer is null, or [PART, ROLE, KEY, SENTENCE]: PART is
"job", or "device" for the device of that role.

It calls what `lava-run --validate` calls.  This machine is no dispatcher, so empty programs
replace a dispatcher's tools (a TFTP server, fastboot, docker, the consoles' programs).
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

#: A dispatcher's tools, which jobs call; here they are replaced by empty programs.
_TOOLS = ("in.tftpd", "mkimage", "fastboot", "adb", "docker", "lxc-info", "xz", "nbd-server")


class _FaultError(Exception):
    """A fault LAVA found: part, key, sentence."""

    def __init__(self, part: str, key: str, sentence: str):
        super().__init__(sentence)
        self.answer = [part, "", key, " ".join(sentence.split())]


def main() -> None:
    """Read questions, print answers."""
    questions = json.load(sys.stdin)
    # The server's own modules want Django's settings; these are LAVA's defaults.  Newer ones
    # import its users too.
    import_module("django.conf").settings.configure(
        EXTRA_CONTEXT_VARIABLES=[],
        INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth"],
    )
    import_module("django").setup()
    out = os.dup(1)
    os.dup2(2, 1)  # LAVA's modules print
    with tempfile.TemporaryDirectory(prefix="vlag-accept-") as scratch:
        _stand_in(Path(scratch), _consoles(questions))
        answers = [_answer(question) for question in questions]
    with os.fdopen(out, "w") as answer:
        json.dump(answers, answer)


def _consoles(questions: list[dict[str, Any]]) -> set[str]:
    """Return the programs by which the devices' consoles are reached."""
    names = set()
    for text in {text for question in questions for text in question["devices"].values()}:
        for line in text.splitlines():
            words = line.split()
            if words[:1] == ["connect:"] and len(words) > 1 and "/" not in words[1]:
                names.add(words[1])
    return names


def _stand_in(scratch: Path, consoles: set[str]) -> None:
    """Give LAVA folders to write into, and the tools of a dispatcher."""
    tools = scratch / "bin"
    tools.mkdir()
    for name in {*_TOOLS, *consoles}:
        (tools / name).write_text("#!/bin/sh\n")
        (tools / name).chmod(0o755)
    os.environ["PATH"] = f"{os.environ.get('PATH', '/usr/bin:/bin')}:/usr/sbin:/sbin:{tools}"
    os.environ["TMPDIR"] = tempfile.tempdir = str(scratch)
    # First: the dispatcher's modules copy it.
    constants: Any = import_module("lava_common.constants")
    constants.DISPATCHER_DOWNLOAD_DIR = str(scratch / "dispatcher")
    filesystem: Any = import_module("lava_dispatcher.utils.filesystem")
    filesystem.tftpd_dir = lambda: str(scratch / "tftp")


def _logger() -> Any:
    """Return a logger of LAVA's that writes nowhere; it was a class of Python's until 2024."""
    kind = import_module("lava_common.log").YAMLLogger
    if not issubclass(kind, logging.Logger):
        return kind()
    logger = kind("dispatcher")
    logger.addHandler(logging.NullHandler())
    return logger


def _device(device: dict[str, Any]) -> Any:
    """Return a device as LAVA's parser of jobs takes it: the class has another name since 2026."""
    module = import_module("lava_dispatcher.device")
    kind = getattr(module, "DeviceDict", None) or module.PipelineDevice
    return kind(device)


def _answer(question: dict[str, Any]) -> list[str] | None:
    role = ""
    try:
        job = _yaml("job", question["job"])
        devices = {}
        for role, text in question["devices"].items():
            devices[role] = _yaml("device", text)
            if question["server"]:
                _check_device(devices[role])
        if question["server"]:
            _check_job(job)
        for role, device in devices.items():
            _pipeline(yaml.safe_dump(_split(job, role)) if role else question["job"], device)
    except _FaultError as fault:
        fault.answer[1] = role
        return fault.answer
    return None


def _yaml(part: str, text: str) -> Any:
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        line = text.splitlines()[mark.line].strip() if mark else ""
        raise _FaultError(part, line.partition(":")[0], f"not valid YAML: {line!r}") from e
    if not isinstance(document, dict):
        raise _FaultError(part, "", "is empty")
    return document


def _check_device(device: Any) -> None:
    with _faults("device"):
        import_module("lava_common.schemas.device").validate(device)
        import_module("lava_scheduler_app.schema").validate_device(device)


def _check_job(job: Any) -> None:
    with _faults("job"):
        import_module("lava_common.schemas").validate(job, strict=True)
        import_module("lava_scheduler_app.schema").validate_submission(job)


@contextlib.contextmanager
def _faults(part: str) -> Iterator[None]:
    """Turn an exception of LAVA's schemas into a fault of that part."""
    submission = import_module("lava_scheduler_app.schema").SubmissionException
    try:
        yield
    except import_module("voluptuous").Invalid as e:
        raise _FaultError(part, _key(e.path), e.msg) from e
    except submission as e:
        raise _FaultError(part, "", str(e)) from e
    except KeyError as e:  # LAVA's schema reads some keys before it has checked them
        raise _FaultError(part, str(e.args[0]), "required key not provided") from e


def _key(path: list[Any]) -> str:
    return ".".join(map(str, path))


def _split(job: Any, role: str) -> Any:
    """Return the job as LAVA's server rewrites it for one of its machines."""
    return import_module("lava_scheduler_app.utils").split_multinode_yaml(job, "group")[role][0]


def _pipeline(job: str, device: Any) -> None:
    """Build the actions of a job for a device and let each check itself, as lava-run does."""
    parser = import_module("lava_dispatcher.parser").JobParser()
    board, logger = _device(device), _logger()
    made = None
    try:
        # By name: the order differs between versions.
        made = parser.parse(
            content=job,
            device=board,
            job_id="1",
            logger=logger,
            dispatcher_config="dispatcher_ip: 127.0.0.1\n",
            env_dut=None,
        )
        made.validate()
    except import_module("lava_common.exceptions").LAVAError as e:
        raise _FaultError("job", "actions", str(e)) from e
    except KeyError as e:
        raise _FaultError("device", str(e.args[0]), "LAVA needs this key") from e
    except Exception as e:  # LAVA's actions raise anything for odd input
        raise _FaultError("job", "actions", f"{type(e).__name__}: {e}") from e
    finally:
        if made is not None:
            with contextlib.suppress(Exception):
                made.cleanup(connection=None)


if __name__ == "__main__":
    main()
