-- Without the column they would be scored.
UPDATE run SET suspect = coalesce(suspect, 'observes ' || observes) WHERE observes IS NOT NULL;

ALTER TABLE run DROP COLUMN observes;
