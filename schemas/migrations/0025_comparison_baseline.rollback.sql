DROP INDEX comparison_unnamed;

ALTER TABLE comparison DROP COLUMN baseline;
