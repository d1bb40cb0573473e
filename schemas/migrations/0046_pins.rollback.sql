DELETE FROM alert_event WHERE action IN ('split', 'joined');

ALTER TABLE alert_event DROP CONSTRAINT alert_event_action_check;

ALTER TABLE alert_event ADD CONSTRAINT alert_event_action_check
  CHECK (action IN ('opened', 'reopened', 'withdrawn', 'told', 'triaged', 'muted', 'unmuted'));

DROP TABLE alert_pin;
