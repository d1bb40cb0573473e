-- A board may fail by its figures beside those of its siblings, not by a check's own boot alone.
-- depends: 0035_alert_texts

ALTER TABLE board_check DROP CONSTRAINT board_check_finding_check;

ALTER TABLE board_check ADD CONSTRAINT board_check_finding_check CHECK (finding IN
  ('in band', 'too little history', 'level left', 'noise left', 'equal', 'first', 'differs', 'failed', 'moved'));

COMMENT ON TABLE board_check IS 'what a run says of its board: one boot of the baseline kernel with the noise-floor benchmark, or the last of the nights in which the board has moved';

COMMENT ON COLUMN board_check.finding IS 'of a board with a band: in band, too little history, level left, noise left; moved: a figure has moved against the other boards of the type; of a deterministic one: equal, first, differs; failed: nothing was measured';
