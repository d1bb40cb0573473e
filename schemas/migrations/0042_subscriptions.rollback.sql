ALTER TABLE alert DROP COLUMN due;
DELETE FROM message WHERE channel LIKE 'webhook:%';
ALTER TABLE message DROP CONSTRAINT message_channel_check;
ALTER TABLE message ADD CONSTRAINT message_channel_check CHECK (channel IN ('mail', 'webhook'));
DROP TABLE subscription;
