DROP INDEX run_suspect;
DROP INDEX run_took;
DROP INDEX run_board;
CREATE INDEX run_board ON run (board, finished_at);
