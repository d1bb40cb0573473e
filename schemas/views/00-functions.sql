-- What the views share.  The folder is one schema, `shown`: the only tables that Grafana, the
-- pages and the reports read.  `vlag db migrate` makes it anew whenever a file here changes.

CREATE FUNCTION pairs_of_many(of jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT string_agg(key || '=' || value, ' ' ORDER BY key COLLATE "C") FROM jsonb_each_text(of));

COMMENT ON FUNCTION pairs_of_many IS 'for pairs alone: a function with a subquery is called, not inlined';

CREATE FUNCTION pairs(of jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE of WHEN '{}' THEN '' ELSE read_model.pairs_of_many(of) END;

COMMENT ON FUNCTION pairs IS 'an object as text: a=1 b=2';

CREATE FUNCTION worsening(effect double precision, direction public.direction_kind)
RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE direction WHEN 'lower' THEN effect ELSE -effect END;

COMMENT ON FUNCTION worsening IS 'a relative change with its sign turned so that above 0 is worse';

-- The table is vlag/stats/severity.py; a test holds these two functions to it.
CREATE FUNCTION severity(verdict text, standing text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN standing = 'suspected' THEN 2
  WHEN verdict IN ('REGRESSION', 'MIXED') THEN CASE WHEN standing IN ('hint', 'refuted') THEN 3 ELSE 0 END
  WHEN verdict = 'FAILED' THEN 1
  WHEN verdict = 'SUSPECTED' THEN 2
  WHEN verdict = 'NOT_COMPARABLE' THEN 4
  WHEN verdict = 'INCONCLUSIVE' THEN 5
  WHEN verdict = 'IMPROVEMENT' THEN CASE WHEN standing IN ('hint', 'refuted') THEN 7 ELSE 6 END
  WHEN verdict = 'UNCHANGED' THEN 8
END;

COMMENT ON FUNCTION severity IS 'rank of a verdict, 0 is the worst; standing as in the view verdict, empty for a whole comparison';

CREATE FUNCTION size(effect double precision) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN effect IS NULL THEN 0
  WHEN effect <= -1 THEN 1000
  ELSE round(abs(ln(1 + effect))::numeric, 4)::double precision
END;

COMMENT ON FUNCTION size IS 'of a relative change, as |log ratio| to a hundredth of a percent: halved weighs as much as doubled; 0: there is none';

CREATE FUNCTION is_latency(unit text, direction public.direction_kind)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN unit IN ('ns', 'us', 'ms') AND direction = 'lower';

COMMENT ON FUNCTION is_latency IS 'a time that gets better by getting shorter; whole seconds are the time that a job of work takes';

CREATE FUNCTION is_marked(health jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN health <> '[]' AND (health @> '[{"phase": "setup"}]' OR health @> '[{"phase": "benchmark"}]');

COMMENT ON FUNCTION is_marked IS 'the kernel raised an alarm while it was set up or measured';
