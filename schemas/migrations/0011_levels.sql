-- Base and new are the levels that the change is computed from: new / base = 1 + effect.
-- depends: 0010_run_times

-- Levels from the boots, as vlag.stats.compare.levels has them: geometric means, and plain
-- ones where any boot gave 0.  They count where every boot is on record and they give the
-- change; else the medians on record are moved evenly until they do.
WITH side AS (
  SELECT v.id, s.name, s.n, count(r.value) AS known, coalesce(bool_and(r.value > 0), true) AS positive,
    CASE WHEN min(r.value) = max(r.value) THEN min(r.value)
      ELSE exp(avg(CASE WHEN r.value > 0 THEN ln(r.value) END)) END AS geometric,
    avg(r.value) AS plain
  FROM verdict v
  CROSS JOIN LATERAL (VALUES
    ('base', v.base_runs, v.series_base, v.n_base),
    ('new', v.new_runs, v.series_new, v.n_new)) AS s (name, runs, series, n)
  LEFT JOIN run_value r ON r.run = ANY (s.runs) AND r.series = s.series AND r.statistic = v.statistic
  GROUP BY v.id, s.name, s.n
), level AS (
  SELECT b.id,
    CASE WHEN b.positive AND n.positive THEN b.geometric ELSE b.plain END AS base,
    CASE WHEN b.positive AND n.positive THEN n.geometric ELSE n.plain END AS new
  FROM side b JOIN side n ON n.id = b.id AND b.name = 'base' AND n.name = 'new'
  WHERE b.known = b.n AND n.known = n.n
), found AS (
  SELECT v.id,
    coalesce(l.id IS NOT NULL AND (v.effect IS NULL OR v.effect = 0 AND l.base = l.new
      OR abs(l.new / nullif(l.base, 0) - 1 - v.effect) <= 1e-9 * (1 + abs(v.effect))), false) AS exact,
    v.effect > -1 AND v.base_value > 0 AND v.new_value > 0 AS movable,
    l.base, l.new, v.base_value, v.new_value, v.effect
  FROM verdict v LEFT JOIN level l ON l.id = v.id
)
UPDATE verdict v SET
  base_value = CASE WHEN f.exact THEN f.base ELSE sqrt(f.base_value * f.new_value / (1 + f.effect)) END,
  new_value = CASE WHEN f.exact THEN f.new ELSE sqrt(f.base_value * f.new_value * (1 + f.effect)) END
FROM found f
WHERE f.id = v.id AND (f.exact OR f.movable);

-- Of a quantile the levels are those of its own verdict where they give its change.
UPDATE shift x SET quantiles = (
  SELECT jsonb_agg(q.value || CASE
      WHEN v.id IS NOT NULL THEN jsonb_build_object('base', v.base_value, 'new', v.new_value)
      WHEN n.factor > 0 AND n.base > 0 AND n.new > 0 THEN jsonb_build_object(
        'base', sqrt(n.base * n.new / n.factor), 'new', sqrt(n.base * n.new * n.factor))
      WHEN n.factor > 0 AND n.new > 0 THEN jsonb_build_object('base', n.new / n.factor)
      WHEN n.factor > 0 AND n.base > 0 THEN jsonb_build_object('new', n.base * n.factor)
      ELSE '{}'::jsonb END ORDER BY q.ord)
  FROM jsonb_array_elements(x.quantiles) WITH ORDINALITY AS q (value, ord)
  CROSS JOIN LATERAL (SELECT
    1 + (q.value ->> 'effect')::double precision AS factor,
    (q.value ->> 'base')::double precision AS base,
    (q.value ->> 'new')::double precision AS new) n
  LEFT JOIN verdict v ON v.comparison = x.comparison AND v.benchmark = x.benchmark
    AND v.parameters = x.parameters AND v.metric = x.metric AND v.statistic = q.value ->> 'name'
    AND v.base_value > 0 AND abs(v.new_value / v.base_value - n.factor) <= 1e-9 * n.factor)
WHERE jsonb_array_length(x.quantiles) > 0;

COMMENT ON COLUMN verdict.base_value IS 'level that the effect is computed from, in unit: geometric mean over boots, plain mean where any boot of either side gave 0';

COMMENT ON COLUMN shift.quantiles IS '[{name, base, new, effect, low, high, p, moved}]: geometric means over boots in unit, relative effects with simultaneous 95 % intervals';
