DROP TABLE message;
DROP TABLE alert_event;
DROP TABLE alert_verdict;
DROP TABLE alert;
DROP TYPE triage_kind;
