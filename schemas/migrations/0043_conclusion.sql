-- What a night's mail and the pages conclude is on record, so that Grafana shows the same sentence.
-- depends: 0042_subscriptions

ALTER TABLE night ADD COLUMN conclusion text;

COMMENT ON COLUMN night.conclusion IS 'whether the branches are regressing, in a sentence without a stop, as of its end; null: it was not kept yet';
