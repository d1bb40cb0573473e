-- The timelines of both kernels next to the first decision that differs, to be opened in Perfetto.
-- depends: 0048_decided_differently

ALTER TABLE decided_differently ADD COLUMN timeline bytea;

COMMENT ON COLUMN decided_differently.timeline IS 'a file of Perfetto, at most some MB, of the seed that is told of; null: no decision differs, or the row is older';
