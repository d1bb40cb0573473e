-- What pages and people ask.  {name} is a place in the middle of things, see scale.py.

-- overview: every branch and board
SELECT branch_name, board_type, role, verdict, worst
FROM read_model.latest;

-- overview: open alerts
SELECT *
FROM read_model.alert
WHERE open
ORDER BY opened_at DESC;

-- overview: the last night
SELECT *
FROM read_model.night
ORDER BY finished_at DESC LIMIT 1;

-- overview: verdicts of the last night
SELECT s.*
FROM read_model.comparison_summary s
WHERE s.id = ANY ((SELECT comparisons
FROM read_model.night
ORDER BY finished_at DESC LIMIT 1)::bigint[]);

-- branch: choice of branches
SELECT DISTINCT branch_name
FROM read_model.kernel_branch
ORDER BY 1;

-- branch: choice of series
SELECT id, name, parameters
FROM read_model.series
WHERE board_type = 'rpi5';

-- branch: history, all time
SELECT *
FROM read_model.history
WHERE series = {throughput}
  AND statistic = 'median'
  AND kernel IN (
    SELECT kernel FROM read_model.kernel_branch
    WHERE tree = 'stable'
      AND branch = 'linux-6.4.y'
  );

-- branch: history, a quarter
SELECT *
FROM read_model.history
WHERE series = {throughput}
  AND statistic = 'median'
  AND kernel IN (
    SELECT kernel FROM read_model.kernel_branch
    WHERE tree = 'stable'
      AND branch = 'linux-6.4.y'
  )
  AND at > now() - interval '3 months';

-- branch: history, a quarter, all branches
SELECT *
FROM read_model.history
WHERE series = {throughput}
  AND statistic = 'median'
  AND at > now() - interval '3 months';

-- branch: history with shared images, all time
SELECT *
FROM read_model.history
WHERE series = {simulated}
  AND statistic = 'median'
  AND kernel IN (
    SELECT kernel FROM read_model.kernel_branch
    WHERE tree = 'stable'
      AND branch = 'linux-6.4.y'
  );

-- branch: tail of a latency, all time
SELECT *
FROM read_model.history
WHERE series = {latency}
  AND statistic IN ('p99', 'p99.9')
  AND kernel IN (
    SELECT kernel FROM read_model.kernel_branch
    WHERE tree = 'stable'
      AND branch = 'linux-6.4.y'
  );

-- branch: change points
SELECT *
FROM read_model.change_point
WHERE series = {throughput}
  AND statistic = 'median'
  AND tree = 'stable'
  AND branch = 'linux-6.4.y'
  AND withdrawn_at IS NULL;

-- branch: change points of all series
SELECT *
FROM read_model.change_point
WHERE tree = 'stable'
  AND branch = 'linux-6.4.y'
  AND withdrawn_at IS NULL;

-- branch: latest comparisons
SELECT *
FROM read_model.comparison_summary
WHERE new_kernel IN (
    SELECT kernel FROM read_model.kernel_branch
    WHERE tree = 'stable'
      AND branch = 'linux-6.4.y'
  )
  AND current
  AND role = 'baseline'
  AND board_type = 'rpi5'
ORDER BY committed_at DESC LIMIT 20;

-- branch: choice of comparisons
SELECT id, base, new
FROM read_model.comparison
WHERE new_kernel IN (
    SELECT kernel FROM read_model.kernel_branch
    WHERE tree = 'stable'
      AND branch = 'linux-6.4.y'
  )
ORDER BY at DESC LIMIT 200;

-- compare: verdicts
SELECT *
FROM read_model.verdict
WHERE comparison = {comparison}
ORDER BY worsening DESC NULLS LAST;

-- compare: summary
SELECT *
FROM read_model.comparison_summary
WHERE id = {comparison};

-- compare: failures
SELECT *
FROM read_model.failure
WHERE comparison = {comparison};

-- compare: values of every boot
SELECT v.name, r.id, x.value
FROM read_model.verdict v
JOIN read_model.run r ON r.id = ANY (v.base_runs || v.new_runs)
JOIN read_model.run_value x ON x.run = r.id
  AND x.series = v.series_new
  AND x.statistic = v.statistic
WHERE v.comparison = {comparison};

-- latency: shift function
SELECT *
FROM read_model.distribution
WHERE comparison = {comparison};

-- latency: histograms of a comparison
SELECT b.run, b.lower_bound, b.count
FROM read_model.verdict v
JOIN read_model.histogram_bucket b ON b.run = ANY (v.base_runs || v.new_runs)
  AND b.series = v.series_new
WHERE v.comparison = {comparison}
  AND v.statistic = 'p99';

-- latency: heat map, a quarter
SELECT h.at, b.lower_bound, b.count
FROM read_model.history h
JOIN read_model.histogram_bucket b ON b.run = h.run
  AND b.series = h.series
WHERE h.series = {latency}
  AND h.statistic = 'p99'
  AND h.kernel IN (
    SELECT kernel FROM read_model.kernel_branch
    WHERE tree = 'stable'
      AND branch = 'linux-6.4.y'
  )
  AND h.at > now() - interval '3 months';

-- matrix: patches of a branch
SELECT s.new, s.patches, v.name, v.effect, v.verdict
FROM read_model.latest s
JOIN read_model.verdict v ON v.comparison = s.id
WHERE s.new_kernel IN (
    SELECT kernel FROM read_model.kernel_branch
    WHERE tree = 'stable'
      AND branch = 'linux-6.4.y'
  )
  AND s.board_type = 'rpi5';

-- boards: state
SELECT *
FROM read_model.board;

-- boards: checks of a board, a quarter
SELECT *
FROM read_model.board_check
WHERE board = 'rpi5-1'
  AND at > now() - interval '3 months';

-- boards: time used and failures, a month
SELECT board, outcome, count(*), sum(took_s)
FROM read_model.run
WHERE finished_at > now() - interval '1 month'
GROUP BY 1, 2;

-- boards: runs left out, a quarter
SELECT board, why, count(*)
FROM read_model.left_out
WHERE finished_at > now() - interval '3 months'
GROUP BY 1, 2;

-- run: all of it
SELECT *
FROM read_model.run
WHERE id = {run};

-- run: its values
SELECT *
FROM read_model.run_value
WHERE run = {run};

-- run: its histogram
SELECT *
FROM read_model.histogram_bucket
WHERE run = {run};

-- run: its environment
SELECT *
FROM read_model.run_environment
WHERE run = {run};

-- run: kernels it speaks for
SELECT k.*
FROM read_model.kernel_run x
JOIN read_model.kernel k ON k.id = x.kernel
WHERE x.run = {run};

-- alert: its evidence
SELECT *
FROM read_model.alert_verdict
WHERE alert = {alert};

-- alert: its history
SELECT *
FROM read_model.alert_event
WHERE alert = {alert}
ORDER BY id;

-- suspicions that are open, a quarter
SELECT *
FROM read_model.suspicion
WHERE stand = 'open'
  AND created_at > now() - interval '3 months' LIMIT 200;
