# SPDX-License-Identifier: GPL-2.0-only
"""docs/lab-by-hand.md, played: each of its commands on a real LAVA server and its dispatchers."""

from __future__ import annotations

import re
import shutil
import sys
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests import settings_files
from tests.integration import lava_lab
from tests.integration.lava_guests import GUEST_TYPE, guest, guest_job
from tests.integration.lava_lab import Lava
from tests.waiting import until
from vlag import ROOT
from vlag.errors import InfrastructureError, UsageError
from vlag.lava.lab_settings import Lab
from vlag.lava.server import Client

PAGE = (ROOT / "docs" / "lab-by-hand.md").read_text(encoding="utf-8")
#: It boots a board: tests/long/test_first_board.py.
ELSEWHERE = "vlag boards bring-up"
INVENTORY = """all:
  children:
    boards:
      hosts:
        rpi5-1:
          board_type: rpi5
          lab: home
          dispatcher: dispatcher-1
          console: telnet console-1 7001
          power:
            "on": powerman --on rpi5-1
            "off": powerman --off rpi5-1
            reset: powerman --cycle rpi5-1
          mac: d8:3a:dd:00:00:01
"""
LABS = """[labs.home]
url = "{url}"
token_file = "token"
artifacts = "http://127.0.0.1:8020"
[inventory]
boards = "boards.yml"
"""
SAYS = "Linux version 6.12\n@vlag:start\n@vlag:run\n@vlag:status 0\n@vlag:done\n"


def sections(page: str) -> Mapping[str, str]:
    """Return the text of each section by its heading."""
    parts = re.split(r"^## (.+)$", page, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def commands(section: str) -> list[str]:
    """Return the commands of a section, in their order."""
    return re.findall(r"^ {4}(\S.*)$", sections(PAGE)[section], re.MULTILINE)


class ByHand:
    """A LAVA server, and whoever sets it up with nothing but the page."""

    def __init__(self, lava: Lava, folder: Path, dsn: str) -> None:
        self.lava, self.folder, self.dsn = lava, folder, dsn
        (folder / "boards.yml").write_text(INVENTORY)
        labs = LABS.format(url=lava.url)
        (folder / "vlag.toml").write_text(settings_files.settings() + labs)
        # The dispatcher of the fixture is not the page's: none is there yet.
        lava.kill("worker")

    def play(self, section: str, instead: Mapping[str, str] | None = None) -> str:
        """Run the commands of a section; return what they print.

        `instead` has other words for those of the server.
        """
        said = ""
        for line in commands(section):
            command = line
            ours = {"VLAG_SETTINGS": str(self.folder / "vlag.toml"), "VLAG_DATABASE": self.dsn}
            if not command.startswith("vlag "):
                for word, other in (instead or {}).items():
                    command = command.replace(word, other)
            if not command.startswith(ELSEWHERE):
                said += self.lava.command(
                    command, cwd=self.folder, path=Path(sys.executable).parent, more=ours
                )
        return said

    def dispatcher(self, name: str, said: str) -> None:
        """Start a dispatcher with the page's file, and the token that the server has printed."""
        found = re.search(r"Token: (\S+)", said)
        assert found, said
        token = self.folder / f"token-of-{name}"
        token.write_text(f"{found[1]}\n")
        token.chmod(0o600)
        block = re.search(r"```sh\n(.*?)```", PAGE, re.DOTALL)
        assert block
        text = block[1].replace("dispatcher-1", name)
        text = text.replace("http://lava.example/ws/", self.lava.events_url)
        text = text.replace("http://lava.example/", f"{self.lava.url}/")
        text = text.replace("/etc/lava-dispatcher/token", str(token))
        self.lava.start_by_file(name, text)

    def runs(self, lab: Lab, board: str) -> str:
        """Run a job on a board; return the dispatcher that had it."""
        disk = self.lava.folder / "disk"
        disk.write_bytes(guest(SAYS))
        client = Client(lab)
        (number,) = client.submit(guest_job(disk, tags=[board]), f"test-{uuid.uuid4().hex}")
        until(lambda: client.job(number).state == "Finished", lambda: str(client.job(number)))
        assert client.job(number).health == "Complete"
        return str(self.lava.rest("GET", f"devices/{board}/")["worker_host"])


@pytest.fixture
def by_hand(
    cluster: str, dsn: str, tmp_path_factory: pytest.TempPathFactory, session_folder: Path
) -> Iterator[ByHand]:
    folder = tmp_path_factory.mktemp("hand")
    with lava_lab.running(cluster, tmp_path_factory.mktemp("lava"), session_folder) as lava:
        yield ByHand(lava, folder, dsn)
    assert lava.members() == []


def test_the_page_step_by_step(by_hand: ByHand) -> None:
    """One test, as each section begins where the one before has ended."""
    lava = by_hand.lava
    said = by_hand.play("A user and its token")
    token = said.splitlines()[-1].split()[-1]
    lab = lava.lab(token=token)
    shutil.copy(lab.token_file, by_hand.folder / "token")
    client = Client(lab)
    assert client.devices() == []
    # Negative control: a user with neither right.
    stranger = Client(lava.lab(token=lava.add_user("stranger")))

    said = by_hand.play("A dispatcher")
    assert "state      : Offline" in said
    by_hand.dispatcher("dispatcher-1", said)
    details = "lava-server manage workers details dispatcher-1"
    assert "state      : Online" in lava.command(details, cwd=by_hand.folder)

    by_hand.play("Boards")
    board = client.device("rpi5-1")
    assert (board.board_type, board.tags) == ("bcm2712-rpi-5-b", ("rpi5-1",))
    assert (board.worker, board.usable) == ("dispatcher-1", True)
    # The dictionary is one that LAVA reads.
    assert lava.ask("GET", "devices/rpi5-1/dictionary/", token=lava.token).ok
    with pytest.raises(UsageError, match="may not do this"):
        stranger.set_device_health("rpi5-1", "Maintenance", "for fun")

    # No Raspberry Pi is here: a board that can run jobs takes the same commands.
    lava.add_type("guest", GUEST_TYPE)
    lava.add_device("g1", "guest", dispatcher="dispatcher-1")
    assert by_hand.runs(lab, "g1") == "dispatcher-1"
    said = by_hand.play("A board that moves to another dispatcher", {"rpi5-1": "g1"})
    assert client.device("rpi5-1").health == "Good", (
        lava.log("scheduler")[-3000:] + lava.log("server")[-2000:]
    )
    by_hand.dispatcher("dispatcher-2", said)
    lava.kill("dispatcher-1")
    assert by_hand.runs(lab, "g1") == "dispatcher-2"

    by_hand.play("A board that goes for good", {"rpi5-1": "g1"})
    assert client.device("rpi5-1").health == "Maintenance"
    assert client.device("g1").health == "Retired"
    with pytest.raises((UsageError, InfrastructureError), match=r"g1 \(Retired\)"):
        by_hand.runs(lab, "g1")


def test_the_page_has_these_commands() -> None:
    """Control: the blocks are read."""
    assert sum(len(commands(section)) for section in sections(PAGE)) == 17
