-- Where boards with a PMU spend their cycles: two kernels' samples, by function.
-- depends: 0021_tries

CREATE TABLE sampled_profile (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  base_kernel bigint NOT NULL REFERENCES kernel,
  new_kernel  bigint NOT NULL REFERENCES kernel,
  base_knobs  jsonb NOT NULL,
  new_knobs   jsonb NOT NULL,
  board_type  text NOT NULL,
  benchmark   text NOT NULL,
  parameters  jsonb NOT NULL,
  base_runs   bigint[] NOT NULL,
  new_runs    bigint[] NOT NULL,
  operation   text NOT NULL,
  event       text NOT NULL,
  figures     jsonb NOT NULL,
  sentence    text NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  UNIQUE (base_kernel, new_kernel, base_knobs, new_knobs, board_type, benchmark, parameters)
);

CREATE INDEX sampled_profile_new_kernel ON sampled_profile (new_kernel);

COMMENT ON TABLE sampled_profile IS 'where two kernels spend the cycles of a benchmark, sampled on a board with a PMU';

COMMENT ON COLUMN sampled_profile.base_runs IS 'the boots that were sampled; they observe, and are in no comparison';

COMMENT ON COLUMN sampled_profile.operation IS 'what a figure is for one of, as in "switch"';

COMMENT ON COLUMN sampled_profile.event IS 'what was sampled, as in "cycles"';

COMMENT ON COLUMN sampled_profile.figures IS 'what `vlag profile --format json` prints: kernel, user, functions and others, each {name, base, new, change, interval, certain}';
