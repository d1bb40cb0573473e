# SPDX-License-Identifier: GPL-2.0-only
"""Results as JSON for programs: read-only, versioned, described by an OpenAPI document."""

from vlag.web.api.routes import api, refused

__all__ = ["api", "refused"]
