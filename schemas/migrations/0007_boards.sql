-- The health of boards: their checks, their states, and runs that a bad board made.
-- depends: 0006_statistics

CREATE TABLE board_check (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  board      text NOT NULL REFERENCES board,
  run        bigint NOT NULL UNIQUE REFERENCES run,
  conditions char(64) NOT NULL,
  finding    text NOT NULL CHECK (finding IN (
    'in band', 'too little history', 'level left', 'noise left', 'equal', 'first', 'differs', 'failed')),
  accepted   boolean NOT NULL,
  level      double precision CHECK (level > 0),
  noise      double precision CHECK (noise > 0),
  band       jsonb,
  sentence   text NOT NULL,
  CHECK ((level IS NULL) = (noise IS NULL)),
  CHECK (accepted = (finding IN ('in band', 'too little history', 'equal', 'first')))
);

COMMENT ON TABLE board_check IS 'one boot of the baseline kernel with the noise-floor benchmark, and what it says of its board';

COMMENT ON COLUMN board_check.conditions IS 'digest of all that must be equal for two checks to share a band: benchmark, parameters, tool, image, knobs';

COMMENT ON COLUMN board_check.finding IS 'of a board with a band: in band, too little history, level left, noise left; of a deterministic one: equal, first, differs; failed: nothing was measured';

COMMENT ON COLUMN board_check.accepted IS 'may become part of the band, and vouches for the runs before it';

COMMENT ON COLUMN board_check.level IS 'median in the unit of the metric; null: deterministic board, or failed';

COMMENT ON COLUMN board_check.noise IS 'P99 by the median';

COMMENT ON COLUMN board_check.band IS 'the band it was judged by; null: none';

CREATE INDEX board_check_board ON board_check (board);

CREATE TABLE board_state (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  board    text NOT NULL REFERENCES board,
  state    text NOT NULL CHECK (state IN ('good', 'maintenance')),
  since    timestamptz NOT NULL,
  reason   text NOT NULL,
  by       text NOT NULL,
  new_band boolean NOT NULL DEFAULT false,
  CHECK (NOT new_band OR state = 'good')
);

COMMENT ON TABLE board_state IS 'states of boards; the one with the highest id holds, a board with none is good';

COMMENT ON COLUMN board_state.by IS 'a person, or check N';

COMMENT ON COLUMN board_state.new_band IS 'checks before it are no part of the band any more: the board was repaired or changed';

CREATE INDEX board_state_board ON board_state (board, id);

CREATE TABLE board_doubt (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  board     text NOT NULL REFERENCES board,
  since     timestamptz,
  until     timestamptz,
  found_by  bigint NOT NULL REFERENCES board_check,
  lifted_at timestamptz,
  lifted_by text,
  CHECK ((lifted_at IS NULL) = (lifted_by IS NULL))
);

COMMENT ON TABLE board_doubt IS 'spans of time in which the runs of a board do not count';

COMMENT ON COLUMN board_doubt.since IS 'end of the last good check; null: there was none';

COMMENT ON COLUMN board_doubt.until IS 'when the board was called good again; null: not yet';

COMMENT ON COLUMN board_doubt.found_by IS 'the check that the board failed';

COMMENT ON COLUMN board_doubt.lifted_by IS 'person who said that the runs count after all';

CREATE UNIQUE INDEX board_doubt_open ON board_doubt (board) WHERE until IS NULL;

CREATE VIEW run_in_doubt AS
SELECT DISTINCT ON (r.id) r.id AS run, r.board, d.id AS doubt, d.since, c.sentence AS reason
FROM board_doubt d
JOIN board_check c ON c.id = d.found_by
JOIN run r ON r.board = d.board
WHERE d.lifted_at IS NULL
  AND NOT r.synthetic
  AND (d.since IS NULL OR r.finished_at > d.since)
  AND (d.until IS NULL OR r.started_at < d.until)
ORDER BY r.id, d.id;

COMMENT ON VIEW run_in_doubt IS 'runs that comparisons leave out because their board was not itself';

CREATE INDEX run_board ON run (board, finished_at);
