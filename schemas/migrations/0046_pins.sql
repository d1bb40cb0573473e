-- A person says which alert tells a figure, whatever the automatic grouping would do.
-- depends: 0045_search_progress

CREATE TABLE alert_pin (
  scope     char(64) NOT NULL,
  benchmark text NOT NULL,
  alert     bigint NOT NULL REFERENCES alert (id),
  was       bigint REFERENCES alert (id),
  PRIMARY KEY (scope, benchmark)
);

CREATE INDEX alert_pin_alert ON alert_pin USING btree (alert);

CREATE INDEX alert_pin_was ON alert_pin USING btree (was);

COMMENT ON TABLE alert_pin IS 'which alert tells of a benchmark of some heads, as people have split and joined alerts; until that alert is withdrawn';

COMMENT ON COLUMN alert_pin.scope IS 'digest of branch, series, variant, knobs, board type and base';

COMMENT ON COLUMN alert_pin.was IS 'the alert that told of it before; null: the same';

CREATE TRIGGER newer BEFORE INSERT OR UPDATE OR DELETE ON alert_pin
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

ALTER TABLE alert_event DROP CONSTRAINT alert_event_action_check;

ALTER TABLE alert_event ADD CONSTRAINT alert_event_action_check
  CHECK (action IN ('opened', 'reopened', 'withdrawn', 'told', 'triaged', 'muted', 'unmuted', 'split', 'joined'));
