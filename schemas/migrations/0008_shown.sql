-- What is shown is stored: a number a boot and statistic, why two kernels were compared, nights.
-- depends: 0007_boards

CREATE TABLE run_value (
  run       bigint NOT NULL REFERENCES run,
  series    bigint NOT NULL REFERENCES series,
  statistic text NOT NULL,
  at        timestamptz NOT NULL,
  value     double precision NOT NULL,
  PRIMARY KEY (run, series, statistic)
);

COMMENT ON TABLE run_value IS 'one number a boot, series and statistic: what panels plot and verdicts are made of; made from sample and histogram, and again by `vlag migrate` where missing';

COMMENT ON COLUMN run_value.at IS 'end of the run, so that a history needs no other table to find its newest part';

COMMENT ON COLUMN run_value.value IS 'in the unit of the series';

CREATE INDEX run_value_history ON run_value (series, statistic, at) INCLUDE (value, run);

ALTER TABLE comparison ADD COLUMN role text CHECK (role IN ('baseline', 'parent'));

ALTER TABLE comparison ADD COLUMN synthetic boolean NOT NULL DEFAULT false;

UPDATE comparison c SET synthetic = true
FROM (SELECT array_agg(id) AS ids FROM run WHERE synthetic) AS drawn
WHERE EXISTS (
  SELECT FROM verdict v
  WHERE v.comparison = c.id AND (v.base_runs && drawn.ids OR v.new_runs && drawn.ids));

COMMENT ON COLUMN comparison.role IS 'what the base is to the new kernel; null: a person named both';

COMMENT ON COLUMN comparison.synthetic IS 'of figures from a report, not from boots';

CREATE INDEX comparison_latest ON comparison (board_type, new_kernel, id);

CREATE INDEX run_kernel ON run (kernel);

CREATE INDEX kernel_branch_name ON kernel ((tree || '/' || branch));

CREATE INDEX build_image ON build (image_sha256, config_sha256);

CREATE INDEX family_verdict_verdict ON family_verdict (verdict);

CREATE INDEX board_doubt_board ON board_doubt (board) WHERE lifted_at IS NULL;

ALTER TABLE verdict ADD COLUMN confirmable boolean NOT NULL DEFAULT true;

UPDATE verdict v SET confirmable = false FROM comparison c WHERE c.id = v.comparison AND c.plan IS NULL;

COMMENT ON COLUMN verdict.confirmable IS 'the plan has fresh boots that could settle a suspicion; true: or was made before this was noted';

CREATE TABLE night (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key         text NOT NULL UNIQUE,
  started_at  timestamptz NOT NULL,
  finished_at timestamptz NOT NULL,
  family      bigint REFERENCES family,
  comparisons bigint[] NOT NULL,
  branches    jsonb NOT NULL,
  missing     text[] NOT NULL,
  notes       text[] NOT NULL,
  url         text,
  report      text,
  CHECK (started_at <= finished_at)
);

COMMENT ON TABLE night IS 'one night that has ended, well or not';

COMMENT ON COLUMN night.key IS 'names the build of the night: one night is on record once';

COMMENT ON COLUMN night.branches IS 'what was watched: [{tree, branch, board_types}]';

COMMENT ON COLUMN night.missing IS 'what did not run and why, a sentence each';

COMMENT ON COLUMN night.notes IS 'head of its report';

COMMENT ON COLUMN night.url IS 'page of its build in Buildbot';

COMMENT ON COLUMN night.report IS 'path of the text report, below the state folder';

CREATE INDEX night_finished_at ON night (finished_at);
