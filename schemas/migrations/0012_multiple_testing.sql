-- The tables of a night's multiple testing carry the field's name for it.
-- depends: 0011_levels

ALTER TABLE family RENAME TO multiple_testing;

ALTER TABLE family_verdict RENAME TO multiple_testing_verdict;

ALTER TABLE multiple_testing_verdict RENAME COLUMN family TO multiple_testing;

ALTER TABLE night RENAME COLUMN family TO multiple_testing;

ALTER INDEX family_verdict_verdict RENAME TO multiple_testing_verdict_verdict;

-- The views have moved to the schema read_model, which is made next.
DROP SCHEMA IF EXISTS shown CASCADE;

COMMENT ON TABLE multiple_testing IS 'the tests of one night, judged together so that the false discovery rate holds';
