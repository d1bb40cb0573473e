ALTER TABLE run DROP COLUMN tool_version;
DELETE FROM sample WHERE cardinality(values) = 0;
ALTER TABLE sample DROP COLUMN absent;
ALTER TABLE sample ADD CONSTRAINT sample_values_check CHECK (cardinality(values) > 0);
