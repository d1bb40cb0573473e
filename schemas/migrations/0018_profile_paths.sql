-- Path length as a metric: verdicts on what an operation of a benchmark executes.
-- depends: 0017_profiles

CREATE TABLE profile_path (
  profile     bigint NOT NULL REFERENCES profile ON DELETE CASCADE,
  number      integer NOT NULL,
  metric      text NOT NULL,
  unit        text NOT NULL,
  relevance   double precision NOT NULL,
  base_values double precision[],
  new_values  double precision[],
  base_level  double precision,
  new_level   double precision,
  verdict     verdict_kind NOT NULL,
  effect      double precision,
  ci_low      double precision,
  ci_high     double precision,
  p           double precision,
  reason      text NOT NULL,
  PRIMARY KEY (profile, number),
  UNIQUE (profile, metric)
);

COMMENT ON TABLE profile_path IS 'a figure of the path of a profile with its verdict; less is better, all are for one operation';

COMMENT ON COLUMN profile_path.unit IS 'instructions, or calls of the function that metric names';

COMMENT ON COLUMN profile_path.relevance IS 'smallest relative change that matters, 0.002 = 0.2 %';

COMMENT ON COLUMN profile_path.base_values IS 'one a boot, in the order of the runs of the profile; null: this kernel has nothing to count';

COMMENT ON COLUMN profile_path.base_level IS 'geometric mean over boots; new_level = base_level * (1 + effect)';

COMMENT ON COLUMN profile_path.ci_low IS 'lower end of the 95 % interval of effect';
