"""Coverage-guided fuzzing of the parsers: `python -m tests.fuzz --help`."""
