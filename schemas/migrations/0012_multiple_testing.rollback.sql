ALTER INDEX multiple_testing_verdict_verdict RENAME TO family_verdict_verdict;

ALTER TABLE night RENAME COLUMN multiple_testing TO family;

ALTER TABLE multiple_testing_verdict RENAME COLUMN multiple_testing TO family;

ALTER TABLE multiple_testing_verdict RENAME TO family_verdict;

ALTER TABLE multiple_testing RENAME TO family;
