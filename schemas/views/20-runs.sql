-- Runs and their values.

CREATE VIEW series AS
SELECT
  s.id,
  s.benchmark,
  read_model.pairs(s.parameters) AS parameters,
  s.metric,
  s.unit,
  s.direction::text AS direction,
  s.tool,
  s.tool_version,
  s.board_type,
  s.benchmark || ' ' || s.metric AS name,
  read_model.is_latency(s.unit, s.direction) AS latency,
  s.joined_to
FROM public.series s;

COMMENT ON VIEW series IS 'measured quantities; values are compared only within one time series';
COMMENT ON COLUMN series.joined_to IS 'the time series that has its runs now, after its metric was renamed; null: it has its own';
COMMENT ON COLUMN series.latency IS 'a time for which lower is better; false: throughput';

CREATE VIEW run AS
SELECT
  r.id,
  r.kernel,
  r.board,
  r.board_type,
  t.deterministic,
  t.limits,
  r.plan,
  r.benchmark,
  read_model.pairs(r.parameters) AS parameters,
  r.seed,
  read_model.pairs(r.knobs) AS knobs,
  r.observes,
  r.outcome::text AS outcome,
  r.reason,
  r.started_at,
  r.finished_at,
  date_part('epoch', r.finished_at - r.started_at) AS took_s,
  r.estimate_s,
  r.tool_version,
  r.emulator ->> 'program' AS emulator,
  r.emulator ->> 'version' AS emulator_version,
  r.image_sha256,
  r.config_sha256,
  public.in_state(r.location) AS location,
  r.executor ->> 'program' AS executor,
  r.executor ->> 'lab' AS lab,
  r.executor ->> 'job' AS job,
  r.document ->> 'output' AS output,
  r.document ->> 'reproduce' AS reproduce,
  r.synthetic,
  jsonb_array_length(r.health) AS alarms,
  coalesce(r.suspect, CASE
    -- As run_in_doubt has it, which looks at every run of a board: few fall into a span.
    WHEN d.spans && tstzrange(least(r.started_at, r.finished_at), greatest(r.started_at, r.finished_at), '[]') THEN (
      SELECT c.sentence FROM board_doubt d JOIN public.board_check c ON c.id = d.found_by
      WHERE d.board = r.board AND d.lifted_at IS NULL AND NOT r.synthetic
        AND (d.since IS NULL OR r.finished_at > d.since)
        AND (d.until IS NULL OR r.started_at < d.until)
      ORDER BY d.id LIMIT 1
    )
  END) AS left_out,
  read_model.is_marked(r.health) AS marked,
  r.bundle_digest AS digest
FROM public.run r
-- What asks for no column of these two is spared the join: no run has two of them.
LEFT JOIN board_type t ON t.name = r.board_type
LEFT JOIN (
  SELECT x.board, range_agg(tstzrange(CASE WHEN x.since < x.until IS NOT FALSE THEN x.since END, x.until, '()')) AS spans
  FROM board_doubt x WHERE x.lifted_at IS NULL GROUP BY x.board
) d ON d.board = r.board;

COMMENT ON VIEW run IS 'one boot of one kernel on one board';
COMMENT ON COLUMN run.observes IS 'what an extra boot observes; no comparison, history or prior uses it; null: a scored boot';
COMMENT ON COLUMN run.left_out IS 'reason why comparisons exclude it; null: it counts';
COMMENT ON COLUMN run.digest IS 'identity of the bundle: equal in every database';
COMMENT ON COLUMN run.alarms IS 'number of kernel alarms on the console';
COMMENT ON COLUMN run.marked IS 'a kernel alarm occurred during setup or measurement; its figures count and are marked';
COMMENT ON COLUMN run.took_s IS 'host time from start to end; estimate_s is the estimate';
COMMENT ON COLUMN run.output IS 'raw output of the tool, below location; null: the run failed earlier';
COMMENT ON COLUMN run.reproduce IS 'command that reproduces it';
COMMENT ON COLUMN run.plan IS 'null: started by hand';
COMMENT ON COLUMN run.seed IS 'seed of the small perturbation that makes each boot a separate observation';

CREATE VIEW removal AS
SELECT x.run, b.kernel, public.in_state(coalesce(r.location, b.location)) AS location, x.at, x.why
FROM public.removal x
LEFT JOIN public.run r ON r.id = x.run
LEFT JOIN public.build b ON b.id = x.build;

COMMENT ON VIEW removal IS 'bundles that vlag gc has removed: of a run, or of a build of a kernel';
COMMENT ON COLUMN removal.run IS 'null: it was a build';
COMMENT ON COLUMN removal.why IS 'the rule that removed it';

-- The same from the other end: a doubt reads the runs of its own span, and `run` the doubts.
CREATE VIEW left_out AS
SELECT r.id AS run, r.board, r.benchmark, r.finished_at, r.synthetic, r.suspect AS why
FROM public.run r
WHERE r.suspect IS NOT NULL
UNION ALL
SELECT r.id, r.board, r.benchmark, r.finished_at, r.synthetic, c.sentence
FROM board_doubt d
JOIN public.board_check c ON c.id = d.found_by
CROSS JOIN LATERAL (
  SELECT x.id, x.board, x.benchmark, x.finished_at, x.synthetic
  FROM public.run x
  WHERE x.board = d.board AND NOT x.synthetic
    AND x.finished_at > coalesce(d.since, '-infinity') AND x.started_at < coalesce(d.until, 'infinity')
    -- What had begun by then ended no later than this, and an index knows when runs ended.
    AND x.finished_at <= coalesce(d.until, 'infinity') + make_interval(
      secs => (SELECT max(date_part('epoch', y.finished_at - y.started_at)) FROM public.run y))
  OFFSET 0  -- or the planner would hold every run against every doubt
) r
WHERE d.lifted_at IS NULL;

COMMENT ON VIEW left_out IS 'runs that comparisons exclude, one row per run and reason; for a single run query the view run';
COMMENT ON COLUMN left_out.why IS 'inconsistent data of the run, or the finding of a board check';

CREATE VIEW run_health AS
SELECT r.id AS run, h.ord::integer AS number, h.value ->> 'kind' AS kind, h.value ->> 'text' AS text,
  (h.value ->> 'line')::integer AS line, h.value ->> 'phase' AS phase
FROM public.run r, jsonb_array_elements(r.health) WITH ORDINALITY AS h(value, ord);

COMMENT ON VIEW run_health IS 'kernel alarms on the console of a run: warnings, oopses, stalls and taints';

CREATE VIEW run_environment AS
SELECT r.id AS run, e.key AS name, e.value
FROM public.run r, jsonb_each_text(r.environment) AS e;

COMMENT ON VIEW run_environment IS 'environment of the board, one row per file or section';

CREATE VIEW run_value AS
SELECT v.run, v.series, v.statistic, v.at, v.value FROM public.run_value v;

COMMENT ON VIEW run_value IS 'one number per boot, series and statistic, in the unit of the series';

CREATE VIEW sample AS
SELECT x.run, x.series, p.instance, (p.ord - 1)::integer AS place, p.value
FROM public.sample x
CROSS JOIN LATERAL unnest(x.values, x.instances) WITH ORDINALITY AS p(value, instance, ord);

COMMENT ON VIEW sample IS 'each number that a tool printed, in the unit of the series; restrict run or series first';
COMMENT ON COLUMN sample.instance IS 'what the tool tells apart in one run, a thread or a CPU; empty: nothing';
COMMENT ON COLUMN sample.place IS 'order in which the tool printed them, from 0';

-- Does not use kernel_run and run_in_doubt, so that PostgreSQL finds the runs of a branch by its
-- kernels.  Run and series have the same benchmark and board type: an index contains them.
CREATE VIEW history AS
SELECT
  v.at,
  v.value,
  v.series,
  v.statistic,
  v.run,
  k.id AS kernel,
  k.tree,
  k.committed_at,
  k.commit,
  k.series AS patches,
  k.application,
  k.variant,
  read_model.pairs(r.knobs) AS knobs,
  r.board,
  r.board_type,
  r.seed,
  r.synthetic,
  read_model.is_marked(r.health) AS marked
FROM public.series s
JOIN public.run_value v ON v.series = s.id
JOIN public.run r ON r.id = v.run AND r.board_type = s.board_type AND r.benchmark = s.benchmark
JOIN public.kernel k ON k.id = r.kernel
WHERE r.suspect IS NULL AND r.observes IS NULL
  AND NOT EXISTS (
    SELECT FROM board_doubt d
    WHERE d.board = r.board AND d.lifted_at IS NULL AND NOT r.synthetic
      AND (d.since IS NULL OR r.finished_at > d.since)
      AND (d.until IS NULL OR r.started_at < d.until)
  )
UNION ALL
SELECT
  v.at,
  v.value,
  v.series,
  v.statistic,
  v.run,
  k.id,
  k.tree,
  k.committed_at,
  k.commit,
  k.series,
  k.application,
  k.variant,
  read_model.pairs(r.knobs),
  r.board,
  r.board_type,
  r.seed,
  r.synthetic,
  read_model.is_marked(r.health)
FROM public.series s
JOIN board_type t ON t.name = s.board_type AND t.deterministic
JOIN public.run_value v ON v.series = s.id
JOIN public.run r ON r.id = v.run AND r.board_type = s.board_type AND r.benchmark = s.benchmark
JOIN build b ON b.image_sha256 = r.image_sha256 AND b.config_sha256 = r.config_sha256
  AND b.outcome = 'complete' AND b.kernel <> r.kernel
JOIN public.kernel k ON k.id = b.kernel
WHERE r.suspect IS NULL AND r.observes IS NULL
  -- One of several builds with the same image is enough.
  AND NOT EXISTS (
    SELECT FROM build a
    WHERE a.kernel = b.kernel AND a.id < b.id AND a.outcome = 'complete'
      AND a.image_sha256 = b.image_sha256 AND a.config_sha256 = b.config_sha256
  )
  AND NOT EXISTS (
    SELECT FROM board_doubt d
    WHERE d.board = r.board AND d.lifted_at IS NULL AND NOT r.synthetic
      AND (d.since IS NULL OR r.finished_at > d.since)
      AND (d.until IS NULL OR r.started_at < d.until)
  );

COMMENT ON VIEW history IS 'one row per boot, statistic and kernel; restrict series and statistic first';
COMMENT ON COLUMN history.kernel IS 'restrict it to the kernels of a branch by the view kernel_branch';
COMMENT ON COLUMN history.patches IS 'patch series of the kernel, null: none';
COMMENT ON COLUMN history.at IS 'end of the boot; committed_at is the time of the commit';
COMMENT ON COLUMN history.marked IS 'a kernel alarm occurred during setup or measurement';

-- Buckets of a run's histogram, all threads together.
CREATE VIEW histogram_bucket AS
SELECT h.run, h.series, b.lower_bound, b.count, b.beyond
FROM public.histogram h
CROSS JOIN LATERAL (
  SELECT h.bounds[1 + (c.ord - 1) % cardinality(h.bounds)] AS lower_bound, sum(c.count)::bigint AS count, false AS beyond
  FROM unnest(h.counts) WITH ORDINALITY AS c(count, ord)
  GROUP BY 1
  UNION ALL
  SELECT h.overflow_from, sum(o.count)::bigint, true
  FROM unnest(h.overflow) AS o(count)
  HAVING sum(o.count) > 0
) b;

COMMENT ON VIEW histogram_bucket IS 'number of samples in the bucket that begins at lower_bound, in the unit of the series; restrict run or series first';
COMMENT ON COLUMN histogram_bucket.beyond IS 'overflow: all samples from lower_bound on, which the tool did not resolve';
