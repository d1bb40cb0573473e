-- Functions shared by the views.  This folder defines the read model (schema `read_model`), which
-- is all that Grafana, the pages and the reports read.  `vlag db migrate` rebuilds it after any
-- change of a file here.

CREATE FUNCTION pairs_of_many(of jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT string_agg(key || '=' || value, ' ' ORDER BY key COLLATE "C") FROM jsonb_each_text(of));

COMMENT ON FUNCTION pairs_of_many IS 'used by pairs only: PostgreSQL calls a function with a subquery and does not inline it';

CREATE FUNCTION pairs(of jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE of WHEN '{}' THEN '' ELSE read_model.pairs_of_many(of) END;

COMMENT ON FUNCTION pairs IS 'an object as text: a=1 b=2';

CREATE FUNCTION worsening(effect double precision, direction public.direction_kind)
RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE direction WHEN 'lower' THEN effect ELSE -effect END;

COMMENT ON FUNCTION worsening IS 'a relative change with its sign adjusted so that above 0 is worse';

-- vlag/stats/severity.py has the same ranks; a test compares both.
CREATE FUNCTION severity(verdict text, standing text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN standing = 'suspected' THEN 2
  WHEN verdict IN ('REGRESSION', 'MIXED') THEN CASE WHEN standing IN ('hint', 'refuted') THEN 3 ELSE 0 END
  WHEN verdict = 'REGRESSION (hint)' THEN 3
  WHEN verdict = 'FAILED' THEN 1
  WHEN verdict = 'SUSPECTED' THEN 2
  WHEN verdict = 'MARGINAL' THEN CASE WHEN standing IN ('hint', 'refuted') THEN 6 ELSE 4 END
  WHEN verdict = 'NOT_COMPARABLE' THEN 5
  WHEN verdict = 'INCONCLUSIVE' THEN 6
  WHEN verdict = 'IMPROVEMENT' THEN CASE WHEN standing IN ('hint', 'refuted') THEN 8 ELSE 7 END
  WHEN verdict = 'UNCHANGED' THEN 9
END;

COMMENT ON FUNCTION severity IS 'rank of a verdict, 0 is worst; standing as in the view verdict, empty for a whole comparison';

CREATE FUNCTION said() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(nullif(current_setting('vlag.said', true), '')::bigint, 9223372036854775807);

COMMENT ON FUNCTION said IS 'views show figures as they were said up to this number: SET vlag.said = 17; by default all that was said';

CREATE FUNCTION covers(later jsonb, earlier jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN later = '[]' OR earlier <> '[]' AND jsonb_path_query_array(earlier, '$[*].benchmark')
  <@ jsonb_path_query_array(later, '$[*].benchmark');

COMMENT ON FUNCTION covers IS 'a comparison of the later scope has all benchmarks of the earlier one';

CREATE FUNCTION size(effect double precision) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN effect IS NULL THEN 0
  WHEN effect <= -1 THEN 1000
  ELSE round(abs(ln(1 + effect))::numeric, 4)::double precision
END;

COMMENT ON FUNCTION size IS 'size of a relative change as |log ratio|, rounded to 0.01 %: halving and doubling are equal; 0: no change';

CREATE FUNCTION is_latency(unit text, direction public.direction_kind)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN unit IN ('ns', 'us', 'ms') AND direction = 'lower';

COMMENT ON FUNCTION is_latency IS 'a time for which lower is better; values in seconds are durations of whole jobs, not latencies';

CREATE FUNCTION is_marked(health jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN health <> '[]' AND (health @> '[{"phase": "setup"}]' OR health @> '[{"phase": "benchmark"}]');

COMMENT ON FUNCTION is_marked IS 'a kernel alarm occurred during setup or measurement';

CREATE FUNCTION fits(name text, pattern text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN name ~ ('^' || replace(replace(replace(
  regexp_replace(pattern, '([.+^$(){}|\\])', '\\\1', 'g'), '*', '.*'), '?', '.'), '[!', '[^') || '$');

COMMENT ON FUNCTION fits IS 'a name fits a pattern of the settings: * is any text, ? a character, [...] one of several';
