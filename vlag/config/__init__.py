"""Settings: read once at the edge, then passed inward as values."""

from vlag.config.server import Database
from vlag.config.settings import (
    DEFAULT,
    EACH,
    INVENTORY,
    LOCAL,
    MERGE_BASE,
    PATHS,
    Alerts,
    Branch,
    First,
    Host,
    Mail,
    Master,
    People,
    Settings,
    Tree,
    Webhook,
    baseline_label,
    baseline_of,
)
from vlag.config.settings_file import load, plain_path

__all__ = [
    "DEFAULT",
    "EACH",
    "INVENTORY",
    "LOCAL",
    "MERGE_BASE",
    "PATHS",
    "Alerts",
    "Branch",
    "Database",
    "First",
    "Host",
    "Mail",
    "Master",
    "People",
    "Settings",
    "Tree",
    "Webhook",
    "baseline_label",
    "baseline_of",
    "load",
    "plain_path",
]
