-- Current comparisons and verdicts.

CREATE VIEW comparison AS
SELECT
  c.id,
  c.created_at AS at,
  c.board_type,
  c.role,
  c.synthetic,
  c.plan,
  c.base_kernel,
  c.new_kernel,
  b.name AS base,
  n.name AS new,
  read_model.pairs(c.base_knobs) AS base_knobs,
  read_model.pairs(c.new_knobs) AS new_knobs,
  n.tree,
  n.branch,
  n.branch_name,
  n.branches,
  n.ref,
  n.series AS patches,
  n.application,
  n.variant,
  b.commit AS base_commit,
  n.commit AS new_commit,
  n.committed_at,
  n.subject,
  cardinality(c.failed_builds) + cardinality(c.failed_runs) AS failures,
  NOT EXISTS (
    SELECT FROM public.comparison later
    WHERE later.id > c.id AND later.board_type = c.board_type
      AND later.new_kernel = c.new_kernel AND later.base_kernel = c.base_kernel
      AND later.base_knobs = c.base_knobs AND later.new_knobs = c.new_knobs
      AND later.plan IS NOT DISTINCT FROM c.plan AND later.stage IS DISTINCT FROM 'confirm'
      -- A comparison of fewer benchmarks does not replace one of more.
      AND read_model.covers(later.scope, c.scope)
  ) AS current,
  c.factors,
  c.notes,
  c.scope,
  b.tree AS base_tree,
  (SELECT p.good FROM public.prediction p WHERE p.comparison = c.id AND p.said <= read_model.said()
    ORDER BY p.said DESC LIMIT 1) AS as_predicted,
  c.inputs AS digest,
  c.baseline
FROM public.comparison c
JOIN read_model.kernel b ON b.id = c.base_kernel
JOIN read_model.kernel n ON n.id = c.new_kernel
WHERE c.stage IS DISTINCT FROM 'confirm';

COMMENT ON VIEW comparison IS 'two kernels on one board type; the view verdict includes the results of a rerun';
COMMENT ON COLUMN comparison.branch IS 'first branch of the new kernel; null: it belongs to none; to select a branch, use kernel_branch';
COMMENT ON COLUMN comparison.as_predicted IS 'all is as the header of its patch predicts: part of the self-proof, not of the state of a branch; null: nothing is predicted';
COMMENT ON COLUMN comparison.digest IS 'identity: that of its runs and settings';
COMMENT ON COLUMN comparison.current IS 'no later comparison of the same two kernels, knobs and plan has all of its benchmarks';
COMMENT ON COLUMN comparison.role IS 'role of the base for the new kernel, baseline or parent; null: a person named both, or both are candidates';
COMMENT ON COLUMN comparison.baseline IS 'where role is baseline: tree and ref as the settings have it; null: recorded before it was kept, or by hand';
COMMENT ON COLUMN comparison.factors IS 'intended differences: factor -> {base, new}';
COMMENT ON COLUMN comparison.scope IS 'runs that counted: [{benchmark, parameters, first, last}], seeds first to last; []: all runs';
COMMENT ON COLUMN comparison.notes IS 'excluded runs with reasons';
COMMENT ON COLUMN comparison.failures IS 'builds and runs of either kernel that failed; the view failure lists them';

-- Suspicions with the last decision on each, of all that was said up to now or to an earlier moment.
CREATE VIEW decided AS
SELECT
  s.id, s.base_kernel, s.new_kernel, s.base_knobs, s.new_knobs, s.board_type, s.benchmark, s.parameters, s.metric, s.statistic,
  s.conditions, s.worse, s.hint, s.raised_by, s.created_at,
  coalesce(d.stand, 'open') AS stand, coalesce(d.boots, 0) AS boots, d.p, d.decided_by, coalesce(d.at, s.created_at) AS changed_at,
  d.said, d.replaces
FROM public.suspicion s
LEFT JOIN public.decision d ON d.suspicion = s.id AND d.said <= read_model.said()
  AND NOT EXISTS (SELECT FROM public.decision x WHERE x.replaces = d.said AND x.said <= read_model.said())
WHERE s.said <= read_model.said();

COMMENT ON VIEW decided IS 'suspicions, each with the decision that counts; the view suspicion names kernels and branches';
COMMENT ON COLUMN decided.said IS 'the number of that decision; null: no rerun yet';
COMMENT ON COLUMN decided.replaces IS 'the number of the decision that it replaces';

-- A branch's comparison with its baseline gets no rerun for what the commit's own with its parent has proven.
CREATE VIEW confirmed_with_parent AS
SELECT s.id AS suspicion, max(c.id) AS comparison
FROM public.suspicion s
JOIN public.comparison c
  ON c.new_kernel = s.new_kernel AND c.new_knobs = s.new_knobs AND c.board_type = s.board_type
  AND c.base_kernel <> s.base_kernel AND c.role = 'parent' AND c.stage IS DISTINCT FROM 'confirm'
  AND c.said <= read_model.said()
JOIN decided o
  ON o.base_kernel = c.base_kernel AND o.new_kernel = c.new_kernel
  AND o.base_knobs = c.base_knobs AND o.new_knobs = c.new_knobs AND o.board_type = c.board_type
  AND o.benchmark = s.benchmark AND o.parameters = s.parameters
  AND o.metric = s.metric AND o.statistic = s.statistic
  -- Boots of an old base may share less with those of the new kernel.
  AND (o.conditions = s.conditions OR '' IN (o.conditions, s.conditions))
  AND o.worse = s.worse AND NOT o.hint AND o.stand = 'confirmed'
JOIN public.verdict v
  ON v.comparison = c.id AND v.benchmark = o.benchmark AND v.parameters = o.parameters
  AND v.metric = o.metric AND v.statistic = o.statistic AND coalesce(v.conditions, '') = o.conditions
GROUP BY s.id;

COMMENT ON VIEW confirmed_with_parent IS 'suspicions of a change that a rerun has confirmed of the same kernel, board type, figure and way against its parent; restrict the suspicion';
COMMENT ON COLUMN confirmed_with_parent.comparison IS 'the newest comparison with the parent that has it';

CREATE VIEW verdict AS
SELECT
  v.id,
  v.comparison,
  c.board_type,
  v.benchmark,
  read_model.pairs(v.parameters) AS parameters,
  v.metric,
  v.statistic,
  v.benchmark || ' ' || v.metric || CASE v.statistic WHEN 'median' THEN '' ELSE ' ' || v.statistic END AS name,
  v.unit,
  v.direction::text AS direction,
  read_model.is_latency(v.unit, v.direction) AS latency,
  v.hint,
  s.stand::text AS stand,
  s.boots AS fresh_boots,
  coalesce(f.verdict, v.verdict)::text AS verdict,
  v.verdict::text AS screened,
  CASE
    WHEN f.id IS NOT NULL AND s.stand = 'refuted' THEN 'refuted'
    WHEN v.hint AND coalesce(f.verdict, v.verdict) IN ('REGRESSION', 'IMPROVEMENT', 'MARGINAL') THEN 'hint'
    WHEN v.hint THEN ''
    WHEN f.id IS NOT NULL AND s.stand = 'undecided' THEN ''
    WHEN f.id IS NOT NULL THEN 'confirmed'
    -- Changes that are certainly too small to matter wait for a rerun but are not listed.
    WHEN s.id IS NOT NULL AND v.confirmable
      AND (v.verdict IN ('REGRESSION', 'IMPROVEMENT') OR v.suspect AND v.verdict <> 'UNCHANGED')
      THEN 'suspected'
    WHEN v.verdict IN ('REGRESSION', 'IMPROVEMENT') THEN 'told'
    ELSE ''
  END AS standing,
  CASE WHEN f.id IS NULL THEN v.base_value ELSE f.base_value END AS base_value,
  CASE WHEN f.id IS NULL THEN v.new_value ELSE f.new_value END AS new_value,
  CASE WHEN f.id IS NULL THEN v.effect ELSE f.effect END AS effect,
  CASE WHEN f.id IS NULL THEN v.ci_low ELSE f.ci_low END AS ci_low,
  CASE WHEN f.id IS NULL THEN v.ci_high ELSE f.ci_high END AS ci_high,
  CASE WHEN f.id IS NULL THEN v.n_base ELSE f.n_base END AS n_base,
  CASE WHEN f.id IS NULL THEN v.n_new ELSE f.n_new END AS n_new,
  CASE WHEN f.id IS NULL THEN v.p ELSE f.p END AS p,
  read_model.worsening(CASE WHEN f.id IS NULL THEN v.effect ELSE f.effect END, v.direction) AS worsening,
  CASE WHEN f.id IS NULL THEN v.reason ELSE f.reason END AS reason,
  CASE WHEN f.id IS NULL THEN v.series_base ELSE f.series_base END AS series_base,
  CASE WHEN f.id IS NULL THEN v.series_new ELSE f.series_new END AS series_new,
  CASE WHEN f.id IS NULL THEN v.base_runs ELSE f.base_runs END AS base_runs,
  CASE WHEN f.id IS NULL THEN v.new_runs ELSE f.new_runs END AS new_runs,
  CASE WHEN f.id IS NULL THEN v.base_achieved ELSE f.base_achieved END AS base_achieved,
  CASE WHEN f.id IS NULL THEN v.base_expected ELSE f.base_expected END AS base_expected,
  CASE WHEN f.id IS NULL THEN v.new_achieved ELSE f.new_achieved END AS new_achieved,
  CASE WHEN f.id IS NULL THEN v.new_expected ELSE f.new_expected END AS new_expected,
  CASE WHEN f.id IS NULL THEN v.base_marked ELSE f.base_marked END AS base_marked,
  CASE WHEN f.id IS NULL THEN v.new_marked ELSE f.new_marked END AS new_marked,
  CASE WHEN f.id IS NULL THEN v.boots_needed ELSE f.boots_needed END AS boots_needed,
  (SELECT m.told FROM multiple_testing_verdict m JOIN multiple_testing t ON t.id = m.multiple_testing
    WHERE m.verdict = v.id AND t.said <= read_model.said() ORDER BY m.multiple_testing DESC LIMIT 1) AS stands,
  CASE WHEN f.id IS NULL THEN v.p_zero ELSE f.p_zero END AS p_zero,
  f.comparison AS decided_by,
  CASE WHEN f.id IS NOT NULL THEN v.effect END AS screened_effect,
  CASE WHEN f.id IS NOT NULL THEN v.ci_low END AS screened_ci_low,
  CASE WHEN f.id IS NOT NULL THEN v.ci_high END AS screened_ci_high,
  CASE WHEN f.id IS NOT NULL THEN v.base_value END AS screened_base_value,
  CASE WHEN f.id IS NOT NULL THEN v.new_value END AS screened_new_value,
  CASE WHEN f.id IS NOT NULL THEN v.n_base END AS screened_n_base,
  CASE WHEN f.id IS NOT NULL THEN v.n_new END AS screened_n_new,
  coalesce(v.conditions, '') AS conditions,
  CASE WHEN f.id IS NULL THEN c.judge ELSE (SELECT x.judge FROM public.comparison x WHERE x.id = f.comparison) END AS judge,
  CASE WHEN f.id IS NULL AND s.stand IN ('open', 'undecided')
    THEN (SELECT p.comparison FROM confirmed_with_parent p WHERE p.suspicion = s.id) END AS confirmed_by,
  CASE WHEN f.id IS NULL THEN v.mode ELSE f.mode END AS mode,
  CASE WHEN f.id IS NULL THEN v.conditional_effect ELSE f.conditional_effect END AS conditional_effect,
  CASE WHEN f.id IS NULL THEN v.conditional_low ELSE f.conditional_low END AS conditional_low,
  CASE WHEN f.id IS NULL THEN v.conditional_high ELSE f.conditional_high END AS conditional_high,
  s.id AS suspicion_id
FROM public.verdict v
JOIN public.comparison c ON c.id = v.comparison AND c.stage IS DISTINCT FROM 'confirm'
-- A rerun of comparable kernels does not decide about runs that are not comparable.
LEFT JOIN decided s
  ON s.base_kernel = c.base_kernel AND s.new_kernel = c.new_kernel
  AND s.base_knobs = c.base_knobs AND s.new_knobs = c.new_knobs AND s.board_type = c.board_type
  AND s.benchmark = v.benchmark AND s.parameters = v.parameters
  AND s.metric = v.metric AND s.statistic = v.statistic
  -- Nor does one with another tool, compiler or set-up.
  AND s.conditions = coalesce(v.conditions, '')
  AND v.verdict <> 'NOT_COMPARABLE'
LEFT JOIN public.verdict f
  -- A marginal change is all that the last round can say of it.
  ON (s.stand IN ('confirmed', 'refuted') OR s.stand = 'undecided' AND f.verdict = 'MARGINAL')
  AND f.comparison = s.decided_by AND f.benchmark = v.benchmark AND f.parameters = v.parameters
  AND f.metric = v.metric AND f.statistic = v.statistic;

COMMENT ON VIEW verdict IS 'one row per statistic of a comparison; if a rerun confirmed or refuted a change, or found it marginal, with its numbers';
COMMENT ON COLUMN verdict.verdict IS 'REGRESSION, IMPROVEMENT, UNCHANGED, MARGINAL, INCONCLUSIVE or NOT_COMPARABLE: from the rerun if it decided';
COMMENT ON COLUMN verdict.screened IS 'the same from the first boots only';
COMMENT ON COLUMN verdict.stand IS 'state of the recorded suspicion: open, confirmed, refuted, undecided; null: none';
COMMENT ON COLUMN verdict.standing IS 'hint: a change that this board cannot prove; suspected: a rerun is pending or did not decide; confirmed or refuted by a rerun; told: a change that gets no rerun; otherwise empty';
COMMENT ON COLUMN verdict.stands IS 'whether the change stays significant among all tests of its last night; null: no night tested it';
COMMENT ON COLUMN verdict.effect IS 'relative change of the value, 0.01 = 1 %; ci_low and ci_high are its 95 % interval';
COMMENT ON COLUMN verdict.worsening IS 'the same with its sign adjusted: above 0 is worse for every direction of the metric';
COMMENT ON COLUMN verdict.latency IS 'a time for which lower is better; false: throughput';
COMMENT ON COLUMN verdict.base_value IS 'level that the effect is computed from, in unit: new_value / base_value = 1 + effect';
COMMENT ON COLUMN verdict.n_base IS 'boots; base_runs are their runs';
COMMENT ON COLUMN verdict.base_achieved IS 'recorded samples of the histogram over all boots, of base_expected; missing samples belong to the tail';
COMMENT ON COLUMN verdict.base_marked IS 'boots with a kernel alarm during the measurement; they count';
COMMENT ON COLUMN verdict.p_zero IS 'probability of such a difference if nothing changed; p is for a change within the relevance';
COMMENT ON COLUMN verdict.decided_by IS 'comparison of the rerun that the numbers come from; null: they come from the first boots';
COMMENT ON COLUMN verdict.screened_effect IS 'the same from the first boots, where a rerun decided; null: effect itself comes from the first boots';
COMMENT ON COLUMN verdict.conditions IS 'digest of all that the boots share beside the kernel; empty: they share less, or it was not kept yet';
COMMENT ON COLUMN verdict.judge IS 'version of vlag and of its method that judged these boots; null: from before it was kept';
COMMENT ON COLUMN verdict.confirmed_by IS 'comparison with the parent that confirms what is suspected here; null: none, or not suspected';
COMMENT ON COLUMN verdict.mode IS 'the boots in a new mode, with their seeds; null: none are known';
COMMENT ON COLUMN verdict.conditional_effect IS 'a confirmed change given that it passed, with the interval conditional_low to conditional_high; null: effect needs no correction, or nothing is confirmed';
COMMENT ON COLUMN verdict.suspicion_id IS 'the suspicion of this change, a row of the view suspicion; null: none';
COMMENT ON COLUMN verdict.boots_needed IS 'boots per side needed for a decision; null: decided, or too many to run';

-- One row per comparison: counts and an overall verdict.
CREATE VIEW comparison_summary AS
SELECT
  c.*,
  t.regressions,
  t.hints,
  t.improvements,
  t.suspected,
  t.marginal,
  t.inconclusive,
  t.not_comparable,
  t.unchanged,
  t.figures,
  t.unmeasured,
  t.without_base,
  t.without_new,
  t.worst,
  t.worst_hint,
  w.verdict,
  CASE WHEN t.hints > 0 THEN least(read_model.severity(w.verdict, ''), read_model.severity('REGRESSION', 'hint'))
       ELSE read_model.severity(w.verdict, '') END AS severity,
  t.size,
  t.confirmed_by
FROM comparison c
CROSS JOIN LATERAL (
  SELECT
    count(*) FILTER (WHERE v.verdict = 'REGRESSION' AND v.standing IN ('confirmed', 'told')) AS regressions,
    count(*) FILTER (WHERE v.verdict = 'REGRESSION' AND v.standing = 'hint') AS hints,
    count(*) FILTER (WHERE v.verdict = 'IMPROVEMENT' AND v.standing IN ('confirmed', 'told')) AS improvements,
    count(*) FILTER (WHERE v.standing = 'suspected') AS suspected,
    count(*) FILTER (WHERE v.verdict = 'MARGINAL' AND v.standing = '') AS marginal,
    count(*) FILTER (WHERE v.verdict = 'INCONCLUSIVE') AS inconclusive,
    count(*) FILTER (WHERE v.verdict = 'NOT_COMPARABLE') AS not_comparable,
    count(*) FILTER (WHERE v.verdict = 'UNCHANGED') AS unchanged,
    count(*) AS figures,
    count(*) FILTER (WHERE b.lacks OR b.lacks_new) AS unmeasured,
    count(*) FILTER (WHERE b.lacks AND NOT b.lacks_new) AS without_base,
    count(*) FILTER (WHERE b.lacks_new AND NOT b.lacks) AS without_new,
    -- The largest by |log ratio|: -44 % of throughput is larger than +60 % of latency.
    (array_agg(v.worsening ORDER BY read_model.size(v.effect) DESC, v.worsening DESC)
      FILTER (WHERE v.verdict = 'REGRESSION' AND v.standing IN ('confirmed', 'told')))[1] AS worst,
    (array_agg(v.effect ORDER BY read_model.size(v.effect) DESC)
      FILTER (WHERE v.verdict = 'REGRESSION' AND v.standing = 'hint'))[1] AS worst_hint,
    coalesce(
      max(read_model.size(v.effect)) FILTER (WHERE v.verdict = 'REGRESSION' AND v.standing IN ('confirmed', 'told')),
      max(read_model.size(v.effect)) FILTER (WHERE v.verdict = 'REGRESSION'),
      max(read_model.size(v.effect)) FILTER (WHERE v.verdict = 'IMPROVEMENT'),
      0) AS size,
    max(v.confirmed_by) FILTER (WHERE v.standing = 'suspected') AS confirmed_by
  FROM verdict v
  CROSS JOIN LATERAL (
    SELECT v.n_base = 0 AND v.base_runs = '{}' AS lacks, v.n_new = 0 AND v.new_runs = '{}' AS lacks_new
  ) b
  WHERE v.comparison = c.id
) t
CROSS JOIN LATERAL (
  SELECT
    CASE
      WHEN t.regressions > 0 AND t.improvements > 0 THEN 'MIXED'
      WHEN t.regressions > 0 THEN 'REGRESSION'
      WHEN c.failures > 0 THEN 'FAILED'
      WHEN t.suspected > 0 THEN 'SUSPECTED'
      WHEN t.improvements > 0 THEN 'IMPROVEMENT'
      WHEN t.hints > 0 THEN 'REGRESSION (hint)'
      WHEN t.marginal > 0 THEN 'MARGINAL'
      WHEN t.not_comparable > 0 AND t.unchanged = 0 THEN 'NOT_COMPARABLE'
      -- Silence about half of it is no good news.
      WHEN t.unchanged > 0 AND 2 * t.unmeasured < t.figures THEN 'UNCHANGED'
      ELSE 'INCONCLUSIVE'
    END AS verdict
) w;

COMMENT ON VIEW comparison_summary IS 'comparisons with counts of their verdicts and an overall verdict; query few comparisons, because the counts are computed on demand';
COMMENT ON COLUMN comparison_summary.regressions IS 'regressions that a rerun confirmed or that need no rerun, without hints';
COMMENT ON COLUMN comparison_summary.suspected IS 'changes that no rerun has decided';
COMMENT ON COLUMN comparison_summary.marginal IS 'changes that are certain and about as large as what matters, without hints';
COMMENT ON COLUMN comparison_summary.figures IS 'all of them';
COMMENT ON COLUMN comparison_summary.unmeasured IS 'figures of which a side has no complete run; they are inconclusive';
COMMENT ON COLUMN comparison_summary.without_base IS 'those of which only the base has none';
COMMENT ON COLUMN comparison_summary.without_new IS 'those of which only the new kernel has none';
COMMENT ON COLUMN comparison_summary.worst IS 'largest confirmed worsening (as |log ratio|), 0.01 = 1 %; null: none';
COMMENT ON COLUMN comparison_summary.worst_hint IS 'effect of the largest hint of a worsening; null: no such hint';
COMMENT ON COLUMN comparison_summary.severity IS 'rank for sorting worst first: the rank of the overall verdict, or of regression hints if that is worse';
COMMENT ON COLUMN comparison_summary.size IS 'largest confirmed worsening as |log ratio|; otherwise the largest worsening; otherwise the largest improvement';
COMMENT ON COLUMN comparison_summary.confirmed_by IS 'comparison with the parent that confirms a change suspected here; null: none';
COMMENT ON COLUMN comparison_summary.verdict IS 'MIXED, REGRESSION, FAILED, SUSPECTED, IMPROVEMENT, REGRESSION (hint), MARGINAL, NOT_COMPARABLE, UNCHANGED or INCONCLUSIVE: the first that applies; UNCHANGED only where both sides measured more than half of the figures';

-- A baseline that the settings have no longer is history.  What was compared before the names were
-- kept was with the baseline, where a branch has one; where it has several, it counts until the first
-- comparison with a name.
CREATE VIEW watched_baselines AS
SELECT k.tree, k.branch, t.board_type, array_agg(DISTINCT b.baseline) AS baselines,
  CASE WHEN count(DISTINCT b.baseline) = 1 THEN min(b.baseline) END AS only_baseline
FROM (SELECT x.branches FROM public.night x ORDER BY x.id DESC LIMIT 1) n
CROSS JOIN LATERAL jsonb_array_elements(n.branches) w
CROSS JOIN LATERAL jsonb_array_elements_text(w.value -> 'board_types') AS t(board_type)
CROSS JOIN LATERAL jsonb_array_elements_text(w.value -> 'baselines') AS b(baseline)
JOIN (SELECT DISTINCT f.tree, f.name AS branch FROM kernel_ref f WHERE f.is_branch) k
  ON k.tree = w.value ->> 'tree' AND read_model.fits(k.branch, w.value ->> 'branch')
GROUP BY k.tree, k.branch, t.board_type;

COMMENT ON VIEW watched_baselines IS 'baselines of each watched branch and board type, by the settings of the last night; none before a night has kept them';
COMMENT ON COLUMN watched_baselines.only_baseline IS 'its baseline where it has one, and so that of what was compared before names were kept; null: it has several';

-- The newest compared kernel of each branch with each of its baselines.
CREATE VIEW newest AS
SELECT DISTINCT ON (
    n.tree, f.branch, CASE WHEN f.branch IS NULL THEN n.id END, n.series, n.application, n.variant,
    c.board_type, c.base_knobs, c.new_knobs,
    c.role, c.plan, c.synthetic, b.tree, b.branch, b.series, b.application, b.variant,
    coalesce(c.baseline, w.only_baseline)
  ) c.id AS comparison, f.branch_name AS head_of
FROM public.comparison c
JOIN public.kernel n ON n.id = c.new_kernel
LEFT JOIN kernel_branch f ON f.kernel = n.id
-- A baseline may move on to the next tag; a base named by a person is fixed.
LEFT JOIN public.kernel b ON b.id = c.base_kernel AND c.role IS NULL
LEFT JOIN watched_baselines w
  ON w.tree = f.tree AND w.branch = f.branch AND w.board_type = c.board_type AND c.role = 'baseline'
WHERE c.stage IS DISTINCT FROM 'confirm' AND NOT EXISTS (SELECT FROM public.prediction p WHERE p.comparison = c.id)
  AND (w.baselines IS NULL OR c.baseline = ANY (w.baselines)
    OR c.baseline IS NULL AND (w.only_baseline IS NOT NULL
      OR NOT EXISTS (SELECT FROM public.comparison x WHERE x.baseline IS NOT NULL)))
ORDER BY n.tree, f.branch, CASE WHEN f.branch IS NULL THEN n.id END, n.series, n.application, n.variant,
  c.board_type, c.base_knobs, c.new_knobs,
  c.role, c.plan, c.synthetic, b.tree, b.branch, b.series, b.application, b.variant,
  coalesce(c.baseline, w.only_baseline), f.place DESC, c.id DESC;

COMMENT ON VIEW newest IS 'the comparison of the newest kernel of each branch, patches, variant, knobs, board type, plan, role of its base and baseline (no role: and base branch); without the self-proof';
COMMENT ON COLUMN newest.head_of IS 'the branch, TREE/BRANCH; null: a kernel that belongs to no branch';

CREATE VIEW latest AS
SELECT s.*, l.head_of
FROM newest l
CROSS JOIN LATERAL (SELECT * FROM comparison_summary x WHERE x.id = l.comparison) s;

COMMENT ON VIEW latest IS 'rows of an overview: those of the view newest with their counts';
COMMENT ON COLUMN latest.head_of IS 'the branch, TREE/BRANCH; null: a kernel that belongs to no branch';

-- Without counts, for pages that need few of them.  Comparisons by hand have no role: each pair is
-- a scope of its own, as is a kernel that belongs to no branch.
CREATE VIEW newest_of_role AS
SELECT DISTINCT ON (
    n.tree, f.branch, CASE WHEN f.branch IS NULL THEN n.id END, c.board_type, c.role,
    n.series, n.application, n.variant, c.new_knobs, coalesce(c.baseline, w.only_baseline),
    CASE WHEN c.role IS NULL THEN ROW(c.base_kernel, c.base_knobs, n.id) END
  ) c.id, c.role, n.tree, f.branch, f.branch_name, n.id AS new_kernel, c.board_type
FROM public.kernel n
-- The newest of each kernel first: far fewer are left to be sorted.
CROSS JOIN LATERAL (
  SELECT max(x.id) AS id, x.board_type, x.role, x.new_knobs, x.baseline,
    CASE WHEN x.role IS NULL THEN x.base_kernel END AS base_kernel, CASE WHEN x.role IS NULL THEN x.base_knobs END AS base_knobs
  FROM public.comparison x
  WHERE x.new_kernel = n.id AND x.stage IS DISTINCT FROM 'confirm' AND NOT EXISTS (SELECT FROM public.prediction p WHERE p.comparison = x.id)
  GROUP BY x.board_type, x.role, x.new_knobs, x.baseline, 6, 7
) c
LEFT JOIN kernel_branch f ON f.kernel = n.id
LEFT JOIN watched_baselines w
  ON w.tree = f.tree AND w.branch = f.branch AND w.board_type = c.board_type AND c.role = 'baseline'
WHERE w.baselines IS NULL OR c.baseline = ANY (w.baselines)
  OR c.baseline IS NULL AND (w.only_baseline IS NOT NULL
    OR NOT EXISTS (SELECT FROM public.comparison x WHERE x.baseline IS NOT NULL))
ORDER BY n.tree, f.branch, CASE WHEN f.branch IS NULL THEN n.id END, c.board_type, c.role,
  n.series, n.application, n.variant, c.new_knobs, coalesce(c.baseline, w.only_baseline),
  CASE WHEN c.role IS NULL THEN ROW(c.base_kernel, c.base_knobs, n.id) END, f.place DESC, c.id DESC;

COMMENT ON VIEW newest_of_role IS 'the comparison of the newest kernel of each branch, patches, variant, knobs, board type, role of its base and baseline, without counts and without the self-proof';
COMMENT ON COLUMN newest_of_role.role IS 'null: by hand; each pair of kernels is then there';

CREATE VIEW last_said AS
SELECT greatest(
  (SELECT max(c.said) FROM public.comparison c), (SELECT max(s.said) FROM public.suspicion s),
  (SELECT max(d.said) FROM public.decision d), (SELECT max(p.said) FROM public.prediction p),
  (SELECT max(m.said) FROM multiple_testing m), (SELECT max(t.said) FROM public.alert_text t)) AS said;

COMMENT ON VIEW last_said IS 'number of what was said last: with it a link shows later what the views show now';

CREATE VIEW saying AS
SELECT c.id AS comparison, c.said, c.judge, c.created_at FROM public.comparison c WHERE c.stage IS DISTINCT FROM 'confirm';

COMMENT ON VIEW saying IS 'comparisons as their first boots had them';

CREATE VIEW replacement AS
SELECT c.id AS comparison, later.id AS later, later.created_at AS at
FROM public.comparison c
JOIN public.comparison later
  ON later.id > c.id AND later.board_type = c.board_type
  AND later.new_kernel = c.new_kernel AND later.base_kernel = c.base_kernel
  AND later.base_knobs = c.base_knobs AND later.new_knobs = c.new_knobs
  AND later.plan IS NOT DISTINCT FROM c.plan AND later.stage IS DISTINCT FROM 'confirm'
  AND read_model.covers(later.scope, c.scope)
WHERE c.stage IS DISTINCT FROM 'confirm';

COMMENT ON VIEW replacement IS 'comparisons that are not current, with those that took their place; restrict the comparison';

CREATE VIEW rerun AS
SELECT r.id AS comparison, max(c.id) AS screen
FROM public.comparison r
JOIN public.comparison c
  ON c.board_type = r.board_type AND c.base_kernel = r.base_kernel AND c.new_kernel = r.new_kernel
  AND c.base_knobs = r.base_knobs AND c.new_knobs = r.new_knobs
  AND c.plan IS NOT DISTINCT FROM r.plan AND c.stage IS DISTINCT FROM 'confirm'
WHERE r.stage = 'confirm'
GROUP BY r.id;

COMMENT ON VIEW rerun IS 'comparisons of rerun boots, with the comparison that shows what they decided; restrict the comparison';
COMMENT ON COLUMN rerun.screen IS 'the newest comparison of the same kernels, knobs, board type and plan in its first boots';

-- A rerun decides many figures at once.
CREATE VIEW change_of_mind AS
SELECT c.id AS comparison, r.id AS decided_by, min(d.said) AS said, max(d.at) AS at, r.judge
FROM public.comparison c
JOIN public.suspicion s
  ON s.base_kernel = c.base_kernel AND s.new_kernel = c.new_kernel
  AND s.base_knobs = c.base_knobs AND s.new_knobs = c.new_knobs AND s.board_type = c.board_type
JOIN public.decision d ON d.suspicion = s.id AND d.said > c.said
JOIN public.comparison r ON r.id = d.decided_by
WHERE c.stage IS DISTINCT FROM 'confirm'
GROUP BY c.id, r.id
UNION ALL
SELECT p.comparison, NULL, p.said, p.at, NULL FROM public.prediction p WHERE p.replaces IS NOT NULL;

COMMENT ON VIEW change_of_mind IS 'what changed what a comparison says: reruns, and its prediction judged again; restrict the comparison';
COMMENT ON COLUMN change_of_mind.said IS 'first number of the decisions of the rerun';
COMMENT ON COLUMN change_of_mind.decided_by IS 'the rerun; null: the prediction was judged again';

CREATE VIEW failure AS
SELECT
  c.id AS comparison,
  CASE WHEN c.base_kernel = c.new_kernel THEN 'both' WHEN b.kernel = c.base_kernel THEN 'base' ELSE 'new' END AS side,
  'build' AS kind,
  b.id AS build,
  NULL::bigint AS run,
  NULL AS benchmark,
  NULL AS parameters,
  NULL::bigint AS seed,
  b.outcome::text AS outcome,
  b.reason,
  public.in_state(b.location) AS location,
  b.finished_at AS at,
  b.document ->> 'reproduce' AS reproduce
FROM public.comparison c
JOIN build b ON b.id = ANY (c.failed_builds)
UNION ALL
SELECT
  c.id,
  CASE WHEN s.base AND s.new THEN 'both' WHEN s.base THEN 'base' ELSE 'new' END,
  'run',
  NULL,
  r.id,
  r.benchmark,
  read_model.pairs(r.parameters),
  r.seed,
  r.outcome::text,
  r.reason,
  public.in_state(r.location),
  r.finished_at,
  r.document ->> 'reproduce'
FROM public.comparison c
JOIN public.run r ON r.id = ANY (c.failed_runs)
CROSS JOIN LATERAL (
  SELECT
    r.knobs = c.base_knobs AND EXISTS (SELECT FROM kernel_run x WHERE x.run = r.id AND x.kernel = c.base_kernel) AS base,
    r.knobs = c.new_knobs AND EXISTS (SELECT FROM kernel_run x WHERE x.run = r.id AND x.kernel = c.new_kernel) AS new
) s;

COMMENT ON VIEW failure IS 'failed builds and runs of the two kernels of a comparison; restrict the comparison';
COMMENT ON COLUMN failure.side IS 'base, new, or both: one kernel with two sets of knobs, or two kernels with one image';

CREATE VIEW distribution AS
SELECT
  o.comparison,
  x.benchmark,
  read_model.pairs(x.parameters) AS parameters,
  x.metric,
  x.unit,
  x.p AS whole_p,
  x.suspect,
  x.worse,
  x.better,
  x.headline,
  q.value ->> 'name' AS quantile,
  q.ord::integer AS number,
  CASE WHEN w.id IS NULL THEN (q.value ->> 'base')::double precision ELSE w.base_value END AS base_value,
  CASE WHEN w.id IS NULL THEN (q.value ->> 'new')::double precision ELSE w.new_value END AS new_value,
  CASE WHEN w.id IS NULL THEN (q.value ->> 'effect')::double precision ELSE w.effect END AS effect,
  CASE WHEN w.id IS NULL THEN (q.value ->> 'low')::double precision ELSE w.ci_low END AS ci_low,
  CASE WHEN w.id IS NULL THEN (q.value ->> 'high')::double precision ELSE w.ci_high END AS ci_high,
  (q.value ->> 'moved')::boolean AS moved,
  f.comparison AS decided_by,
  CASE WHEN f.comparison IS NOT NULL THEN o.headline END AS screened_headline,
  (q.value ->> 'p')::double precision AS p
FROM public.shift o
LEFT JOIN public.shift f
  -- The last rerun that decided a figure of the distribution.
  ON f.comparison = (SELECT max(v.decided_by) FROM verdict v WHERE v.comparison = o.comparison
    AND v.benchmark = o.benchmark AND v.parameters = read_model.pairs(o.parameters) AND v.metric = o.metric)
  AND f.benchmark = o.benchmark AND f.parameters = o.parameters AND f.metric = o.metric
JOIN public.shift x
  ON x.comparison = coalesce(f.comparison, o.comparison)
  AND x.benchmark = o.benchmark AND x.parameters = o.parameters AND x.metric = o.metric
CROSS JOIN LATERAL jsonb_array_elements(x.quantiles) WITH ORDINALITY AS q(value, ord)
-- A quantile that is a figure has one number everywhere.
LEFT JOIN verdict w
  ON w.comparison = o.comparison AND w.benchmark = o.benchmark AND w.parameters = read_model.pairs(o.parameters)
  AND w.metric = o.metric AND w.statistic = q.value ->> 'name' AND w.effect IS NOT NULL;

COMMENT ON VIEW distribution IS 'shift function of a latency: one row per quantile; levels, change and 95 % interval are those of its verdict, of a quantile without one of the test of all quantiles, the interval then simultaneous';
COMMENT ON COLUMN distribution.p IS 'of the quantile, adjusted for all that were tested with it; whole_p: of the distribution';
COMMENT ON COLUMN distribution.decided_by IS 'comparison of the rerun that the numbers come from, if it decided a figure of the distribution';
COMMENT ON COLUMN distribution.screened_headline IS 'headline of the first boots; null: headline itself comes from them';
COMMENT ON COLUMN distribution.base_value IS 'geometric mean over boots, in unit: new_value / base_value = 1 + effect';

CREATE VIEW change_point AS
SELECT
  p.id, p.series, p.statistic, p.tree, p.branch, p.effect, p.ci_low, p.ci_high, p.cause,
  p.found_at, p.withdrawn_at,
  read_model.worsening(p.effect, s.direction) AS worsening,
  s.benchmark, s.metric, s.board_type,
  p.before_kernel, p.kernel,
  k.name AS kernel_name, k.commit, k.committed_at,
  (SELECT min(v.at) FROM public.run_value v JOIN kernel_run x ON x.run = v.run
    WHERE x.kernel = p.kernel AND v.series = p.series AND v.statistic = p.statistic) AS at
FROM public.change_point p
JOIN public.series s ON s.id = p.series
JOIN kernel k ON k.id = p.kernel;

COMMENT ON VIEW change_point IS 'change points in the history of a series along a branch';
COMMENT ON COLUMN change_point.at IS 'end of the first boot after the change point';
COMMENT ON COLUMN change_point.cause IS 'kernel; or board, if the baseline kernel changed at the same point';

CREATE VIEW suspicion AS
SELECT
  s.id, s.board_type, s.base_kernel, s.new_kernel, b.name AS base, n.name AS new,
  n.tree, n.branch, n.branch_name, n.ref,
  read_model.pairs(s.new_knobs) AS new_knobs,
  s.benchmark, read_model.pairs(s.parameters) AS parameters, s.metric, s.statistic,
  s.conditions, s.worse, s.hint, s.stand::text AS stand, s.boots, s.p, s.raised_by, s.decided_by,
  s.created_at, s.changed_at,
  EXISTS (SELECT FROM public.prediction p WHERE p.comparison = s.raised_by) AS predicted,
  CASE WHEN s.stand IN ('open', 'undecided')
    THEN (SELECT p.comparison FROM confirmed_with_parent p WHERE p.suspicion = s.id) END AS confirmed_by
FROM decided s
JOIN kernel b ON b.id = s.base_kernel
JOIN kernel n ON n.id = s.new_kernel;

COMMENT ON VIEW suspicion IS 'changes in first boots, and the decisions of reruns';
COMMENT ON COLUMN suspicion.conditions IS 'those of the boots that raised it, as in the view verdict';
COMMENT ON COLUMN suspicion.confirmed_by IS 'comparison with the parent that confirms the same change of the same kernel; null: none, or a rerun decided here';
COMMENT ON COLUMN suspicion.predicted IS 'the comparison that raised it holds predictions: part of the self-proof';

CREATE VIEW suspicion_decision AS
SELECT d.suspicion, d.said, d.at, d.stand::text AS stand, d.boots, d.decided_by, v.effect, v.mode
FROM public.decision d
JOIN public.suspicion s ON s.id = d.suspicion
LEFT JOIN public.verdict v
  ON v.comparison = d.decided_by AND v.benchmark = s.benchmark AND v.parameters = s.parameters
  AND v.metric = s.metric AND v.statistic = s.statistic
WHERE d.said <= read_model.said();

COMMENT ON VIEW suspicion_decision IS 'what each rerun made of a suspicion; restrict the suspicion';
COMMENT ON COLUMN suspicion_decision.decided_by IS 'comparison of the rerun';

CREATE VIEW prediction AS
SELECT p.comparison, p.name, p.good, p.text, c.board_type, c.tree, c.branch_name, c.base, c.new, c.base_kernel, c.new_kernel, c.at,
  p.said, p.document
FROM public.prediction p
JOIN comparison c ON c.id = p.comparison
WHERE p.said <= read_model.said()
  AND NOT EXISTS (SELECT FROM public.prediction x WHERE x.replaces = p.said AND x.said <= read_model.said());

COMMENT ON VIEW prediction IS 'the self-proof: comparisons of patches whose headers predict what must be flagged';
COMMENT ON COLUMN prediction.good IS 'all is as predicted; what could not be judged is not';
COMMENT ON COLUMN prediction.document IS 'flags that were expected, found, missed or not expected, and doubts; null: from before it was kept';
