-- People follow alerts by patterns, and an alert's owner says by when.
-- depends: 0041_modes

CREATE TABLE subscription (
  name     text PRIMARY KEY,
  told     bigint NOT NULL,
  digested date NOT NULL
);

COMMENT ON TABLE subscription IS 'how far the followers of the settings have been told; the settings say who they are and what they follow';

COMMENT ON COLUMN subscription.told IS 'the last event of an alert that was looked at for it';

COMMENT ON COLUMN subscription.digested IS 'the Monday of the last week of which it was told as a digest, or in which it was new';

CREATE TRIGGER newer BEFORE INSERT OR UPDATE OR DELETE ON subscription
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

-- A follower's webhook is a channel of its own.
ALTER TABLE message DROP CONSTRAINT message_channel_check;

ALTER TABLE message ADD CONSTRAINT message_channel_check
  CHECK (channel IN ('mail', 'webhook') OR channel LIKE 'webhook:%');

ALTER TABLE alert ADD COLUMN due date;

COMMENT ON COLUMN alert.due IS 'the day by which its owner means to have dealt with it; null: nobody has said';
