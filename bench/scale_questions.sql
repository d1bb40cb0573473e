-- What pages and people ask.  {name} is a place in the middle of things, see scale.py.

-- overview: every branch and board
SELECT branch_name, board_type, role, verdict, worst
FROM shown.latest;

-- overview: open alerts
SELECT *
FROM shown.alert
WHERE open
ORDER BY opened_at DESC;

-- overview: the last night
SELECT *
FROM shown.night
ORDER BY finished_at DESC LIMIT 1;

-- overview: verdicts of the last night
SELECT s.*
FROM shown.comparison_summary s
WHERE s.id = ANY ((SELECT comparisons
FROM shown.night
ORDER BY finished_at DESC LIMIT 1)::bigint[]);

-- branch: choice of branches
SELECT DISTINCT branch_name
FROM shown.kernel
ORDER BY 1;

-- branch: choice of series
SELECT id, name, parameters
FROM shown.series
WHERE board_type = 'rpi5';

-- branch: history, all time
SELECT *
FROM shown.history
WHERE series = {throughput}
  AND statistic = 'median'
  AND tree = 'stable'
  AND branch = 'linux-6.4.y';

-- branch: history, a quarter
SELECT *
FROM shown.history
WHERE series = {throughput}
  AND statistic = 'median'
  AND tree = 'stable'
  AND branch = 'linux-6.4.y'
  AND at > now() - interval '3 months';

-- branch: history, a quarter, all branches
SELECT *
FROM shown.history
WHERE series = {throughput}
  AND statistic = 'median'
  AND at > now() - interval '3 months';

-- branch: history with shared images, all time
SELECT *
FROM shown.history
WHERE series = {simulated}
  AND statistic = 'median'
  AND tree = 'stable'
  AND branch = 'linux-6.4.y';

-- branch: tail of a latency, all time
SELECT *
FROM shown.history
WHERE series = {latency}
  AND statistic IN ('p99', 'p99.9')
  AND tree = 'stable'
  AND branch = 'linux-6.4.y';

-- branch: change points
SELECT *
FROM shown.change_point
WHERE series = {throughput}
  AND statistic = 'median'
  AND tree = 'stable'
  AND branch = 'linux-6.4.y'
  AND withdrawn_at IS NULL;

-- branch: change points of all series
SELECT *
FROM shown.change_point
WHERE tree = 'stable'
  AND branch = 'linux-6.4.y'
  AND withdrawn_at IS NULL;

-- branch: latest comparisons
SELECT *
FROM shown.comparison_summary
WHERE tree = 'stable'
  AND branch = 'linux-6.4.y'
  AND current
  AND role = 'baseline'
  AND board_type = 'rpi5'
ORDER BY committed_at DESC LIMIT 20;

-- branch: choice of comparisons
SELECT id, base, new
FROM shown.comparison
WHERE tree = 'stable'
  AND branch = 'linux-6.4.y'
ORDER BY at DESC LIMIT 200;

-- compare: verdicts
SELECT *
FROM shown.verdict
WHERE comparison = {comparison}
ORDER BY worsening DESC NULLS LAST;

-- compare: summary
SELECT *
FROM shown.comparison_summary
WHERE id = {comparison};

-- compare: failures
SELECT *
FROM shown.failure
WHERE comparison = {comparison};

-- compare: values of every boot
SELECT v.name, r.id, x.value
FROM shown.verdict v
JOIN shown.run r ON r.id = ANY (v.base_runs || v.new_runs)
JOIN shown.run_value x ON x.run = r.id
  AND x.series = v.series_new
  AND x.statistic = v.statistic
WHERE v.comparison = {comparison};

-- latency: shift function
SELECT *
FROM shown.distribution
WHERE comparison = {comparison};

-- latency: histograms of a comparison
SELECT b.run, b.lower_bound, b.count
FROM shown.verdict v
JOIN shown.histogram_bucket b ON b.run = ANY (v.base_runs || v.new_runs)
  AND b.series = v.series_new
WHERE v.comparison = {comparison}
  AND v.statistic = 'p99';

-- latency: heat map, a quarter
SELECT h.at, b.lower_bound, b.count
FROM shown.history h
JOIN shown.histogram_bucket b ON b.run = h.run
  AND b.series = h.series
WHERE h.series = {latency}
  AND h.statistic = 'p99'
  AND tree = 'stable'
  AND branch = 'linux-6.4.y'
  AND h.at > now() - interval '3 months';

-- matrix: patches of a branch
SELECT s.new, s.patches, v.name, v.effect, v.verdict
FROM shown.latest s
JOIN shown.verdict v ON v.comparison = s.id
WHERE s.tree = 'stable'
  AND s.branch = 'linux-6.4.y'
  AND s.board_type = 'rpi5';

-- boards: state
SELECT *
FROM shown.board;

-- boards: checks of a board, a quarter
SELECT *
FROM shown.board_check
WHERE board = 'rpi5-1'
  AND at > now() - interval '3 months';

-- boards: time used and failures, a month
SELECT board, outcome, count(*), sum(took_s)
FROM shown.run
WHERE finished_at > now() - interval '1 month'
GROUP BY 1, 2;

-- boards: runs left out, a quarter
SELECT board, why, count(*)
FROM shown.left_out
WHERE finished_at > now() - interval '3 months'
GROUP BY 1, 2;

-- run: all of it
SELECT *
FROM shown.run
WHERE id = {run};

-- run: its values
SELECT *
FROM shown.run_value
WHERE run = {run};

-- run: its histogram
SELECT *
FROM shown.histogram_bucket
WHERE run = {run};

-- run: its environment
SELECT *
FROM shown.run_environment
WHERE run = {run};

-- run: kernels it speaks for
SELECT k.*
FROM shown.kernel_run x
JOIN shown.kernel k ON k.id = x.kernel
WHERE x.run = {run};

-- alert: its evidence
SELECT *
FROM shown.alert_verdict
WHERE alert = {alert};

-- alert: its history
SELECT *
FROM shown.alert_event
WHERE alert = {alert}
ORDER BY id;

-- suspicions that are open, a quarter
SELECT *
FROM shown.suspicion
WHERE stand = 'open'
  AND created_at > now() - interval '3 months' LIMIT 200;
