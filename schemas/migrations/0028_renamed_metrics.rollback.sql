ALTER TABLE series DROP COLUMN joined_to;
