ALTER TABLE night DROP COLUMN conclusion;
