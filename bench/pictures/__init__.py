"""Screenshots of the pages, and the databases that they show."""
