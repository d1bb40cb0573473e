-- Series of patches that people send on the pages to be tried.
-- depends: 0020_bisections

CREATE TYPE try_state_kind AS ENUM ('waiting', 'running', 'done', 'failed');

CREATE TABLE try (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  asked_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  by text NOT NULL,
  title text NOT NULL,
  patches integer NOT NULL CHECK (patches > 0),
  mbox bytea NOT NULL,
  against bytea,
  tree text NOT NULL,
  base text NOT NULL,
  plan text NOT NULL,
  board_type text NOT NULL,
  each boolean NOT NULL,
  state try_state_kind NOT NULL DEFAULT 'waiting',
  reason text,
  commit text,
  boots integer,
  comparisons bigint[] NOT NULL DEFAULT '{}'
);

CREATE INDEX try_open ON try (id) WHERE state IN ('waiting', 'running');

COMMENT ON TABLE try IS 'a series of patches that somebody has sent on the pages, with its result';
COMMENT ON COLUMN try.mbox IS 'the mails as they were sent; their digest names the series';
COMMENT ON COLUMN try.against IS 'an earlier version of the series, which is the base then';
COMMENT ON COLUMN try.each IS 'each patch on those before it is measured as well';
COMMENT ON COLUMN try.base IS 'the watched branch; commit is its head when the try began';
COMMENT ON COLUMN try.boots IS 'planned boots of all kernels; null: it has not begun';
