# SPDX-License-Identifier: GPL-2.0-only
"""A package that stands in for Grafana's, which Debian does not have.

User, folders and unit are as Grafana's own package has them; the program only answers over
HTTP with what it was given, and takes the administrator's new password.  What Grafana makes of
its files is tested elsewhere: this is about where a role puts them, and who may read them.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

_CONTROL = """Package: grafana
Version: 10.4.0+standin
Architecture: all
Maintainer: tests <tests@example.org>
Depends: python3
Description: stand-in for Grafana in tests
"""

_POSTINST = """#!/bin/sh
set -e
getent group grafana >/dev/null || groupadd --system grafana
getent passwd grafana >/dev/null ||
    useradd --system --gid grafana --home-dir /usr/share/grafana --shell /bin/false grafana
install -d -o grafana -g grafana -m 750 /var/lib/grafana /var/log/grafana
systemctl daemon-reload || true
"""

_UNIT = """[Unit]
Description=Grafana
[Service]
User=grafana
Group=grafana
ExecStart=/usr/sbin/grafana server
[Install]
WantedBy=multi-user.target
"""

_PROGRAM = '''#!/usr/bin/python3
"""Stand-in for Grafana: tells over HTTP what it can read."""
import hashlib, http.server, json, os, sys
from pathlib import Path
if sys.argv[1] == "cli":
    Path("/var/lib/grafana/admin").write_text(sys.stdin.read())
    sys.exit()
Path("/var/lib/grafana/grafana.db").touch()
def digest(secret):
    return hashlib.sha256(secret.strip().encode()).hexdigest()
folder = Path(os.environ["GF_PATHS_PROVISIONING"])
boards = Path(os.environ["VLAG_GRAFANA_DASHBOARDS"])
told = {
    "files": sorted(p.name for p in folder.glob("*/*.yml")),
    "dashboards": {p.stem: json.loads(p.read_text())["uid"] for p in boards.glob("*.json")},
    "postgresql": os.environ["VLAG_GRAFANA_POSTGRESQL"],
    "sslmode": os.environ["VLAG_GRAFANA_SSLMODE"],
    "password": digest(os.environ["VLAG_GRAFANA_PASSWORD"]),
    "admin": digest(Path(os.environ["GF_SECURITY_ADMIN_PASSWORD__FILE"]).read_text()),
}
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(told).encode())
where = (os.environ["GF_SERVER_HTTP_ADDR"], int(os.environ["GF_SERVER_HTTP_PORT"]))
http.server.HTTPServer(where, Answer).serve_forever()
'''


def build(folder: Path) -> Path:
    """Build the package below a folder; return the .deb file."""
    tree = folder / "grafana"
    for name, text, mode in (
        ("DEBIAN/control", _CONTROL, 0o644),
        ("DEBIAN/postinst", _POSTINST, 0o755),
        ("lib/systemd/system/grafana-server.service", _UNIT, 0o644),
        ("usr/sbin/grafana", _PROGRAM, 0o755),
    ):
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
    (tree / "usr/share/grafana").mkdir(parents=True)
    package = folder / "grafana.deb"
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "--build", tree, package],
        check=True, capture_output=True,
    )  # fmt: skip
    return package
