# SPDX-License-Identifier: GPL-2.0-only
"""The private database moves from Debian 12's PostgreSQL to Debian 13's, as docs/backup.md says.

A root of Debian 13 with its PostgreSQL sees the checkout, its Python and the installation at their
own places; that is the machine after an upgrade.  Needs root and some 500 MB.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.integration import saved
from tests.long.root import apt_settings, sources
from vlag import ROOT
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.operate.service import health, postgres
from vlag.store.database import connect

pytestmark = pytest.mark.long

#: PostgreSQL, what backups need, and the libraries of any Python.
PACKAGES = ("ca-certificates", "postgresql", "python3", "restic")
#: A namespace of its own, with folders of this machine, and no process left at its end.
_INSIDE = (
    'root=$0; while [ "$1" != -- ]; do mkdir -p "$root$1"; mount --rbind "$1" "$root$1"; shift;'
    ' done; shift; mount -t proc proc "$root/proc"; exec chroot "$root" "$@"'
)
_ROWS = """
import json, sys
from pathlib import Path
from tests.integration import saved
from vlag.operate.service import health
made = saved.settings(Path(sys.argv[1]))
with saved.running(made):
    said = health.check(made, "database", None)
    found = {name: saved.rows_of(made.dsn(name)) for name in ("vlag", "buildbot")}
print(json.dumps([said, found]))
"""


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a root of the next release of Debian."""
    folder = tmp_path_factory.mktemp("debian")
    listed, root = folder / "trixie.sources", folder / "trixie"
    listed.write_text(sources("trixie"))
    subprocess.run(
        ["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase",
         '--aptopt=APT::Install-Recommends "false"',
         *(f"--aptopt={line}" for line in apt_settings().splitlines()),
         f"--include={','.join(PACKAGES)}", "trixie", root, listed],
        check=True,
    )  # fmt: skip
    return root


def after(root: Path, installation: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run this Python on the upgraded machine."""
    folders = ("/dev", str(ROOT), sys.base_prefix, str(installation))
    own = ["env", f"VLAG_SETTINGS={installation / 'vlag.toml'}", f"PYTHONPATH={ROOT}"]
    return subprocess.run(
        ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-euc", _INSIDE, root,
         *folders, "--", *own, sys.executable, *words],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def vlag(root: Path, installation: Path, words: Sequence[str]) -> tuple[int, str]:
    done = after(root, installation, "-m", "vlag.cli.main", *words)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, (done.stdout + done.stderr).strip()


def test_data_move_with_a_backup_and_a_restore(
    upgraded: Path, tmp_path: Path, catalogue: Catalogue
) -> None:
    made = saved.settings(tmp_path / "installation")
    old = postgres.find_programs().parent.name
    [new] = [p.name for p in (upgraded / "usr/lib/postgresql").iterdir()]
    assert float(new) > float(old)
    backups = made.path.parent / "backups"
    with saved.held(made), saved.running(made):
        saved.fill(made, catalogue)
        assert "back up before you upgrade the system" in health.check(made, "database", None)
        done = saved.vlag(made, "backup", str(backups))
        assert done.returncode == 0, done.stderr
        before = {name: saved.rows_of(made.dsn(name)) for name in ("vlag", "buildbot")}
    # Debian is upgraded, and the old server is gone.
    status, said = vlag(upgraded, made.path.parent, ["backup", str(backups)])
    assert status == ExitCode.USAGE, said
    assert f"made by PostgreSQL {old}, which is not installed: `make setup`" in said
    # What docs/backup.md says.
    made.state.rename(made.state.with_name("var.old"))
    status, said = vlag(upgraded, made.path.parent, ["restore", str(backups)])
    assert status == 0, said
    assert (made.state / "postgres/data/PG_VERSION").read_text().strip() == new
    read = after(upgraded, made.path.parent, "-c", _ROWS, str(made.path.parent))
    assert read.returncode == 0, read.stderr
    told, rows = json.loads(read.stdout.splitlines()[-1])
    assert f"it is of PostgreSQL {new}" in told
    assert rows == json.loads(json.dumps(before))
    # Negative control: this machine's server does not read the new cluster.
    with (
        pytest.raises(Exception, match=f"PostgreSQL {new}, which is not installed"),
        saved.running(made),
        connect(made.dsn()),
    ):
        pass
