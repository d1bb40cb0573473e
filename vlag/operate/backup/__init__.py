"""Backup and restore of one installation: its databases and its files."""
