# -*- python -*-
# The build worker: runs the stages that the master asks for.  All settings come
# from the environment; the password never stands in one, only its file does.
import os
from pathlib import Path

from buildbot_worker.bot import Worker
from twisted.application import service

#: Bytes of a line that a command prints.  Its answer is one line, which lists each boot that is asked
#: for; Buildbot's worker cuts lines of more than 4096 bytes and drops some of them.
LINE_BYTES = 16 << 20

application = service.Application("buildbot-worker")
password = Path(os.environ["VLAG_WORKER_PASSWORD_FILE"]).read_text(encoding="ascii").strip()
# Buildbot gives a worker at most one build of each builder at a time: to run on two
# boards at once this one process is two workers to the master.
for name in os.environ["VLAG_WORKER_NAMES"].split():
    basedir = Path(os.environ["VLAG_WORKER_BASEDIR"], name)
    basedir.mkdir(parents=True, exist_ok=True)
    worker = Worker(
        os.environ.get("VLAG_MASTER_HOST", "127.0.0.1"),
        int(os.environ["VLAG_MASTER_PORT"]),
        name,
        password,
        str(basedir),
        keepalive=600,
        maxdelay=5,  # look often for a master that starts again
        allow_shutdown=None,
        umask=0o022,
    )
    worker.bot.max_line_length = LINE_BYTES
    worker.setServiceParent(application)
