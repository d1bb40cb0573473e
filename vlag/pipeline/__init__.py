# SPDX-License-Identifier: GPL-2.0-only
"""The stages from a git reference to samples: build, boot, run, submit, collect, ingest."""
