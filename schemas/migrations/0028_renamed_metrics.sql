-- A renamed metric keeps its history.
-- depends: 0027_mute_size

ALTER TABLE series ADD COLUMN joined_to bigint REFERENCES series;

COMMENT ON COLUMN series.joined_to IS 'the series that has its runs now, as its metric was measured under two names; null: it has its own';
