-- Two stages on record, false discoveries of a night, change points of a history.
-- depends: 0005_catalogue

CREATE TYPE stand_kind AS ENUM ('open', 'confirmed', 'refuted', 'undecided');

COMMENT ON TYPE stand_kind IS 'what became of a suspicion: open, more fresh boots are due; confirmed; refuted; undecided, the bound of fresh boots was reached';

ALTER TABLE comparison ADD COLUMN round integer CHECK (round > 0);

UPDATE comparison SET round = 1 WHERE stage = 'confirm';

ALTER TABLE comparison ADD CHECK ((round IS NOT NULL) = (stage IS NOT NULL AND stage = 'confirm'));

COMMENT ON COLUMN comparison.round IS 'of stage confirm: fresh boots are doubled from round to round';

ALTER TABLE verdict ADD COLUMN p_zero double precision;

ALTER TABLE verdict ADD COLUMN boots_needed integer;

ALTER TABLE verdict ADD COLUMN suspect boolean NOT NULL DEFAULT false;

ALTER TABLE verdict ADD COLUMN stand stand_kind;

COMMENT ON COLUMN verdict.p IS 'p of the null: the change is within the relevance';

COMMENT ON COLUMN verdict.p_zero IS 'p of the null: there is no change at all; of stage confirm allowing for the rounds';

COMMENT ON COLUMN verdict.boots_needed IS 'boots a side that would decide; null: decided, or more than anybody runs';

COMMENT ON COLUMN verdict.suspect IS 'worth fresh boots, which alone may confirm it';

COMMENT ON COLUMN verdict.stand IS 'of stage confirm: what the fresh boots say of a change; null: not of that stage, or not comparable';

CREATE TABLE suspicion (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  base_kernel bigint NOT NULL REFERENCES kernel,
  new_kernel  bigint NOT NULL REFERENCES kernel,
  base_knobs  jsonb NOT NULL,
  new_knobs   jsonb NOT NULL,
  board_type  text NOT NULL REFERENCES board_type,
  benchmark   text NOT NULL,
  parameters  jsonb NOT NULL,
  metric      text NOT NULL,
  statistic   text NOT NULL,
  worse       boolean NOT NULL,
  hint        boolean NOT NULL,
  stand       stand_kind NOT NULL DEFAULT 'open',
  boots       integer NOT NULL DEFAULT 0,
  p           double precision,
  raised_by   bigint REFERENCES comparison,
  decided_by  bigint REFERENCES comparison,
  created_at  timestamptz NOT NULL DEFAULT now(),
  changed_at  timestamptz NOT NULL DEFAULT now(),
  UNIQUE (base_kernel, new_kernel, base_knobs, new_knobs, board_type, benchmark, parameters, metric, statistic)
);

COMMENT ON TABLE suspicion IS 'a change that screening saw, and what fresh boots made of it';

COMMENT ON COLUMN suspicion.worse IS 'which way: true is a regression';

COMMENT ON COLUMN suspicion.boots IS 'fresh boots a side so far, the smaller side';

COMMENT ON COLUMN suspicion.p IS 'of no change at all, over the fresh boots and allowing for the rounds; null: none so far';

COMMENT ON COLUMN suspicion.raised_by IS 'the screen; null: the watch on the history of the series';

COMMENT ON COLUMN suspicion.decided_by IS 'the last comparison of fresh boots; null: none so far';

CREATE TABLE family (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key        char(64) NOT NULL UNIQUE,
  q          double precision NOT NULL,
  tests      integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

COMMENT ON TABLE family IS 'all tests of one night, over which the share of false discoveries is held at q';

COMMENT ON COLUMN family.key IS 'digest of its comparisons: one night is judged once';

CREATE TABLE family_verdict (
  family  bigint NOT NULL REFERENCES family,
  verdict bigint NOT NULL REFERENCES verdict,
  p       double precision NOT NULL,
  told    boolean NOT NULL,
  PRIMARY KEY (family, verdict)
);

COMMENT ON TABLE family_verdict IS 'changes that a night found, and whether they stand among all of its tests';

COMMENT ON COLUMN family_verdict.p IS 'that counts in the family: of a confirmed one the screening level times p of the fresh boots';

CREATE TABLE shift (
  comparison    bigint NOT NULL REFERENCES comparison,
  benchmark     text NOT NULL,
  parameters    jsonb NOT NULL,
  metric        text NOT NULL,
  unit          text NOT NULL,
  p             double precision NOT NULL,
  suspect       boolean NOT NULL,
  worse         boolean NOT NULL,
  better        boolean NOT NULL,
  headline      text NOT NULL,
  quantiles     jsonb NOT NULL,
  unknown       text[] NOT NULL,
  base_achieved double precision,
  new_achieved  double precision,
  PRIMARY KEY (comparison, benchmark, parameters, metric)
);

COMMENT ON TABLE shift IS 'where a distribution moved between the two sides of a comparison, a boot being one observation';

COMMENT ON COLUMN shift.p IS 'of the null: the distribution is the same; by permutation of boots, over all quantiles at once';

COMMENT ON COLUMN shift.suspect IS 'some part moved beyond the relevance';

COMMENT ON COLUMN shift.quantiles IS '[{name, base, new, effect, low, high, p, moved}]: medians over boots in unit, relative effects with simultaneous 95 % intervals';

COMMENT ON COLUMN shift.unknown IS 'quantiles that some boot does not know';

COMMENT ON COLUMN shift.base_achieved IS 'share of the expected samples that was taken; null: the tool does not say';

CREATE TABLE change_point (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  series        bigint NOT NULL REFERENCES series,
  statistic     text NOT NULL,
  tree          text NOT NULL,
  branch        text NOT NULL,
  before_kernel bigint NOT NULL REFERENCES kernel,
  kernel        bigint NOT NULL REFERENCES kernel,
  effect        double precision NOT NULL,
  ci_low        double precision NOT NULL,
  ci_high       double precision NOT NULL,
  cause         text NOT NULL CHECK (cause IN ('kernel', 'board')),
  found_at      timestamptz NOT NULL DEFAULT now(),
  withdrawn_at  timestamptz,
  UNIQUE (series, statistic, tree, branch, kernel)
);

COMMENT ON TABLE change_point IS 'steps in the history of a series along a branch';

COMMENT ON COLUMN change_point.kernel IS 'first kernel of the new segment; before_kernel is the last of the old one';

COMMENT ON COLUMN change_point.cause IS 'board: the baseline kernel stepped with it';

COMMENT ON COLUMN change_point.withdrawn_at IS 'later data removed it; null: it stands';
