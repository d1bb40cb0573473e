-- What a rerun says counts under the conditions that it had.
-- depends: 0025_comparison_baseline

ALTER TABLE verdict ADD COLUMN conditions char(64);

COMMENT ON COLUMN verdict.conditions IS 'digest of all that the boots of both sides share beside the kernel: tool, compiler, set-up; null: they share less, or it was not kept yet';

ALTER TABLE suspicion ADD COLUMN conditions text NOT NULL DEFAULT '';

COMMENT ON COLUMN suspicion.conditions IS 'those of the verdict that raised it; empty: not kept yet';

ALTER TABLE suspicion DROP CONSTRAINT suspicion_base_kernel_new_kernel_base_knobs_new_knobs_board_key;

ALTER TABLE suspicion ADD CONSTRAINT suspicion_subject UNIQUE
  (base_kernel, new_kernel, base_knobs, new_knobs, board_type, benchmark, parameters, metric, statistic, conditions);
