"""Print the schema version that Buildbot's tables must have: `python -m master.current`."""

from __future__ import annotations

import sys
from pathlib import Path

import buildbot.db
from alembic.config import Config
from alembic.script import ScriptDirectory


def wanted() -> str | None:
    """Return the newest of Buildbot's own migrations."""
    config = Config()
    config.set_main_option("script_location", str(Path(buildbot.db.__file__).parent / "migrations"))
    return ScriptDirectory.from_config(config).get_current_head()


if __name__ == "__main__":
    sys.stdout.write(f"{wanted()}\n")
