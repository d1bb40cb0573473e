COMMENT ON COLUMN verdict.base_value IS 'level that the effect is computed from, in unit: geometric mean over boots, plain mean where any boot of either side gave 0';

-- PostgreSQL cannot take a value out of an enum: the type is made anew.
ALTER TYPE verdict_kind RENAME TO verdict_kind_with_marginal;

CREATE TYPE verdict_kind AS ENUM (
  'REGRESSION',
  'IMPROVEMENT',
  'UNCHANGED',
  'INCONCLUSIVE',
  'NOT_COMPARABLE'
);

COMMENT ON TYPE verdict_kind IS 'answer of one comparison of one statistic of one series';

ALTER TABLE verdict ALTER COLUMN verdict TYPE verdict_kind
  USING (CASE verdict::text WHEN 'MARGINAL' THEN 'INCONCLUSIVE' ELSE verdict::text END)::verdict_kind;

DROP TYPE verdict_kind_with_marginal;
