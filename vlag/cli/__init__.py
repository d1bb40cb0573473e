"""The `vlag` command."""
