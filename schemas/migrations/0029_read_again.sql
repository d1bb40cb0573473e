-- Raw output that is kept can be read again.
-- depends: 0028_renamed_metrics

ALTER TABLE run ADD COLUMN reading integer NOT NULL DEFAULT 1;

COMMENT ON COLUMN run.reading IS 'counts what the raw output was read as: a comparison of another reading is another comparison';
