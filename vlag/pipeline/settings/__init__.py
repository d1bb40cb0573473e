"""Settings: read once at the edge, then passed inward as values."""

from vlag.pipeline.settings.files import load, plain_path
from vlag.pipeline.settings.model import (
    EACH,
    INVENTORY,
    LOCAL,
    Alerts,
    Branch,
    Host,
    Mail,
    Master,
    People,
    Settings,
    Tree,
    Webhook,
)
from vlag.pipeline.settings.server import Database

__all__ = [
    "EACH",
    "INVENTORY",
    "LOCAL",
    "Alerts",
    "Branch",
    "Database",
    "Host",
    "Mail",
    "Master",
    "People",
    "Settings",
    "Tree",
    "Webhook",
    "load",
    "plain_path",
]
