# SPDX-License-Identifier: GPL-2.0-only
"""The headers that tell a browser what pages of this site may do."""

from __future__ import annotations

from collections.abc import Iterable


def policy(scripts: Iterable[str] = ()) -> str:
    """Return the Content-Security-Policy: no other site, no frames, no inline script.

    `scripts` are the inline scripts that may run, as "sha256-..." of their text.  Styles may
    be inline: the plots have them on every mark.
    """
    script = " ".join(["'self'", *(f"'{digest}'" for digest in scripts)])
    return (
        f"default-src 'none'; script-src {script}; style-src 'self' 'unsafe-inline';"
        " img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none';"
        " frame-ancestors 'none'"
    )


#: Headers of every answer of the site.
SECURITY = {
    "Content-Security-Policy": policy(),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not `no-referrer`: with it browsers send no Origin with a form.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
