"""The stages: build, run, ingest, compare, report; and the service that drives them."""
