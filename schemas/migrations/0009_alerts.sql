-- What somebody must look at, who did, and what was sent to whom.
-- depends: 0008_shown

CREATE TYPE triage_kind AS ENUM ('new', 'acknowledged', 'investigating', 'fixed', 'invalid', 'wont_fix');

COMMENT ON TYPE triage_kind IS 'where people are with an alert; new: nobody has looked';

CREATE TABLE alert (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key          char(64) NOT NULL UNIQUE,
  kind         text NOT NULL CHECK (kind IN ('regression', 'no results', 'board')),
  tree         text,
  branch       text,
  board_type   text REFERENCES board_type,
  board        text REFERENCES board,
  base_kernel  bigint REFERENCES kernel,
  new_kernel   bigint REFERENCES kernel,
  change_point bigint REFERENCES change_point,
  role         text CHECK (role IN ('baseline', 'parent')),
  throughput   double precision,
  latency      double precision,
  title        text NOT NULL,
  body         text NOT NULL,
  synthetic    boolean NOT NULL DEFAULT false,
  triage       triage_kind NOT NULL DEFAULT 'new',
  owner        text,
  opened_at    timestamptz NOT NULL DEFAULT now(),
  changed_at   timestamptz NOT NULL DEFAULT now(),
  withdrawn_at timestamptz,
  muted_until  timestamptz,
  told_at      timestamptz,
  CHECK ((kind = 'regression') = (new_kernel IS NOT NULL)),
  CHECK ((kind = 'board') = (board IS NOT NULL))
);

COMMENT ON TABLE alert IS 'one cause that somebody must look at, however many metrics it hits';

COMMENT ON COLUMN alert.key IS 'digest of the cause: the culprit; or branch, board type and change point; or the board';

COMMENT ON COLUMN alert.base_kernel IS 'of a regression: what it was compared with when it was seen last';

COMMENT ON COLUMN alert.new_kernel IS 'the culprit where role is parent; else the newest kernel that shows it';

COMMENT ON COLUMN alert.role IS 'baseline: worse than the baseline; parent: one commit made it worse';

COMMENT ON COLUMN alert.throughput IS 'largest confirmed loss of work or time done, as a positive share; null: none';

COMMENT ON COLUMN alert.latency IS 'largest confirmed rise of a latency, as a positive share; null: none';

COMMENT ON COLUMN alert.withdrawn_at IS 'later data removed it; null: it stands';

COMMENT ON COLUMN alert.muted_until IS 'tells nobody until then; null: not muted';

COMMENT ON COLUMN alert.told_at IS 'when a message with it was first queued; null: nobody was told';

CREATE INDEX alert_open ON alert (branch, board_type) WHERE withdrawn_at IS NULL;

CREATE TABLE alert_verdict (
  alert   bigint NOT NULL REFERENCES alert,
  verdict bigint NOT NULL REFERENCES verdict,
  PRIMARY KEY (alert, verdict)
);

COMMENT ON TABLE alert_verdict IS 'what the alert stands on: the verdicts of when it was seen last';

CREATE TABLE alert_event (
  id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  alert  bigint NOT NULL REFERENCES alert,
  at     timestamptz NOT NULL DEFAULT now(),
  by     text NOT NULL,
  action text NOT NULL CHECK (action IN ('opened', 'reopened', 'withdrawn', 'told', 'triaged', 'muted', 'unmuted')),
  triage triage_kind,
  why    text NOT NULL
);

COMMENT ON TABLE alert_event IS 'what became of an alert, who did it and why; rows are never changed';

COMMENT ON COLUMN alert_event.by IS 'a person, or the service';

COMMENT ON COLUMN alert_event.triage IS 'of triaged: the new state';

CREATE INDEX alert_event_alert ON alert_event (alert, id);

CREATE TABLE message (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key        text NOT NULL UNIQUE,
  channel    text NOT NULL CHECK (channel IN ('mail', 'webhook')),
  recipient  text NOT NULL,
  subject    text NOT NULL,
  body       bytea NOT NULL,
  night      bigint REFERENCES night,
  state      text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'handing over', 'sent', 'unconfirmed', 'given up')),
  attempts   integer NOT NULL DEFAULT 0,
  next_at    timestamptz NOT NULL DEFAULT now(),
  said       text,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now()
);

COMMENT ON TABLE message IS 'what is sent to people; a row is queued in the transaction that makes it due, so that none is lost or made twice';

COMMENT ON COLUMN message.key IS 'what it is about and for whom: one message for one night and recipient';

COMMENT ON COLUMN message.body IS 'the whole mail as it goes over the wire, or the JSON of a webhook';

COMMENT ON COLUMN message.state IS 'handing over: its last byte may have gone out; unconfirmed: we stopped just then, and nobody knows whether it arrived, so it is not sent again by itself';

COMMENT ON COLUMN message.said IS 'what the other side said last';

CREATE INDEX message_due ON message (next_at) WHERE state IN ('queued', 'handing over');
