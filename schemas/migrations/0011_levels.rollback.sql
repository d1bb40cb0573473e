COMMENT ON COLUMN shift.quantiles IS '[{name, base, new, effect, low, high, p, moved}]: medians over boots in unit, relative effects with simultaneous 95 % intervals';
COMMENT ON COLUMN verdict.base_value IS 'median over boots, in unit';
-- Medians come back where every boot is on record.
UPDATE verdict v SET base_value = m.value
FROM (
  SELECT x.id, percentile_cont(0.5) WITHIN GROUP (ORDER BY r.value) AS value
  FROM verdict x
  JOIN run_value r ON r.run = ANY (x.base_runs) AND r.series = x.series_base AND r.statistic = x.statistic
  GROUP BY x.id HAVING count(*) = x.n_base
) m
WHERE m.id = v.id;
UPDATE verdict v SET new_value = m.value
FROM (
  SELECT x.id, percentile_cont(0.5) WITHIN GROUP (ORDER BY r.value) AS value
  FROM verdict x
  JOIN run_value r ON r.run = ANY (x.new_runs) AND r.series = x.series_new AND r.statistic = x.statistic
  GROUP BY x.id HAVING count(*) = x.n_new
) m
WHERE m.id = v.id;
