-- What was said stays: a rerun's decision is a row of its own that names the one it replaces.
-- depends: 0032_removals

CREATE SEQUENCE said;

COMMENT ON SEQUENCE said IS 'order of all that is said of figures: what has a smaller number was said before, whatever a clock said';

CREATE TABLE decision (
  said       bigint PRIMARY KEY DEFAULT nextval('said'),
  suspicion  bigint NOT NULL REFERENCES suspicion,
  stand      stand_kind NOT NULL,
  boots      integer NOT NULL,
  p          double precision,
  decided_by bigint NOT NULL REFERENCES comparison,
  at         timestamptz NOT NULL DEFAULT now(),
  replaces   bigint UNIQUE REFERENCES decision
);

CREATE INDEX decision_suspicion ON decision (suspicion, said);

COMMENT ON TABLE decision IS 'what a rerun says of a suspicion; the last one counts, and the others stay as they were said';

COMMENT ON COLUMN decision.boots IS 'rerun boots a side so far, the smaller side';

COMMENT ON COLUMN decision.p IS 'of no change at all, over the rerun boots and allowing for the rounds';

COMMENT ON COLUMN decision.decided_by IS 'the comparison of the rerun: its verdict rows have the figures, the boots and the judge';

COMMENT ON COLUMN decision.replaces IS 'the decision that it takes the place of; null: it is the first';

ALTER TABLE comparison ADD COLUMN said bigint;

ALTER TABLE comparison ADD COLUMN judge text;

COMMENT ON COLUMN comparison.said IS 'its place in the order of all that is said';

COMMENT ON COLUMN comparison.judge IS 'version of vlag and of its method that judged it; null: from before it was kept';

ALTER TABLE suspicion ADD COLUMN said bigint;

ALTER TABLE multiple_testing ADD COLUMN said bigint;

-- Of the decisions that were overwritten the reruns' own verdicts are still there.
CREATE TEMPORARY TABLE taken AS
SELECT row_number() OVER (ORDER BY x.at, x.kind, x.id, x.suspicion) AS said, x.*
FROM (
  SELECT 1 AS kind, c.id, c.created_at AS at, NULL::bigint AS suspicion, NULL::stand_kind AS stand,
    NULL::integer AS boots, NULL::double precision AS p
  FROM comparison c
  UNION ALL
  SELECT 2, s.id, s.created_at, NULL, NULL, NULL, NULL FROM suspicion s
  UNION ALL
  SELECT 4, m.id, m.created_at, NULL, NULL, NULL, NULL FROM multiple_testing m
  UNION ALL
  SELECT 3, d.id, max(d.at) OVER (PARTITION BY d.suspicion ORDER BY d.id), d.suspicion, d.stand, d.boots, d.p
  FROM (
    SELECT r.id, r.created_at AS at, s.id AS suspicion, f.stand, least(f.n_base, f.n_new) AS boots, f.p_zero AS p
    FROM suspicion s
    JOIN comparison r ON r.stage = 'confirm' AND r.board_type = s.board_type AND r.base_kernel = s.base_kernel
      AND r.new_kernel = s.new_kernel AND r.base_knobs = s.base_knobs AND r.new_knobs = s.new_knobs
      AND r.id < s.decided_by
    JOIN verdict f ON f.comparison = r.id AND f.benchmark = s.benchmark AND f.parameters = s.parameters
      AND f.metric = s.metric AND f.statistic = s.statistic AND coalesce(f.conditions, '') = s.conditions
    WHERE f.stand IS NOT NULL AND least(f.n_base, f.n_new) <= s.boots
    UNION ALL
    SELECT s.decided_by, s.changed_at, s.id, s.stand, s.boots, s.p FROM suspicion s WHERE s.decided_by IS NOT NULL
  ) d
) x;

INSERT INTO decision (said, suspicion, stand, boots, p, decided_by, at, replaces)
SELECT t.said, t.suspicion, t.stand, t.boots, t.p, t.id, t.at, lag(t.said) OVER (PARTITION BY t.suspicion ORDER BY t.said)
FROM taken t WHERE t.kind = 3 ORDER BY t.said;

UPDATE comparison c SET said = t.said FROM taken t WHERE t.kind = 1 AND t.id = c.id;

UPDATE suspicion s SET said = t.said FROM taken t WHERE t.kind = 2 AND t.id = s.id;

UPDATE multiple_testing m SET said = t.said FROM taken t WHERE t.kind = 4 AND t.id = m.id;

DO $$ BEGIN PERFORM setval('said', (SELECT greatest(max(t.said), 1) FROM taken t)); END $$;

DROP TABLE taken;

ALTER TABLE comparison ALTER COLUMN said SET DEFAULT nextval('said'), ALTER COLUMN said SET NOT NULL, ADD UNIQUE (said);

ALTER TABLE suspicion ALTER COLUMN said SET DEFAULT nextval('said'), ALTER COLUMN said SET NOT NULL, ADD UNIQUE (said);

ALTER TABLE multiple_testing ALTER COLUMN said SET DEFAULT nextval('said'), ALTER COLUMN said SET NOT NULL, ADD UNIQUE (said);

ALTER TABLE suspicion DROP COLUMN stand, DROP COLUMN boots, DROP COLUMN p, DROP COLUMN decided_by, DROP COLUMN changed_at;

COMMENT ON TABLE suspicion IS 'a change that a screen or a history saw; decisions of reruns say what became of it';

-- Names move on (a metric, a series, a baseline); what was said of a figure does not.
CREATE FUNCTION refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what was said stays: % of table % is refused', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'integrity_constraint_violation', HINT = 'compare again: that adds rows, and they say what they replace';
END $$;

CREATE TRIGGER stays BEFORE DELETE OR UPDATE OF comparison, statistic, unit, direction, base_value, new_value, effect, ci_low,
  ci_high, n_base, n_new, p, p_zero, verdict, reason, hint, base_runs, new_runs, base_achieved, base_expected, new_achieved,
  new_expected, base_marked, new_marked, boots_needed, suspect, confirmable, stand, conditions
ON verdict FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

CREATE TRIGGER stays BEFORE DELETE OR UPDATE OF comparison, unit, p, suspect, worse, better, headline, quantiles, unknown,
  base_achieved, new_achieved
ON shift FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

CREATE TRIGGER stays BEFORE DELETE OR UPDATE OF id, inputs, base_kernel, new_kernel, board_type, base_knobs, new_knobs, plan, stage,
  round, scope, synthetic, failed_builds, failed_runs, said, judge
ON comparison FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

CREATE TRIGGER stays BEFORE DELETE OR UPDATE OF base_kernel, new_kernel, base_knobs, new_knobs, board_type, statistic, conditions,
  worse, hint, raised_by, said
ON suspicion FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

CREATE TRIGGER stays BEFORE DELETE OR UPDATE ON decision FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

CREATE TRIGGER stays BEFORE DELETE OR UPDATE ON multiple_testing FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

CREATE TRIGGER stays BEFORE DELETE OR UPDATE ON multiple_testing_verdict FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
