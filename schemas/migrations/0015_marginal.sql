-- A sixth verdict: a change that is certain and about as large as what matters.
-- depends: 0014_interval

ALTER TYPE verdict_kind ADD VALUE 'MARGINAL' AFTER 'UNCHANGED';

COMMENT ON COLUMN verdict.base_value IS 'level that the effect is computed from, in unit: geometric mean over boots, a boot below one step of the tool counting as one step; 0 where every boot of both sides gave 0';
