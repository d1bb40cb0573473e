DROP TABLE alert_text;
