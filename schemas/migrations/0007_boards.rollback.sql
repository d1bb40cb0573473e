DROP INDEX run_board;
DROP VIEW run_in_doubt;
DROP TABLE board_doubt;
DROP TABLE board_state;
DROP TABLE board_check;
