-- Build lanes: what breaks in configurations that no board boots, and new warnings there.
-- depends: 0022_sampled_profiles

CREATE TYPE lane_outcome_kind AS ENUM ('builds', 'breaks', 'not_applicable');

CREATE TABLE lane_build (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tree       text NOT NULL,
  commit     text NOT NULL,
  subject    text NOT NULL,
  parent     text,
  lane       text NOT NULL,
  outcome    lane_outcome_kind NOT NULL,
  reason     text,
  is_new     boolean NOT NULL,
  warnings   integer NOT NULL CHECK (warnings >= 0),
  unjudged   text,
  toolchain  text NOT NULL,
  record     text NOT NULL,
  built_at   timestamptz NOT NULL DEFAULT now(),
  UNIQUE (tree, commit, lane),
  CHECK ((outcome = 'builds') = (reason IS NULL))
);

COMMENT ON TABLE lane_build IS 'a commit in a configuration of workers/lanes.toml that was only built';

COMMENT ON COLUMN lane_build.parent IS 'commit that it was held against; null: it has none';

COMMENT ON COLUMN lane_build.is_new IS 'the parent has another outcome; without a parent a break is new';

COMMENT ON COLUMN lane_build.warnings IS 'all warnings in scheduler code; lane_finding has the new ones';

COMMENT ON COLUMN lane_build.unjudged IS 'why no warning could be held against those of the parent';

COMMENT ON COLUMN lane_build.record IS 'folder with lane.json and the log of the build';

CREATE TABLE lane_finding (
  lane_build bigint NOT NULL REFERENCES lane_build ON DELETE CASCADE,
  number     integer NOT NULL,
  kind       text NOT NULL CHECK (kind IN ('error', 'warning')),
  file       text NOT NULL,
  line       integer,
  message    text NOT NULL,
  count      integer NOT NULL,
  is_new     boolean NOT NULL,
  PRIMARY KEY (lane_build, number)
);

COMMENT ON TABLE lane_finding IS 'an error of a lane that breaks, or a new warning in scheduler code';

COMMENT ON COLUMN lane_finding.file IS 'as the tree has it; empty where the tool names none';

COMMENT ON COLUMN lane_finding.count IS 'places of the file that have it';
