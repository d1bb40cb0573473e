-- What the views share.  The folder is one schema, `shown`: the only tables that Grafana, the
-- pages and the reports read.  `vlag db migrate` makes it anew whenever a file here changes.

CREATE FUNCTION pairs_of_many(of jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT string_agg(key || '=' || value, ' ' ORDER BY key) FROM jsonb_each_text(of));

COMMENT ON FUNCTION pairs_of_many IS 'for pairs alone: a function with a subquery is called, not inlined';

CREATE FUNCTION pairs(of jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE of WHEN '{}' THEN '' ELSE shown.pairs_of_many(of) END;

COMMENT ON FUNCTION pairs IS 'an object as text: a=1 b=2';

CREATE FUNCTION worsening(effect double precision, direction public.direction_kind)
RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE direction WHEN 'lower' THEN effect ELSE -effect END;

COMMENT ON FUNCTION worsening IS 'a relative change with its sign turned so that above 0 is worse';

CREATE FUNCTION is_latency(unit text, direction public.direction_kind)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN unit IN ('ns', 'us', 'ms') AND direction = 'lower';

COMMENT ON FUNCTION is_latency IS 'a time that gets better by getting shorter; whole seconds are the time that a job of work takes';

CREATE FUNCTION is_marked(health jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN health <> '[]' AND (health @> '[{"phase": "setup"}]' OR health @> '[{"phase": "benchmark"}]');

COMMENT ON FUNCTION is_marked IS 'the kernel raised an alarm while it was set up or measured';
