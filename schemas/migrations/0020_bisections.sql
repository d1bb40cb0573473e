-- Since when: the first commit that made a figure worse, and the comparisons whose range has it.
-- depends: 0019_profile_callers

CREATE TABLE bisection (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tree       text NOT NULL,
  good       text NOT NULL,
  bad        text NOT NULL,
  board_type text NOT NULL,
  benchmark  text NOT NULL,
  parameters jsonb NOT NULL,
  knobs      jsonb NOT NULL,
  metric     text NOT NULL,
  statistic  text NOT NULL,
  commits    text[] NOT NULL CHECK (cardinality(commits) > 0),
  subject    text NOT NULL,
  steps      integer NOT NULL,
  between    integer NOT NULL,
  effect     double precision NOT NULL,
  share      double precision,
  recovered  double precision,
  no_revert  text,
  document   jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (tree, good, bad, board_type, benchmark, parameters, knobs, metric, statistic)
);

COMMENT ON TABLE bisection IS 'a search by git bisect for the first commit that made a figure worse';

COMMENT ON COLUMN bisection.commits IS 'the first bad commit; several where skipped commits hide which it is';

COMMENT ON COLUMN bisection.subject IS 'of the first of commits';

COMMENT ON COLUMN bisection.effect IS 'relative change of bad against good, 0.01 = 1 %';

COMMENT ON COLUMN bisection.share IS 'part of the change that culprit against parent has, on fresh seeds; null: not verified';

COMMENT ON COLUMN bisection.recovered IS 'part of the change that the revert of the culprit takes back; null: no_revert says why';

COMMENT ON COLUMN bisection.document IS 'the whole result, as vlag bisect --format json prints it, and the command';

CREATE TABLE bisection_comparison (
  comparison bigint NOT NULL REFERENCES comparison,
  bisection  bigint NOT NULL REFERENCES bisection ON DELETE CASCADE,
  PRIMARY KEY (comparison, bisection)
);

CREATE INDEX bisection_comparison_bisection ON bisection_comparison (bisection);

COMMENT ON TABLE bisection_comparison IS 'the comparisons whose new kernel has a culprit that their base lacks';
