-- Kernels, their builds, the boards, the runs on them and every number a run gave.

CREATE TYPE direction_kind AS ENUM ('higher', 'lower');

CREATE TYPE outcome_kind AS ENUM (
  'complete',
  'patch_failed',
  'build_failed',
  'panic',
  'hang',
  'benchmark_failed'
);

COMMENT ON TYPE direction_kind IS 'which way a metric gets better';

COMMENT ON TYPE outcome_kind IS 'what became of a build or a run; all but complete are the failure of the kernel itself';

CREATE TABLE kernel (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  digest       char(64) NOT NULL UNIQUE,
  tree         text NOT NULL,
  branch       text NOT NULL,
  commit       char(40) NOT NULL,
  describe     text NOT NULL,
  subject      text NOT NULL,
  committed_at timestamptz NOT NULL,
  series       text,
  application  text NOT NULL,
  variant      text NOT NULL,
  arch         text NOT NULL,
  kconfig      char(64) NOT NULL
);

COMMENT ON TABLE kernel IS 'tree @ commit + series application + build-time variant';

COMMENT ON COLUMN kernel.branch IS 'branch or tag under which the kernel was first asked for';

COMMENT ON COLUMN kernel.describe IS 'nearest tag and distance, for people';

COMMENT ON COLUMN kernel.series IS 'patch series of kernel-patches/; null: none';

COMMENT ON COLUMN kernel.application IS 'how much of the series is applied: none, full, solo(i), prefix(i), without(i)';

COMMENT ON COLUMN kernel.kconfig IS 'digest of the make target and all config fragments';

CREATE INDEX kernel_commit ON kernel (commit);

CREATE INDEX kernel_branch ON kernel (branch);

CREATE TABLE build (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kernel        bigint NOT NULL REFERENCES kernel,
  bundle_digest char(64) NOT NULL UNIQUE,
  outcome       outcome_kind NOT NULL CHECK (outcome IN ('complete', 'patch_failed', 'build_failed')),
  reason        text,
  release       text,
  image_sha256  char(64),
  config_sha256 char(64),
  toolchain     text NOT NULL,
  started_at    timestamptz NOT NULL,
  finished_at   timestamptz NOT NULL,
  location      text NOT NULL,
  document      jsonb NOT NULL,
  CHECK ((outcome = 'complete') = (reason IS NULL)),
  CHECK (outcome <> 'complete' OR (image_sha256 IS NOT NULL AND config_sha256 IS NOT NULL))
);

COMMENT ON TABLE build IS 'one attempt to build one kernel';

COMMENT ON COLUMN build.bundle_digest IS 'SHA-256 of the canonical JSON of build.json: one bundle is one row';

COMMENT ON COLUMN build.reason IS 'first error of a build that failed';

COMMENT ON COLUMN build.release IS 'what uname -r says';

COMMENT ON COLUMN build.location IS 'folder of the bundle when it was ingested';

COMMENT ON COLUMN build.document IS 'build.json as it was ingested';

CREATE INDEX build_kernel ON build (kernel);

CREATE INDEX build_finished_at ON build (finished_at);

CREATE TABLE board_type (
  name          text PRIMARY KEY,
  arch          text NOT NULL,
  deterministic boolean NOT NULL,
  cpus          integer NOT NULL CHECK (cpus > 0),
  limits        text
);

COMMENT ON TABLE board_type IS 'a kind of board: all that must be equal for two numbers to be compared';

COMMENT ON COLUMN board_type.deterministic IS 'equal run keys give equal samples, so a repeat is no second observation';

COMMENT ON COLUMN board_type.limits IS 'what its numbers cannot show; said wherever they are shown';

CREATE TABLE board (
  name       text PRIMARY KEY,
  board_type text NOT NULL REFERENCES board_type
);

CREATE TABLE series (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key          char(64) NOT NULL UNIQUE,
  benchmark    text NOT NULL,
  parameters   jsonb NOT NULL,
  metric       text NOT NULL,
  unit         text NOT NULL,
  direction    direction_kind NOT NULL,
  tool         text NOT NULL,
  tool_version text NOT NULL,
  defaults     jsonb NOT NULL,
  board_type   text NOT NULL REFERENCES board_type
);

COMMENT ON TABLE series IS 'what is measured; two values may be compared only with one series';

COMMENT ON COLUMN series.key IS 'digest of all other columns but direction';

COMMENT ON COLUMN series.defaults IS 'effective settings of the tool that change what the metric means';

CREATE INDEX series_board_type ON series (board_type, benchmark);

CREATE TABLE run (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  bundle_digest char(64) NOT NULL UNIQUE,
  run_key       char(64) NOT NULL,
  kernel        bigint NOT NULL REFERENCES kernel,
  image_sha256  char(64) NOT NULL,
  config_sha256 char(64) NOT NULL,
  board         text NOT NULL REFERENCES board,
  board_type    text NOT NULL REFERENCES board_type,
  plan          text,
  benchmark     text NOT NULL,
  parameters    jsonb NOT NULL,
  seed          bigint NOT NULL,
  knobs         jsonb NOT NULL,
  outcome       outcome_kind NOT NULL CHECK (outcome NOT IN ('patch_failed', 'build_failed')),
  reason        text,
  started_at    timestamptz NOT NULL,
  finished_at   timestamptz NOT NULL,
  estimate_s    double precision NOT NULL,
  environment   jsonb NOT NULL,
  health        jsonb NOT NULL,
  emulator      jsonb,
  suspect       text,
  location      text NOT NULL,
  executor      jsonb NOT NULL,
  synthetic     boolean NOT NULL,
  document      jsonb NOT NULL,
  CHECK ((outcome = 'complete') = (reason IS NULL))
);

COMMENT ON TABLE run IS 'one boot of one kernel on one board under one plan entry';

COMMENT ON COLUMN run.bundle_digest IS 'SHA-256 of the canonical JSON of run.json: one bundle is one row';

COMMENT ON COLUMN run.run_key IS 'digest of all that goes into the run; on a deterministic board equal keys give equal samples';

COMMENT ON COLUMN run.plan IS 'null: started by hand';

COMMENT ON COLUMN run.knobs IS 'run-time knobs that were asked for and read back';

COMMENT ON COLUMN run.estimate_s IS 'host seconds the run was expected to take';

COMMENT ON COLUMN run.environment IS 'what the board said about itself: path or command -> text';

COMMENT ON COLUMN run.health IS 'warnings, oopses, stalls and taints on the console: [{kind, line, text}]';

COMMENT ON COLUMN run.emulator IS 'program, version and sha256; figures differ between versions; null on hardware';

COMMENT ON COLUMN run.suspect IS 'why a person took the run out of comparisons; null: it counts';

COMMENT ON COLUMN run.location IS 'folder of the bundle when it was ingested';

COMMENT ON COLUMN run.executor IS 'which LAVA ran it, job id';

COMMENT ON COLUMN run.synthetic IS 'figures from a report, not from a boot; never compared with those of boots';

COMMENT ON COLUMN run.document IS 'run.json as it was ingested';

CREATE INDEX run_board_type ON run (board_type, kernel, benchmark);

CREATE INDEX run_finished_at ON run (finished_at);

CREATE INDEX run_run_key ON run (run_key);

CREATE TABLE sample (
  run       bigint NOT NULL REFERENCES run,
  series    bigint NOT NULL REFERENCES series,
  values    double precision[] NOT NULL CHECK (cardinality(values) > 0),
  instances text[] NOT NULL,
  PRIMARY KEY (run, series),
  CHECK (cardinality(values) = cardinality(instances))
);

COMMENT ON TABLE sample IS 'numbers of one series from one run, in the order the tool gave them';

COMMENT ON COLUMN sample.instances IS 'one label a value; empty where the tool gives one figure';

CREATE INDEX sample_series ON sample (series);

CREATE TABLE histogram (
  run           bigint NOT NULL REFERENCES run,
  series        bigint NOT NULL REFERENCES series,
  bounds        integer[] NOT NULL,
  counts        bigint[] NOT NULL,
  overflow      bigint[] NOT NULL,
  overflow_from integer NOT NULL,
  maximum       double precision[] NOT NULL,
  instances     text[] NOT NULL,
  expected      bigint,
  achieved      bigint NOT NULL,
  PRIMARY KEY (run, series)
);

COMMENT ON TABLE histogram IS 'a distribution of one series from one run, as the tool counted it';

COMMENT ON COLUMN histogram.bounds IS 'where each bucket begins, ascending; only buckets that were hit';

COMMENT ON COLUMN histogram.counts IS 'two dimensions: instances x bounds';

COMMENT ON COLUMN histogram.overflow IS 'samples beyond the last bucket, one number an instance';

COMMENT ON COLUMN histogram.overflow_from IS 'first value that counts as overflow';

COMMENT ON COLUMN histogram.maximum IS 'largest value seen, one number an instance';

COMMENT ON COLUMN histogram.expected IS 'samples that the parameters ask for, all instances together; null: no such number';

COMMENT ON COLUMN histogram.achieved IS 'samples that the tool took: what is missing is a tail nobody saw';

CREATE INDEX histogram_series ON histogram (series);
