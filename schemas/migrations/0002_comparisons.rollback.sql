DROP TABLE verdict;
DROP TABLE comparison;
DROP TYPE verdict_kind;
