# SPDX-License-Identifier: GPL-2.0-only
"""What needs a checkout: a package that was installed has only what verbs for files read."""

from __future__ import annotations

from vlag import IS_CHECKOUT
from vlag.errors import UsageError

#: The verbs that read only files, and what the package has.  `compare` takes kernels too.
FILE_VERBS = ("changepoints", "compare", "completion", "man", "parse", "schedstat")


def need(what: str) -> None:
    """Raise UsageError if there is no checkout for `what`."""
    if not IS_CHECKOUT:
        raise UsageError(
            f"{what} needs a checkout of vlag, and this is an installed package, with which"
            f" {', '.join(FILE_VERBS[:-1])} and {FILE_VERBS[-1]} work on files; clone vlag's"
            " repository and run `make setup` in it"
        )
