"""The stages: build, boot, run, ingest and night."""
