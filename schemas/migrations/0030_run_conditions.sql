-- What a history needs of a run's document is kept: years of documents are not read each night.
-- depends: 0029_read_again

CREATE TABLE conditions (
  digest   text PRIMARY KEY,
  rule     integer NOT NULL,
  document jsonb NOT NULL
);

COMMENT ON TABLE conditions IS 'what of run.json must not change within a history; few, as most boots share them';
COMMENT ON COLUMN conditions.rule IS 'number of the rule that read them (vlag/compare/conditions.py); runs with another one are read again';
COMMENT ON COLUMN conditions.document IS 'conditions, firmware and kconfig';

CREATE TABLE run_conditions (
  run        bigint PRIMARY KEY REFERENCES run ON DELETE CASCADE,
  conditions text NOT NULL REFERENCES conditions
);

COMMENT ON TABLE run_conditions IS 'runs that were a part of a history';
