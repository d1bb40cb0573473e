-- Years of a farm: kernels along branches, their boots on board types, comparisons and verdicts.
-- bench.size holds how many commits each branch has, and the day of the newest comparisons.
-- Statements run in order, one at a time.

SELECT setseed(0.42);

CREATE SCHEMA IF NOT EXISTS bench;

CREATE TABLE bench.metric AS
SELECT * FROM (VALUES
  ('stress-ng-switch', 'bogo-ops-rate', '1/s', 'higher', 4, 60000.0, false),
  ('stress-ng-switch', 'time-per-switch', 'ns', 'lower', 4, 2200.0, false),
  ('hackbench-pipe', 'time', 's', 'lower', 30, 12.0, false),
  ('schbench', 'rps', '1/s', 'higher', 20, 4000.0, false),
  ('schbench', 'wakeup-mean', 'us', 'lower', 20, 90.0, false),
  ('sysbench-threads', 'events-rate', '1/s', 'higher', 10, 3000.0, false),
  ('sysbench-threads', 'latency-mean', 'ms', 'lower', 10, 1.7, false),
  ('sysbench-threads', 'latency-p95', 'ms', 'lower', 10, 2.4, false),
  ('perf-bench-pipe', 'ops-rate', '1/s', 'higher', 10, 150000.0, false),
  ('perf-bench-pipe', 'time', 's', 'lower', 11, 6.5, false),
  ('perf-bench-pipe', 'time-per-op', 'us', 'lower', 10, 6.6, false),
  ('cyclictest-hackbench', 'latency', 'us', 'lower', 0, 60.0, true)
) m(benchmark, metric, unit, direction, numbers, level, histogram);

CREATE TABLE bench.statistic AS
SELECT * FROM (VALUES ('p50', 1.0), ('p90', 4.0), ('p99', 20.0), ('p99.9', 45.0), ('p99.99', 80.0), ('max', 120.0))
s(statistic, factor);

INSERT INTO board_type (name, arch, deterministic, cpus, limits) VALUES
  ('qemu-sim-2', 'x86_64', true, 2, 'no parallelism'),
  ('rpi5', 'arm64', false, 4, NULL),
  ('altra', 'arm64', false, 80, NULL),
  ('x86-480', 'x86_64', false, 480, NULL);

INSERT INTO board (name, board_type)
SELECT t.name || '-' || i, t.name FROM board_type t, generate_series(1, 2) i;

-- Three trees of eight branches, each commit plain and with a patch series; a baseline a tree.
CREATE TABLE bench.kernel AS
SELECT
  row_number() OVER (ORDER BY n, t.tree, b, patched)::bigint AS id, t.tree, b, n, patched,
  CASE b WHEN 0 THEN 'v6.6.78' ELSE 'linux-6.' || b || '.y' END AS branch,
  encode(sha256(format('%s %s %s', t.tree, b, n)::bytea), 'hex') AS sha,
  s.day - interval '2 days' - (s.commits - n) * (interval '1095 days' / s.commits) AS at
FROM bench.size s, (VALUES ('tip'), ('stable'), ('vendor')) t(tree), generate_series(0, 8) b,
  generate_series(1, s.commits) n, generate_series(0, 1) patched
WHERE b > 0 OR n = 1 AND patched = 0;

INSERT INTO kernel (
  id, digest, tree, branch, commit, describe, subject, committed_at, series, application, variant, arch, kconfig, patches)
OVERRIDING SYSTEM VALUE
SELECT
  id, encode(sha256(format('%s %s', sha, patched)::bytea), 'hex'), tree, branch, left(sha, 40),
  CASE WHEN b = 0 THEN branch WHEN n % 10 = 0 THEN format('v6.%s.%s', b, n)
       ELSE format('v6.%s.%s-%s-g%s', b, n / 10 * 10, n % 10, left(sha, 12)) END,
  'sched: change number ' || n, at,
  CASE patched WHEN 1 THEN 'eevdf-lag' END, CASE patched WHEN 1 THEN 'full' ELSE 'none' END,
  'default', 'arm64', repeat('c', 64),
  CASE patched WHEN 1 THEN '[{"name": "0001-a.patch", "sha256": "a"}, {"name": "0002-b.patch", "sha256": "b"}]'::jsonb
       ELSE '[]' END
FROM bench.kernel;

INSERT INTO kernel_ref (kernel, tree, name, is_branch)
SELECT id, tree, branch, b > 0 FROM bench.kernel ORDER BY id;

-- One commit in twenty changes a comment: its image is that of the one before.
INSERT INTO build (
  kernel, bundle_digest, outcome, release, image_sha256, config_sha256, toolchain, started_at, finished_at, location, document)
SELECT
  id, encode(sha256(format('build %s', id)::bytea), 'hex'), 'complete', format('6.%s.%s', b, n / 10 * 10),
  encode(sha256(format('%s %s %s %s', tree, b, CASE WHEN n % 20 = 0 THEN n - 1 ELSE n END, patched)::bytea), 'hex'),
  repeat('c', 64), 'gcc 14.2', at, at + interval '10 minutes', '/var/vlag/builds/' || id,
  '{"reproduce": "vlag build"}'
FROM bench.kernel;

INSERT INTO series (key, benchmark, parameters, metric, unit, direction, tool, tool_version, defaults, board_type)
SELECT
  encode(sha256(format('%s %s %s', m.benchmark, m.metric, t.name)::bytea), 'hex'), m.benchmark,
  '{"instances": 4, "duration_s": 20}', m.metric, m.unit, m.direction::direction_kind,
  split_part(m.benchmark, '-', 1), '1.0', '{}', t.name
FROM bench.metric m, board_type t;

INSERT INTO run (
  bundle_digest, run_key, kernel, image_sha256, config_sha256, board, board_type, plan, benchmark, parameters, seed, knobs,
  outcome, reason, started_at, finished_at, estimate_s, environment, health, location, executor, synthetic, document)
SELECT
  encode(sha256(format('%s %s %s %s', k.id, t.name, m.benchmark, seed)::bytea), 'hex'),
  encode(sha256(format('%s %s %s %s', k.id, t.name, m.benchmark, seed)::bytea), 'hex'),
  k.id, b.image_sha256, b.config_sha256, t.name || '-' || 1 + seed % 2, t.name, 'nightly', m.benchmark,
  '{"instances": 4, "duration_s": 20}', seed, '{}',
  CASE WHEN x.bad THEN 'panic' ELSE 'complete' END::outcome_kind, CASE WHEN x.bad THEN 'Kernel panic' END,
  x.at - interval '90 seconds', x.at, 80, '{"/proc/version": "Linux version 6.6", "microcode": "0x1"}',
  CASE WHEN x.bad THEN '[{"kind": "warning", "line": 7, "text": "WARNING: at kernel/sched/fair.c", "phase": "benchmark"}]'::jsonb
       ELSE '[]' END,
  '/var/vlag/runs/' || k.id, '{"program": "lava", "lab": "farm", "job": "12345"}', false,
  '{"output": "raw/output.txt", "reproduce": "vlag run"}'
FROM bench.kernel k
JOIN build b ON b.kernel = k.id
CROSS JOIN board_type t
CROSS JOIN (SELECT DISTINCT benchmark FROM bench.metric) m
CROSS JOIN generate_series(1, 5) seed
CROSS JOIN LATERAL (SELECT k.at + interval '1 day' + random() * interval '6 hours' AS at, random() < 0.005 AS bad WHERE seed > 0) x
ORDER BY x.at;

-- Each branch steps by 6 % at its fortieth commit in a hundred.
CREATE TABLE bench.level AS
SELECT r.id AS run, s.id AS series, m.benchmark, m.numbers, m.histogram, r.finished_at,
  m.level * (1 + 0.3 * (t.cpus::float / 480)) * (1 + 0.01 * (random() + random() + random() - 1.5))
  * CASE WHEN k.n * 100 > 40 * z.commits THEN 1.06 ELSE 1 END AS level
FROM bench.size z, run r
JOIN bench.kernel k ON k.id = r.kernel
JOIN board_type t ON t.name = r.board_type
JOIN bench.metric m ON m.benchmark = r.benchmark
JOIN series s ON s.benchmark = m.benchmark AND s.metric = m.metric AND s.board_type = r.board_type
WHERE r.outcome = 'complete';

INSERT INTO sample (run, series, values, instances)
SELECT run, series, ARRAY(SELECT level * (0.98 + 0.04 * random()) FROM generate_series(1, numbers)), array_fill(''::text, ARRAY[numbers])
FROM bench.level WHERE NOT histogram;

INSERT INTO histogram (run, series, bounds, counts, overflow, overflow_from, maximum, instances, expected, achieved)
SELECT l.run, l.series, x.bounds, x.counts, '{0,1}', 2000, '{1990,2400}', '{0,1}', 40000, 39990
FROM bench.level l
JOIN (
  SELECT i, ARRAY(SELECT j * 16 FROM generate_series(0, 119) j) AS bounds,
    ARRAY(SELECT ARRAY(
      SELECT (5000 * exp(-j / (8.0 + i / 5.0)) + 3 * random())::bigint FROM generate_series(0, 119) j WHERE instance >= 0)
      FROM generate_series(0, 1) instance) AS counts
  FROM generate_series(0, 19) i
) x ON x.i = l.run % 20
WHERE l.histogram;

INSERT INTO run_value (run, series, statistic, at, value)
SELECT run, series, 'median', finished_at, level FROM bench.level WHERE NOT histogram
UNION ALL
SELECT l.run, l.series, s.statistic, l.finished_at, l.level * s.factor * (0.95 + 0.1 * random())
FROM bench.level l, bench.statistic s WHERE l.histogram;

CREATE TABLE bench.boots AS
SELECT kernel, board_type, benchmark, array_agg(id ORDER BY seed) AS ids
FROM run WHERE outcome = 'complete' GROUP BY 1, 2, 3;

CREATE UNIQUE INDEX ON bench.boots (kernel, board_type, benchmark);

CREATE INDEX ON bench.kernel (tree, b, n, patched);

ANALYZE bench.boots;

ANALYZE bench.kernel;

-- Every kernel against the baseline of its tree, every plain one against its parent too.
INSERT INTO comparison (
  inputs, base_kernel, new_kernel, board_type, base_knobs, new_knobs, factors, failed_builds, failed_runs, notes, created_at,
  plan, stage, role, scope)
SELECT
  encode(sha256(format('%s %s %s', x.base, x.id, t.name)::bytea), 'hex'), x.base, x.id, t.name, '{}', '{}',
  '{"kernel": {"base": "a", "new": "b"}}', '{}',
  coalesce((SELECT array_agg(r.id) FROM run r WHERE r.kernel = x.id AND r.board_type = t.name AND r.outcome <> 'complete'), '{}'),
  '{}', x.at + interval '2 days', x.plan, 'screen', x.role,
  (SELECT jsonb_agg(DISTINCT jsonb_build_object('benchmark', m.benchmark, 'first', 1, 'last', 5)) FROM bench.metric m)
FROM (
  SELECT k.id, b.id AS base, k.at, 'nightly' AS plan, 'baseline' AS role
  FROM bench.kernel k JOIN bench.kernel b ON b.tree = k.tree AND b.b = 0 WHERE k.b > 0
  UNION ALL
  SELECT k.id, p.id, k.at, 'commit', 'parent'
  FROM bench.kernel k JOIN bench.kernel p ON (p.tree, p.b, p.n, p.patched) = (k.tree, k.b, k.n - 1, 0) WHERE k.b > 0 AND k.patched = 0
) x
CROSS JOIN board_type t
ORDER BY x.at, t.name;

CREATE TABLE bench.figure AS
SELECT m.benchmark, m.metric, m.unit, m.direction, m.level * coalesce(s.factor, 1) AS level, m.histogram, t.name AS board_type,
  coalesce(s.statistic, 'median') AS statistic, e.id AS series
FROM bench.metric m
CROSS JOIN board_type t
JOIN series e ON e.benchmark = m.benchmark AND e.metric = m.metric AND e.board_type = t.name
LEFT JOIN bench.statistic s ON m.histogram;

INSERT INTO verdict (
  comparison, benchmark, parameters, metric, statistic, series_base, series_new, unit, direction, base_value, new_value, effect,
  ci_low, ci_high, n_base, n_new, p, p_zero, verdict, reason, hint, base_runs, new_runs, suspect)
SELECT
  c.id, f.benchmark, '{"instances": 4, "duration_s": 20}', f.metric, f.statistic, f.series, f.series, f.unit,
  f.direction::direction_kind, f.level, f.level * (1 + x.effect), x.effect, x.effect - 0.01, x.effect + 0.01, 5, 5,
  CASE WHEN abs(x.effect) > 0.05 THEN 0.001 ELSE 0.4 END, CASE WHEN abs(x.effect) > 0.05 THEN 1e-6 ELSE 0.4 END,
  CASE WHEN abs(x.effect) < 0.02 THEN 'UNCHANGED' WHEN abs(x.effect) <= 0.05 THEN 'INCONCLUSIVE'
       WHEN (x.effect > 0) = (f.direction = 'lower') THEN 'REGRESSION' ELSE 'IMPROVEMENT' END::verdict_kind,
  'one sentence that says why', f.histogram AND c.board_type = 'qemu-sim-2', b.ids, n.ids, abs(x.effect) > 0.05
FROM comparison c
JOIN bench.figure f ON f.board_type = c.board_type
JOIN bench.boots b ON (b.kernel, b.board_type, b.benchmark) = (c.base_kernel, c.board_type, f.benchmark)
JOIN bench.boots n ON (n.kernel, n.board_type, n.benchmark) = (c.new_kernel, c.board_type, f.benchmark)
CROSS JOIN LATERAL (
  SELECT (random() + random() + random() - 1.5) * 0.02 + CASE WHEN random() < 0.03 THEN (random() - 0.5) * 0.3 ELSE 0 END AS effect
  WHERE c.id > 0
) x
ORDER BY c.id;

ANALYZE comparison;

ANALYZE verdict;

-- A rerun of what got worse, a comparison of its own.
INSERT INTO comparison (
  inputs, base_kernel, new_kernel, board_type, base_knobs, new_knobs, factors, failed_builds, failed_runs, notes, created_at,
  plan, stage, round, role)
SELECT
  encode(sha256(format('confirm %s', c.id)::bytea), 'hex'), c.base_kernel, c.new_kernel, c.board_type, '{}', '{}', '{}', '{}', '{}',
  '{}', c.created_at + interval '1 hour', c.plan, 'confirm', 1, c.role
FROM comparison c
WHERE EXISTS (SELECT FROM verdict v WHERE v.comparison = c.id AND v.verdict = 'REGRESSION' AND NOT v.hint);

INSERT INTO suspicion (
  base_kernel, new_kernel, base_knobs, new_knobs, board_type, benchmark, parameters, metric, statistic, worse, hint, raised_by)
SELECT DISTINCT ON (c.base_kernel, c.new_kernel, c.board_type, v.benchmark, v.metric, v.statistic)
  c.base_kernel, c.new_kernel, '{}'::jsonb, '{}'::jsonb, c.board_type, v.benchmark, v.parameters, v.metric, v.statistic,
  v.verdict = 'REGRESSION', v.hint, c.id
FROM verdict v
JOIN comparison c ON c.id = v.comparison AND c.stage = 'screen'
WHERE v.suspect;

INSERT INTO decision (suspicion, stand, boots, p, decided_by)
SELECT s.id,
  CASE WHEN NOT s.worse OR random() < 0.1 THEN 'open' WHEN random() < 0.6 THEN 'confirmed' ELSE 'refuted' END::stand_kind,
  10, 1e-5, d.id
FROM suspicion s
JOIN comparison d ON d.stage = 'confirm' AND (d.base_kernel, d.new_kernel, d.board_type) = (s.base_kernel, s.new_kernel, s.board_type);

INSERT INTO verdict (
  comparison, benchmark, parameters, metric, statistic, series_base, series_new, unit, direction, base_value, new_value, effect,
  ci_low, ci_high, n_base, n_new, p, p_zero, verdict, reason, hint, base_runs, new_runs, stand)
SELECT
  d.decided_by, v.benchmark, v.parameters, v.metric, v.statistic, v.series_base, v.series_new, v.unit, v.direction, v.base_value,
  v.new_value, v.effect, v.ci_low, v.ci_high, 10, 10, v.p, v.p_zero,
  CASE d.stand WHEN 'confirmed' THEN 'REGRESSION' WHEN 'refuted' THEN 'UNCHANGED' ELSE 'INCONCLUSIVE' END::verdict_kind,
  'a rerun of 10 boots a side', v.hint, v.base_runs, v.new_runs, d.stand
FROM suspicion s
JOIN decision d ON d.suspicion = s.id
JOIN verdict v ON v.comparison = s.raised_by AND v.benchmark = s.benchmark AND v.metric = s.metric AND v.statistic = s.statistic
WHERE s.worse;

INSERT INTO shift (comparison, benchmark, parameters, metric, unit, p, suspect, worse, better, headline, quantiles, unknown)
SELECT c.id, f.benchmark, '{"instances": 4, "duration_s": 20}', f.metric, f.unit, 0.3, false, false, false, 'no part of it moved',
  (SELECT jsonb_agg(jsonb_build_object('name', s.statistic, 'base', 60 * s.factor, 'new', 61 * s.factor, 'effect', 0.017,
    'low', -0.01, 'high', 0.04, 'p', 0.3, 'moved', false)) FROM bench.statistic s), '{}'
FROM comparison c JOIN bench.metric f ON f.histogram WHERE c.stage = 'screen';

INSERT INTO change_point (series, statistic, tree, branch, before_kernel, kernel, effect, ci_low, ci_high, cause, found_at, withdrawn_at)
SELECT f.series, f.statistic, k.tree, k.branch, p.id, k.id, 0.06, 0.05, 0.07, 'kernel', k.at + interval '3 days',
  CASE WHEN random() < 0.2 THEN k.at + interval '30 days' END
FROM bench.size z
JOIN bench.kernel k ON k.n = 40 * z.commits / 100 + 1 AND k.patched = 0 AND k.b > 0
JOIN bench.kernel p ON (p.tree, p.b, p.n, p.patched) = (k.tree, k.b, k.n - 1, 0)
CROSS JOIN bench.figure f
WHERE random() < 0.6;

INSERT INTO alert (
  key, kind, tree, branch, board_type, base_kernel, new_kernel, role, throughput, latency, title, body, triage, opened_at,
  changed_at, withdrawn_at)
SELECT
  encode(sha256(format('alert %s', c.id)::bytea), 'hex'), 'regression', k.tree, k.branch, c.board_type, c.base_kernel, c.new_kernel,
  c.role, 0.07, 0.2, 'slower', 'what got worse', CASE WHEN random() < 0.7 THEN 'fixed' ELSE 'new' END::triage_kind,
  c.created_at, c.created_at, CASE WHEN random() < 0.5 THEN c.created_at + interval '9 days' END
FROM comparison c
JOIN bench.kernel k ON k.id = c.new_kernel
WHERE c.stage = 'screen' AND c.role = 'parent'
  AND EXISTS (SELECT FROM suspicion s JOIN decision d ON d.suspicion = s.id WHERE s.raised_by = c.id AND d.stand = 'confirmed');

INSERT INTO alert_verdict (alert, verdict)
SELECT a.id, v.id
FROM alert a
JOIN comparison c ON (c.base_kernel, c.new_kernel, c.board_type) = (a.base_kernel, a.new_kernel, a.board_type) AND c.stage = 'screen'
JOIN verdict v ON v.comparison = c.id AND v.suspect AND v.verdict = 'REGRESSION';

INSERT INTO alert_text (alert, title, body, verdicts)
SELECT a.id, a.title, a.body, ARRAY(SELECT x.verdict FROM alert_verdict x WHERE x.alert = a.id ORDER BY x.verdict) FROM alert a;

INSERT INTO alert_event (alert, at, by, action, triage, why)
SELECT a.id, a.opened_at + i * interval '1 hour', 'the service', CASE i WHEN 0 THEN 'opened' ELSE 'triaged' END,
  CASE i WHEN 0 THEN NULL ELSE 'acknowledged'::triage_kind END, 'looked at it'
FROM alert a, generate_series(0, 3) i;

INSERT INTO night (key, started_at, finished_at, comparisons, branches, missing, notes)
SELECT 'night ' || d.day, d.day, d.day + interval '8 hours', d.ids, '[]', '{}', ARRAY['The night']
FROM (
  SELECT date_trunc('day', created_at) AS day, array_agg(id ORDER BY id) AS ids
  FROM comparison WHERE stage = 'screen' AND role = 'baseline' GROUP BY 1
) d;

INSERT INTO multiple_testing (key, q, tests, created_at)
SELECT encode(sha256(n.key::bytea), 'hex'), 0.05, 1000, n.finished_at FROM night n ORDER BY n.id;

UPDATE night n SET multiple_testing = f.id FROM multiple_testing f WHERE f.key = encode(sha256(n.key::bytea), 'hex');

INSERT INTO multiple_testing_verdict (multiple_testing, verdict, p, told)
SELECT n.multiple_testing, v.id, v.p, true
FROM night n, unnest(n.comparisons) c(id) JOIN verdict v ON v.comparison = c.id AND v.suspect;

-- A check a board and day.
INSERT INTO run (
  bundle_digest, run_key, kernel, image_sha256, config_sha256, board, board_type, plan, benchmark, parameters, seed, knobs,
  outcome, started_at, finished_at, estimate_s, environment, health, location, executor, synthetic, document)
SELECT
  x.sha, x.sha, (SELECT min(id) FROM bench.kernel WHERE b = 0), repeat('b', 64), repeat('c', 64), b.name, b.board_type, 'check', 'noise-floor', '{}', 1, '{}', 'complete',
  d - interval '20 seconds', d, 20, '{}', '[]', '/var/vlag/runs/check', '{}', false, '{}'
FROM board b
CROSS JOIN bench.size s
CROSS JOIN generate_series(s.day - interval '1095 days' + interval '3 hours', s.day, interval '1 day') d
CROSS JOIN LATERAL (SELECT encode(sha256(format('check %s %s', b.name, d)::bytea), 'hex') AS sha) x;

INSERT INTO board_check (board, run, conditions, finding, accepted, level, noise, band, sentence)
SELECT board, id, repeat('d', 64), CASE id % 50 WHEN 0 THEN 'level left' ELSE 'in band' END, id % 50 <> 0, 10 + random(), 1.2 + random() / 10,
  '{"levels": [{"low": 9.8, "high": 11.2}], "noises": [{"high": 1.4}]}', 'as it should be'
FROM run WHERE plan = 'check' ORDER BY finished_at, board;

INSERT INTO board_doubt (board, since, until, found_by)
SELECT c.board, r.finished_at - interval '1 day', r.finished_at, c.id
FROM board_check c JOIN run r ON r.id = c.run WHERE c.finding = 'level left';

INSERT INTO board_state (board, state, since, reason, by)
SELECT d.board, s.state, d.until, 'level left', 'check ' || d.found_by
FROM board_doubt d, (VALUES ('maintenance'), ('good')) s(state) ORDER BY d.id, s.state DESC;

DROP SCHEMA bench CASCADE;
