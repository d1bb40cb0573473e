-- Which baseline of the settings a comparison is with: its tag moves on, the baseline stays.
-- depends: 0024_branch_order

ALTER TABLE comparison ADD COLUMN baseline text;

CREATE INDEX comparison_unnamed ON comparison (base_kernel) WHERE role = 'baseline' AND baseline IS NULL;

COMMENT ON COLUMN comparison.baseline IS 'where role is baseline: tree and ref as the settings have it, debian/v6.1.*; null: recorded before it was kept, or by hand';
