ALTER TABLE comparison DROP COLUMN baseline;
