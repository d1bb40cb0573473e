# SPDX-License-Identifier: GPL-2.0-only
"""What runs an installation: the service, its backup, its farm."""
