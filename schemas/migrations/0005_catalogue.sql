-- Absence as a value, and the very version of the tool behind a series that spans several.
-- depends: 0004_comparison_scope

ALTER TABLE sample ADD COLUMN absent text[] NOT NULL DEFAULT '{}';

ALTER TABLE sample DROP CONSTRAINT sample_values_check;

ALTER TABLE sample ADD CHECK (cardinality(values) + cardinality(absent) > 0);

ALTER TABLE run ADD COLUMN tool_version text;

COMMENT ON COLUMN sample.absent IS 'instances that the tool looked for and said are not there';

COMMENT ON COLUMN run.tool_version IS 'version of the tool that measured; null: no figures, or stored before it was noted';

COMMENT ON COLUMN series.tool_version IS 'version of the tool, or the first of a range within which the catalogue calls the metric one series, as in 0.15.06+';

COMMENT ON COLUMN run.environment IS 'what the board said about itself: file or section -> text, "unreadable: WHY" for what it could not read';
