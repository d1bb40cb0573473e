DROP TRIGGER stays ON prediction;
DELETE FROM prediction p USING prediction x WHERE x.comparison = p.comparison AND x.said > p.said;
DROP INDEX prediction_comparison;
ALTER TABLE prediction DROP CONSTRAINT prediction_replaces_fkey, DROP CONSTRAINT prediction_pkey;
ALTER TABLE prediction DROP COLUMN at, DROP COLUMN document, DROP COLUMN replaces, DROP COLUMN said, ADD PRIMARY KEY (comparison);
COMMENT ON TABLE prediction IS 'comparisons that hold the predictions in the header of a patch';
