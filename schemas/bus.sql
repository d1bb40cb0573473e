-- What several masters tell each other (master/multimaster/bus.py), in Buildbot's own database.
-- Run at each start of such a master; an installation with one master has none of it.
CREATE SCHEMA IF NOT EXISTS bus;

CREATE TABLE IF NOT EXISTS bus.message (
    -- Rises in the order of the commits: who writes holds a lock.
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sent   timestamptz NOT NULL DEFAULT now(),
    sender text NOT NULL,               -- one life of one master
    number bigint,                      -- the sender's own; null: of an older version
    key    text[] NOT NULL,             -- Buildbot's routing key
    data   json NOT NULL
);

CREATE INDEX IF NOT EXISTS message_sent ON bus.message (sent);

-- A sender that has not heard that a message was written writes it again.
ALTER TABLE bus.message ADD COLUMN IF NOT EXISTS number bigint;
CREATE UNIQUE INDEX IF NOT EXISTS message_number ON bus.message (sender, number);
