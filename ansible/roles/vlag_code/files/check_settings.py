# SPDX-License-Identifier: GPL-2.0-only
"""Load a settings file as the service does; say in one sentence what is wrong with it."""

import sys
from pathlib import Path

from vlag import config
from vlag.errors import VlagError

try:
    config.load(Path(sys.argv[1]))
except VlagError as e:
    sys.exit(str(e))
