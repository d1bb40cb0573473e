-- The order of a branch's commits: its own, as it was seen, not that of their dates.
-- depends: 0023_lane_builds

CREATE TABLE branch_head (
  tree         text NOT NULL,
  branch       text NOT NULL,
  line         integer NOT NULL,
  commit       char(40) NOT NULL,
  number       integer NOT NULL,
  rewritten_at timestamptz,
  looked_at    timestamptz NOT NULL,
  PRIMARY KEY (tree, branch)
);

COMMENT ON TABLE branch_head IS 'head of each branch as a build of it saw it last';

COMMENT ON COLUMN branch_head.line IS 'how often the branch was seen rewritten, or reset to an older commit';

COMMENT ON COLUMN branch_head.number IS 'commits of its first-parent history, the head included';

COMMENT ON COLUMN branch_head.rewritten_at IS 'when a mirror last noticed that it was rewritten; null: never';

COMMENT ON COLUMN branch_head.looked_at IS 'when the build looked, by the clock of its host';

CREATE TABLE branch_commit (
  tree    text NOT NULL,
  branch  text NOT NULL,
  commit  char(40) NOT NULL,
  line    integer NOT NULL,
  number  integer NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tree, branch, commit)
);

COMMENT ON TABLE branch_commit IS 'place of each commit that was built for a branch: by line, then by number';

COMMENT ON COLUMN branch_commit.line IS 'that of the branch when the commit was last seen in it';

COMMENT ON COLUMN branch_commit.seen_at IS 'when it was first on record at this place';
