DROP TABLE try;
DROP TYPE try_state_kind;
