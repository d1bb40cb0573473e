"""PostgreSQL: migrations, rows in, rows out."""
