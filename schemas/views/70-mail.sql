-- What did not reach people, without their addresses.

CREATE VIEW undelivered AS
SELECT m.channel, s.state, count(*) AS messages, min(m.created_at) AS since
FROM public.message m
CROSS JOIN LATERAL (SELECT CASE WHEN m.state IN ('queued', 'handing over') THEN 'waiting' ELSE 'given up' END AS state) s
WHERE m.state <> 'sent'
  AND CASE s.state
    -- One that was just queued is no news.
    WHEN 'waiting' THEN m.attempts > 0 OR m.created_at < now() - interval '1 hour'
    -- A later message that arrived has said what was missed.
    ELSE NOT EXISTS (
      SELECT FROM public.message n
      WHERE (n.channel, n.recipient) = (m.channel, m.recipient) AND n.id > m.id AND n.state = 'sent')
  END
GROUP BY m.channel, s.state;

COMMENT ON VIEW undelivered IS 'messages that did not reach their recipients, by channel and state';
COMMENT ON COLUMN undelivered.state IS 'waiting: an attempt failed, or nobody has sent it for an hour; given up: and nothing later has reached the recipient';
COMMENT ON COLUMN undelivered.since IS 'when the oldest of them was queued';

CREATE VIEW night_message AS
SELECT m.night, m.channel, m.state, count(*) AS messages
FROM public.message m WHERE m.night IS NOT NULL GROUP BY m.night, m.channel, m.state;

COMMENT ON VIEW night_message IS 'how many messages a night has sent, without their recipients';
