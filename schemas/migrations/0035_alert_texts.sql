-- What an alert said stays: each text is a row of its own that names the one it replaces.
-- depends: 0034_prediction_rows

CREATE TABLE alert_text (
  said     bigint PRIMARY KEY DEFAULT nextval('said'),
  alert    bigint NOT NULL REFERENCES alert,
  title    text NOT NULL,
  body     text NOT NULL,
  verdicts bigint[] NOT NULL,
  at       timestamptz NOT NULL DEFAULT now(),
  replaces bigint UNIQUE REFERENCES alert_text
);

CREATE INDEX alert_text_alert ON alert_text (alert, said);

COMMENT ON TABLE alert_text IS 'what alerts said, a row for each change; the last one of an alert is its title and body, and the others stay as they were said';

COMMENT ON COLUMN alert_text.said IS 'its place in the order of all that is said';

COMMENT ON COLUMN alert_text.verdicts IS 'what the alert stood on then';

COMMENT ON COLUMN alert_text.replaces IS 'the text that it takes the place of; null: it is the first that was kept';

INSERT INTO alert_text (alert, title, body, verdicts, at)
SELECT a.id, a.title, a.body, ARRAY(SELECT x.verdict FROM alert_verdict x WHERE x.alert = a.id ORDER BY x.verdict), a.changed_at
FROM alert a ORDER BY a.id;

CREATE TRIGGER stays BEFORE DELETE OR UPDATE ON alert_text FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
