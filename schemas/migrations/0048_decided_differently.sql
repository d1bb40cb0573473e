-- Which decision of the scheduler two kernels took differently.
-- depends: 0047_fix_search

CREATE TABLE decided_differently (
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
  told        jsonb NOT NULL,
  sentence    text NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  UNIQUE (base_kernel, new_kernel, base_knobs, new_knobs, board_type, benchmark, parameters)
);

CREATE INDEX decided_differently_new_kernel ON decided_differently (new_kernel);

COMMENT ON TABLE decided_differently IS 'the first decision of the scheduler that two kernels took differently in a benchmark, or that none differs';

COMMENT ON COLUMN decided_differently.base_runs IS 'the boots that were read, one a seed; they observe, and are in no comparison';

COMMENT ON COLUMN decided_differently.told IS 'what `vlag decisions --format json` prints: seeds, and the rules over all of them';

CREATE TRIGGER newer BEFORE INSERT OR UPDATE OR DELETE ON decided_differently
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();
