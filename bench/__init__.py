"""Commands that measure vlag and write what docs/ shows."""
