-- What is said of a prediction stays: another answer is a row of its own that names the one it replaces.
-- depends: 0033_decisions

ALTER TABLE prediction ADD COLUMN said bigint, ADD COLUMN replaces bigint, ADD COLUMN document jsonb, ADD COLUMN at timestamptz;

-- Links from before were made when the answer was there already.
UPDATE prediction p SET said = c.said, at = c.created_at FROM comparison c WHERE c.id = p.comparison;

ALTER TABLE prediction DROP CONSTRAINT prediction_pkey;

ALTER TABLE prediction
  ALTER COLUMN said SET DEFAULT nextval('said'),
  ALTER COLUMN at SET DEFAULT now(),
  ALTER COLUMN at SET NOT NULL,
  ADD PRIMARY KEY (said),
  ADD UNIQUE (replaces),
  ADD FOREIGN KEY (replaces) REFERENCES prediction;

CREATE INDEX prediction_comparison ON prediction (comparison, said);

COMMENT ON TABLE prediction IS 'what comparisons say of the predictions in the header of a patch; the last one of a comparison counts, and the others stay as they were said';

COMMENT ON COLUMN prediction.said IS 'its place in the order of all that is said';

COMMENT ON COLUMN prediction.replaces IS 'the row that it takes the place of; null: it is the first';

COMMENT ON COLUMN prediction.document IS 'each flag that was expected, found, missed or not expected, and doubts; null: from before it was kept';

CREATE TRIGGER stays BEFORE DELETE OR UPDATE ON prediction FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
