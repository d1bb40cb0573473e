-- What takes a loss back: searches from a culprit to a later head of a branch.
-- depends: 0046_pins

CREATE TABLE fix_search (
  bisection  bigint NOT NULL REFERENCES bisection ON DELETE CASCADE,
  branch     text NOT NULL,
  head       text NOT NULL,
  commits    text[] NOT NULL,
  subject    text,
  release    text,
  says_so    boolean NOT NULL,
  between    integer NOT NULL,
  recovered  double precision,
  why        text,
  document   jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (bisection, branch)
);

COMMENT ON TABLE fix_search IS 'a search for the commit that takes a loss back, from its culprit to a later head of a branch';

COMMENT ON COLUMN fix_search.commits IS 'the first that has the figure back; several where skipped commits hide which; none: no commit up to the head';

COMMENT ON COLUMN fix_search.release IS 'the first tag that has it; null: none has';

COMMENT ON COLUMN fix_search.says_so IS 'it names the culprit in a Fixes: line, or reverts it';

COMMENT ON COLUMN fix_search.recovered IS 'change of the figure from the culprit to the head, as part of the loss';

COMMENT ON COLUMN fix_search.why IS 'why none was found; null: one was';

COMMENT ON COLUMN fix_search.document IS 'the whole result, as vlag bisect --fix --format json prints it; null: none was found';

CREATE TRIGGER newer BEFORE INSERT OR UPDATE OR DELETE ON fix_search
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();
