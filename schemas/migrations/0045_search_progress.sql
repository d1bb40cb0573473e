-- How far a search is where all boots together give each commit a chance.
-- depends: 0044_commit_ids

CREATE TABLE search_progress (
  comparison bigint NOT NULL REFERENCES comparison,
  tree       text NOT NULL,
  benchmark  text NOT NULL,
  parameters jsonb NOT NULL,
  likeliest  jsonb NOT NULL,
  credible   integer NOT NULL,
  several    double precision NOT NULL,
  ended      boolean NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (comparison, benchmark, parameters)
);

COMMENT ON TABLE search_progress IS 'a search for a commit that has named none so far; it stays when a commit is named';

COMMENT ON COLUMN search_progress.likeliest IS 'commit, subject and chance of the likeliest commits, these first';

COMMENT ON COLUMN search_progress.credible IS 'the fewest commits that together have the culprit with a chance of 0.95';

COMMENT ON COLUMN search_progress.several IS 'chance that no single commit made the change';

COMMENT ON COLUMN search_progress.ended IS 'the search has ended and names none';

CREATE TRIGGER newer BEFORE INSERT OR UPDATE OR DELETE ON search_progress
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();
