UPDATE board_check SET finding = 'level left' WHERE finding = 'moved';
ALTER TABLE board_check DROP CONSTRAINT board_check_finding_check;
ALTER TABLE board_check ADD CONSTRAINT board_check_finding_check CHECK (finding IN ('in band', 'too little history', 'level left', 'noise left', 'equal', 'first', 'differs', 'failed'));
COMMENT ON TABLE board_check IS 'one boot of the baseline kernel with the noise-floor benchmark, and what it says of its board';
COMMENT ON COLUMN board_check.finding IS 'of a board with a band: in band, too little history, level left, noise left; of a deterministic one: equal, first, differs; failed: nothing was measured';
