"""Coverage-guided fuzzing of all readers of outside input: `python -m tests.fuzz --help`."""
