-- Comparisons of two kernels, and a verdict for each statistic of each series.
-- depends: 0001_kernels_and_runs

CREATE TYPE verdict_kind AS ENUM (
  'REGRESSION',
  'IMPROVEMENT',
  'UNCHANGED',
  'INCONCLUSIVE',
  'NOT_COMPARABLE'
);

COMMENT ON TYPE verdict_kind IS 'answer of one comparison of one statistic of one series';

CREATE TABLE comparison (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  inputs        char(64) NOT NULL UNIQUE,
  base_kernel   bigint NOT NULL REFERENCES kernel,
  new_kernel    bigint NOT NULL REFERENCES kernel,
  board_type    text NOT NULL REFERENCES board_type,
  base_knobs    jsonb NOT NULL,
  new_knobs     jsonb NOT NULL,
  factors       jsonb NOT NULL,
  failed_builds bigint[] NOT NULL,
  failed_runs   bigint[] NOT NULL,
  notes         text[] NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now()
);

COMMENT ON TABLE comparison IS 'two kernels on one board type, over the runs that were on record then';

COMMENT ON COLUMN comparison.inputs IS 'digest of kernels, knobs, runs, builds and declared metrics: equal inputs are stored once';

COMMENT ON COLUMN comparison.factors IS 'what differs on purpose: factor -> {base, new}';

COMMENT ON COLUMN comparison.failed_builds IS 'builds of either kernel that failed';

COMMENT ON COLUMN comparison.failed_runs IS 'runs of either kernel that panicked, hung or failed';

COMMENT ON COLUMN comparison.notes IS 'runs that were left out and why, repeats that disagree';

CREATE INDEX comparison_kernels ON comparison (new_kernel, base_kernel);

CREATE INDEX comparison_created_at ON comparison (created_at);

CREATE TABLE verdict (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  comparison    bigint NOT NULL REFERENCES comparison,
  benchmark     text NOT NULL,
  parameters    jsonb NOT NULL,
  metric        text NOT NULL,
  statistic     text NOT NULL,
  series_base   bigint REFERENCES series,
  series_new    bigint REFERENCES series,
  unit          text NOT NULL,
  direction     direction_kind NOT NULL,
  base_value    double precision,
  new_value     double precision,
  effect        double precision,
  ci_low        double precision,
  ci_high       double precision,
  n_base        integer NOT NULL,
  n_new         integer NOT NULL,
  p             double precision,
  verdict       verdict_kind NOT NULL,
  reason        text NOT NULL,
  hint          boolean NOT NULL,
  base_runs     bigint[] NOT NULL,
  new_runs      bigint[] NOT NULL,
  base_achieved bigint,
  base_expected bigint,
  new_achieved  bigint,
  new_expected  bigint,
  UNIQUE (comparison, benchmark, parameters, metric, statistic)
);

COMMENT ON COLUMN verdict.statistic IS 'median of the numbers of a boot, or of a distribution: p50, p90, p99, p99.9, p99.99, max';

COMMENT ON COLUMN verdict.series_base IS 'null: the base has no run of it';

COMMENT ON COLUMN verdict.base_value IS 'median over boots, in unit';

COMMENT ON COLUMN verdict.effect IS 'relative change, 0.01 = 1 %';

COMMENT ON COLUMN verdict.ci_low IS 'lower end of the 95 % interval of effect';

COMMENT ON COLUMN verdict.n_base IS 'boots; the unit of replication';

COMMENT ON COLUMN verdict.reason IS 'why the verdict is what it is, one sentence';

COMMENT ON COLUMN verdict.hint IS 'a cross-CPU figure of a deterministic board: may raise a suspicion, confirms nothing';

COMMENT ON COLUMN verdict.base_runs IS 'runs whose numbers were used';

COMMENT ON COLUMN verdict.base_achieved IS 'samples taken in all boots of the base; null where the metric is no histogram';

COMMENT ON COLUMN verdict.base_expected IS 'samples that were asked for in all boots of the base';
