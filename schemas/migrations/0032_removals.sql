-- Raw files that were removed on purpose: a bundle that is missing for another reason is a loss.
-- depends: 0031_slow_losses

CREATE TABLE removal (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run     bigint UNIQUE REFERENCES run ON DELETE CASCADE,
  build   bigint UNIQUE REFERENCES build ON DELETE CASCADE,
  at      timestamptz NOT NULL DEFAULT now(),
  bytes   bigint NOT NULL,
  why     text NOT NULL,
  done_at timestamptz,
  CHECK (num_nonnulls(run, build) = 1)
);

COMMENT ON TABLE removal IS 'bundles that vlag gc has removed; their rows and figures stay';
COMMENT ON COLUMN removal.bytes IS 'of the files, as they were on the disk';
COMMENT ON COLUMN removal.why IS 'rule that removed it, as a sentence';
COMMENT ON COLUMN removal.done_at IS 'null: the removal was recorded, and some files may still be there';
