# -*- python -*-
# The build worker: runs the stages that the master asks for.  All settings come
# from the environment; the password never stands in one, only its file does.
import os
from pathlib import Path

from buildbot_worker.bot import Worker
from twisted.application import service

application = service.Application("buildbot-worker")
password = Path(os.environ["VLAG_WORKER_PASSWORD_FILE"]).read_text(encoding="ascii").strip()
# Buildbot gives a worker at most one build of each builder at a time: to run on two
# boards at once this one process is two workers to the master.
for name in os.environ["VLAG_WORKER_NAMES"].split():
    basedir = Path(os.environ["VLAG_WORKER_BASEDIR"], name)
    basedir.mkdir(parents=True, exist_ok=True)
    Worker(
        os.environ.get("VLAG_MASTER_HOST", "127.0.0.1"),
        int(os.environ["VLAG_MASTER_PORT"]),
        name,
        password,
        str(basedir),
        keepalive=600,
        maxdelay=5,  # look often for a master that starts again
        allow_shutdown=None,
        umask=0o022,
    ).setServiceParent(application)
