-- Build lanes: what breaks, and which warnings are new, in configurations that no board boots.

CREATE VIEW lane AS
SELECT
  l.id, l.tree, l.commit, l.subject, l.parent, l.lane, l.outcome::text AS outcome, l.reason, l.is_new,
  l.warnings, l.unjudged, l.toolchain, public.in_state(l.record) AS record, l.built_at AS at,
  ARRAY(SELECT DISTINCT f.branch FROM public.kernel k JOIN kernel_branch f ON f.kernel = k.id
        WHERE k.tree = l.tree AND k.commit = l.commit ORDER BY 1) AS branches,
  (SELECT count(*) FROM public.lane_finding f
   WHERE f.lane_build = l.id AND f.kind = 'warning') AS new_warnings
FROM public.lane_build l;

COMMENT ON VIEW lane IS 'a commit in a configuration of workers/lanes.toml that was only built';
COMMENT ON COLUMN lane.outcome IS 'builds, breaks or not_applicable; reason says why';
COMMENT ON COLUMN lane.is_new IS 'the parent has another outcome; without a parent a break is new';
COMMENT ON COLUMN lane.warnings IS 'all warnings in scheduler code';
COMMENT ON COLUMN lane.unjudged IS 'why no warning could be held against those of the parent';
COMMENT ON COLUMN lane.branches IS 'those that the kernels of the commit were asked for by';

CREATE VIEW lane_finding AS
SELECT f.lane_build AS lane, f.number, f.kind, f.file, f.line, f.message, f.count, f.is_new
FROM public.lane_finding f;

COMMENT ON VIEW lane_finding IS 'an error of a lane that breaks, or a new warning in scheduler code';
