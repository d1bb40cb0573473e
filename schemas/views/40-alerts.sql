-- Alerts, nights, boards.

CREATE VIEW alert AS
SELECT
  a.id, a.kind, a.tree, a.branch, a.tree || '/' || a.branch AS branch_name,
  CASE WHEN a.role = 'parent' AND n.branch IS NOT NULL THEN n.branches ELSE array_remove(ARRAY[a.branch], NULL) END AS branches,
  a.board_type, a.board,
  CASE WHEN a.board_type IS NOT NULL THEN ARRAY[a.board_type] ELSE ARRAY(
    SELECT DISTINCT c.board_type FROM public.alert_verdict x
    JOIN public.verdict v ON v.id = x.verdict JOIN public.comparison c ON c.id = v.comparison
    WHERE x.alert = a.id ORDER BY 1
  ) END AS board_types,
  a.role, a.title, a.body, a.synthetic, a.triage::text AS triage, a.owner,
  a.opened_at, a.changed_at, a.withdrawn_at, a.muted_until, a.told_at, a.due,
  a.throughput, a.latency,
  a.base_kernel, a.new_kernel, b.name AS base, n.name AS new, n.commit,
  a.withdrawn_at IS NULL AND a.triage IN ('new', 'acknowledged', 'investigating') AS open,
  a.withdrawn_at IS NULL AND a.triage IN ('new', 'acknowledged', 'investigating')
    AND (a.muted_until IS NULL OR a.muted_until < now()) AS loud,
  coalesce(a.muted_until > now(), false) AS muted,
  (SELECT max(t.said) FROM public.alert_text t WHERE t.alert = a.id) AS said
FROM public.alert a
LEFT JOIN kernel b ON b.id = a.base_kernel
LEFT JOIN kernel n ON n.id = a.new_kernel;

COMMENT ON VIEW alert IS 'one cause that needs attention, for all metrics that it affects';
COMMENT ON COLUMN alert.branches IS 'the branches of the tree that it concerns: an alert about a commit concerns every branch of its kernel';
COMMENT ON COLUMN alert.board_types IS 'those of its figures, of whatever number; board_type is null where they are several';
COMMENT ON COLUMN alert.open IS 'neither withdrawn nor closed';
COMMENT ON COLUMN alert.loud IS 'open and not muted';
COMMENT ON COLUMN alert.muted IS 'nobody is told of it now, open or not';
COMMENT ON COLUMN alert.due IS 'the day by which its owner means to have dealt with it';
COMMENT ON COLUMN alert.said IS 'number of its text: a link with it shows later what the alert says now';

CREATE VIEW alert_event AS
SELECT e.id, e.alert, e.at, e.by, e.action, e.triage::text AS triage, e.why FROM public.alert_event e;

COMMENT ON VIEW alert_event IS 'history of an alert: action, person and reason';

CREATE VIEW alert_verdict AS
SELECT x.alert, v.* FROM public.alert_verdict x JOIN verdict v ON v.id = x.verdict;

CREATE VIEW alert_suspicion AS
SELECT DISTINCT x.alert, s.id AS suspicion
FROM public.alert_verdict x
JOIN public.verdict v ON v.id = x.verdict
JOIN public.comparison c ON c.id = v.comparison
JOIN public.suspicion s
  ON s.new_kernel = c.new_kernel AND s.new_knobs = c.new_knobs AND s.board_type = c.board_type
  AND s.benchmark = v.benchmark AND s.parameters = v.parameters
  AND s.metric = v.metric AND s.statistic = v.statistic AND s.worse
  -- What a commit has lost against its parent a branch's baseline shows too.
  AND (c.role = 'parent' OR s.base_kernel = c.base_kernel AND s.base_knobs = c.base_knobs)
WHERE s.said <= read_model.said();

COMMENT ON VIEW alert_suspicion IS 'the suspicions of what an alert stands on, whichever comparison raised them; restrict the alert or the suspicion';

CREATE VIEW alert_text AS
SELECT t.alert, t.said, t.at, t.title, t.body, t.verdicts FROM public.alert_text t;

COMMENT ON VIEW alert_text IS 'what an alert has said: the last one up to a number of the order of all that is said is what it said then';
COMMENT ON COLUMN alert_text.said IS 'its number';
COMMENT ON COLUMN alert_text.verdicts IS 'the figures that it stood on then';

CREATE VIEW alert_pin AS
SELECT p.alert, p.was, p.benchmark FROM public.alert_pin p;

COMMENT ON VIEW alert_pin IS 'a benchmark of some heads of which people have said that this alert tells';
COMMENT ON COLUMN alert_pin.was IS 'the alert that told of it before; null: the same';

COMMENT ON VIEW alert_verdict IS 'the figures behind an alert';

CREATE VIEW night AS
SELECT n.id, n.key, n.started_at, n.finished_at, n.comparisons, n.branches, n.missing, n.notes, n.url, n.report,
  f.tests, f.q,
  cardinality(n.comparisons) AS compared,
  n.conclusion
FROM public.night n LEFT JOIN multiple_testing f ON f.id = n.multiple_testing;

COMMENT ON VIEW night IS 'nights that have ended, successful or not';

CREATE VIEW board AS
SELECT b.name, b.board_type, t.arch, t.deterministic, t.cpus, t.limits,
  coalesce(s.state, 'good') AS state, s.since, s.reason, s.by,
  c.finding AS last_finding, c.sentence AS last_sentence, c.at AS last_checked
FROM public.board b
JOIN public.board_type t ON t.name = b.board_type
LEFT JOIN LATERAL (
  SELECT x.state, x.since, x.reason, x.by FROM board_state x WHERE x.board = b.name ORDER BY x.id DESC LIMIT 1
) s ON true
LEFT JOIN LATERAL (
  SELECT x.finding, x.sentence, r.finished_at AS at
  FROM public.board_check x JOIN public.run r ON r.id = x.run
  WHERE x.board = b.name ORDER BY x.id DESC LIMIT 1
) c ON true;

COMMENT ON VIEW board IS 'boards with their state and last check';

CREATE VIEW board_check AS
SELECT c.id, c.board, b.board_type, r.finished_at AS at, c.run, c.finding, c.accepted, c.level, c.noise,
  (c.band #>> '{levels,0,0}')::double precision AS level_low,
  (c.band #>> '{levels,0,1}')::double precision AS level_high,
  (c.band #>> '{noises,0,1}')::double precision AS noise_high,
  c.sentence
FROM public.board_check c
JOIN public.run r ON r.id = c.run
JOIN public.board b ON b.name = c.board;

COMMENT ON VIEW board_check IS 'one boot of the baseline kernel with the noise-floor benchmark';
