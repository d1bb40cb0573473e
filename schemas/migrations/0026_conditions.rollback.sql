DELETE FROM suspicion x USING suspicion y
WHERE x.id < y.id AND x.base_kernel = y.base_kernel AND x.new_kernel = y.new_kernel
  AND x.base_knobs = y.base_knobs AND x.new_knobs = y.new_knobs AND x.board_type = y.board_type
  AND x.benchmark = y.benchmark AND x.parameters = y.parameters
  AND x.metric = y.metric AND x.statistic = y.statistic;

ALTER TABLE suspicion DROP CONSTRAINT suspicion_subject;

ALTER TABLE suspicion ADD CONSTRAINT suspicion_base_kernel_new_kernel_base_knobs_new_knobs_board_key UNIQUE
  (base_kernel, new_kernel, base_knobs, new_knobs, board_type, benchmark, parameters, metric, statistic);

ALTER TABLE suspicion DROP COLUMN conditions;

ALTER TABLE verdict DROP COLUMN conditions;
