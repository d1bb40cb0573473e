# SPDX-License-Identifier: GPL-2.0-only
"""Names shared by several files."""

from __future__ import annotations

#: Uid of the one data source.
SOURCE = "vlag"
#: Its type since Grafana 10.2.3.  The older name `postgres` works in all versions, so
#: provisioning uses it; panels find the source by uid alone.
SOURCE_TYPE = "grafana-postgresql-datasource"
SOURCE_TYPE_ANY = "postgres"

FOLDER = "vlag"
TAG = "vlag"

OVERVIEW = "vlag-overview"
BRANCH = "vlag-branch"
COMPARE = "vlag-compare"
LATENCY = "vlag-latency"
MATRIX = "vlag-matrix"
BOARDS = "vlag-boards"
RUN = "vlag-run"

#: Base addresses, constants of every dashboard.  `provision.write` can replace them.
WEB, LAVA = "web", "lava"
ADDRESSES = {
    WEB: "http://127.0.0.1:8010/plugins/wsgi_dashboards/vlag/",
    LAVA: "http://127.0.0.1/",  # a lab's web page; its jobs are below scheduler/job/
}
