-- A mute is of what an alert was then.
-- depends: 0026_conditions

ALTER TABLE alert ADD COLUMN muted_at jsonb;

COMMENT ON COLUMN alert.muted_at IS 'benchmark -> size of its largest change when it was muted, as a log ratio; null: not muted, or muted before it was kept';
