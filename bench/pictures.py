"""`python -m bench.pictures`: write docs/pictures/, screenshots of the pages in Chromium.

The pages read a database that is filled for the purpose: a baseline and three commits of a
branch, the third of which is slower.  Figures are the same each time, times are not.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from bench.scale import private_cluster
from tests.integration.alerting import BASE, SAME, SLOW, Record, head
from tests.integration.websites import CHROMIUM, PLAN, application, served
from vlag import ROOT
from vlag.config import catalogue
from vlag.store import database
from vlag.store.migrate import migrate

FOLDER = ROOT / "docs" / "pictures"
#: Pixels; no column of the comparison is cut off.
WIDTH, HEIGHT = 1300, 830

SUBJECTS = {
    2: "sched/fair: Tidy up update_curr()",
    3: "sched/core: Document try_to_wake_up() ordering",
    4: "sched/fair: Rework pick_next_entity()",
}
BOOTS = (0, 1, 0, 1, 0)  # us, added to the latencies of each boot


def fill(dsn: str, folder: Path) -> int:
    """Put the branch on record; return the comparison of its head with the baseline."""
    with database.connect(dsn) as conn:
        record = Record(conn=conn, catalogue=catalogue.load(), folder=folder)
        heads = [head(n, subject=subject) for n, subject in SUBJECTS.items()]
        record.fill(BASE, SAME * 2, shifts=BOOTS)
        for kernel, factors, shift in zip(
            heads, (SAME * 2, SAME * 2, SLOW * 2), (0, 0, 90), strict=True
        ):
            record.fill(kernel, factors, shifts=[shift + boot for boot in BOOTS])
        for kernel in heads:
            screen = record.compare(BASE, kernel, "baseline", plan=PLAN, stage="screen")
        fresh = record.compare(BASE, heads[-1], "baseline", plan=PLAN, stage="confirm")
        record.derive(screen, fresh)
    return screen


def take(page: Page, url: str, path: Path) -> None:
    """Save the upper part of a page as PNG; exit if the page does not load."""
    answer = page.goto(url)
    if answer is None or not answer.ok:
        sys.exit(f"{url}: the page did not load")
    page.screenshot(path=path)
    sys.stdout.write(f"wrote {path.relative_to(ROOT)}: {path.stat().st_size} bytes\n")


def main() -> None:
    """Write every picture."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # not a line for each request
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="vlag-pictures-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # PostgreSQL's user goes through it
        with private_cluster(folder / "cluster") as dsn:
            migrate(dsn)
            comparison = fill(dsn, folder)
            with served(application(dsn, folder)) as site, sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=CHROMIUM, args=["--no-sandbox"]
                )
                page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
                take(page, f"{site}/compare?id={comparison}", FOLDER / "compare.png")
                browser.close()


if __name__ == "__main__":
    main()
