-- What an operation executes in each commit of a branch, counted once on a deterministic board.
-- depends: 0049_decision_timeline

CREATE TABLE path_count (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  digest       char(64) NOT NULL UNIQUE,
  operations   bigint NOT NULL CHECK (operations > 0),
  metrics      jsonb NOT NULL,
  functions    jsonb NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now()
);

COMMENT ON TABLE path_count IS 'what a boot executed; kernels that execute the same share a row';

COMMENT ON COLUMN path_count.digest IS 'SHA-256 of the canonical JSON of operations, metrics and functions';

COMMENT ON COLUMN path_count.operations IS 'that the benchmark did';

COMMENT ON COLUMN path_count.metrics IS 'levels by metric in words, for an operation: [[metric, level]], in the order of lava-jobs/path-metrics.toml';

COMMENT ON COLUMN path_count.functions IS 'instructions of their own in the boot, by function';

CREATE TRIGGER newer BEFORE INSERT OR UPDATE OR DELETE ON path_count
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TABLE path_point (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kernel      bigint NOT NULL REFERENCES kernel,
  board_type  text NOT NULL,
  benchmark   text NOT NULL,
  parameters  jsonb NOT NULL,
  seed        bigint NOT NULL,
  setup       char(64) NOT NULL,
  program     char(64),
  operation   text NOT NULL,
  run         bigint NOT NULL REFERENCES run,
  path_count  bigint NOT NULL REFERENCES path_count,
  created_at  timestamptz NOT NULL DEFAULT now(),
  UNIQUE (kernel, board_type, benchmark, parameters, seed, setup)
);

CREATE INDEX path_point_run ON path_point (run);

CREATE INDEX path_point_path_count ON path_point (path_count);

COMMENT ON TABLE path_point IS 'what an operation of a benchmark executes in a kernel, from one boot that counts and is never scored';

COMMENT ON COLUMN path_point.setup IS 'digest of all but the commit that counts depend on: board, emulator, userland, compiler, options of the build; only equal ones are compared';

COMMENT ON COLUMN path_point.program IS 'digest of what the kernel is loaded with, but for the lines that warnings name: kernels of one program share the counts that were first; null: its image is of a kind that is not read';

COMMENT ON COLUMN path_point.operation IS 'what a figure is for one of, as in "switch"';

COMMENT ON COLUMN path_point.run IS 'the boot; kernels with equal images share it';

CREATE TRIGGER newer BEFORE INSERT OR UPDATE OR DELETE ON path_point
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();
