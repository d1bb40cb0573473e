-- When the runs of a board were under way: found and added up without the rows themselves.
-- depends: 0009_alerts

DROP INDEX run_board;

-- board_type because PostgreSQL reads the column that a view joins by, even where it leaves
-- the join out.
CREATE INDEX run_board ON run (board, finished_at) INCLUDE (board_type, started_at, outcome, synthetic);

-- What was under way at some time ended at most the longest run later.
CREATE INDEX run_took ON run (date_part('epoch', finished_at - started_at));

CREATE INDEX run_suspect ON run (finished_at) WHERE suspect IS NOT NULL;
