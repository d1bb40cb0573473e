ALTER TABLE alert DROP COLUMN muted_at;
