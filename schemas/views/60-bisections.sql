-- Since when: the commit that made a figure of a comparison worse, by git bisect.

CREATE VIEW bisection AS
SELECT
  l.comparison, b.id, b.tree, b.board_type, b.benchmark, read_model.pairs(b.parameters) AS parameters,
  b.metric, b.statistic, b.good, b.bad, b.commits, b.subject, b.steps, b.between, b.effect, b.share,
  b.recovered, b.no_revert, b.document, b.created_at AS at,
  (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
      'branch', f.branch, 'head', f.head, 'commits', f.commits, 'subject', f.subject,
      'release', f.release, 'says_so', f.says_so, 'between', f.between, 'why', f.why
    ) ORDER BY f.created_at, f.branch), '[]')
    FROM public.fix_search f WHERE f.bisection = b.id
  ) AS fixes
FROM public.bisection b
JOIN public.bisection_comparison l ON l.bisection = b.id;

COMMENT ON VIEW bisection IS 'the first commit that made a figure of a comparison worse; its base lacks the commit, its new kernel has it';
COMMENT ON COLUMN bisection.commits IS 'one; several where skipped commits hide which of them it is';
COMMENT ON COLUMN bisection.effect IS 'relative change of bad against good, 0.01 = 1 %';
COMMENT ON COLUMN bisection.share IS 'part of that change between the culprit and its parent, on fresh seeds; null: not verified';
COMMENT ON COLUMN bisection.recovered IS 'part of that change that the revert of the culprit takes back; null: no_revert says why';
COMMENT ON COLUMN bisection.fixes IS 'what took the loss back on which branch, as far as it was searched; no commits: none up to the head';
COMMENT ON COLUMN bisection.document IS 'the whole result, as vlag bisect --format json prints it, and the command';

CREATE VIEW fix AS
SELECT
  l.comparison, f.bisection, f.branch, f.head, f.commits, f.subject, f.release, f.says_so, f.between,
  f.why, f.created_at AS at
FROM public.fix_search f
JOIN public.bisection_comparison l ON l.bisection = f.bisection;

COMMENT ON VIEW fix IS 'what took back what a comparison shows, as far as it was searched; no commits: none up to the head';
COMMENT ON COLUMN fix.branch IS 'with its tree where the culprit was found in another one';
COMMENT ON COLUMN fix.at IS 'when the search ended';

CREATE VIEW search_progress AS
SELECT
  p.comparison, p.tree, p.benchmark, read_model.pairs(p.parameters) AS parameters, p.likeliest,
  p.credible, p.several, p.ended, p.updated_at AS at
FROM public.search_progress p
WHERE NOT EXISTS (
  SELECT FROM public.bisection b JOIN public.bisection_comparison l ON l.bisection = b.id
  WHERE l.comparison = p.comparison AND b.benchmark = p.benchmark
);

COMMENT ON VIEW search_progress IS 'a search that has named no commit so far, where all boots together give each commit a chance';
COMMENT ON COLUMN search_progress.likeliest IS 'commit, subject and chance of the likeliest commits, these first';
COMMENT ON COLUMN search_progress.credible IS 'the fewest commits that together have the culprit with a chance of 0.95';
COMMENT ON COLUMN search_progress.several IS 'chance that no single commit made the change';
COMMENT ON COLUMN search_progress.ended IS 'the search has ended and names none; else it goes on';
