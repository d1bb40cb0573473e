"""The stages from a git reference to samples: build, boot, run, submit, collect, ingest."""
