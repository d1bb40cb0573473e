-- Code of a time before each command asked whether its database is newer writes no row here: one
-- would lack what later columns mean.  Its sessions set how to plan, but not that they ask.
-- depends: 0038_subjects

CREATE FUNCTION refuse_older_code() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(current_setting('vlag.refuses_newer', true), '') = '' AND (
    SELECT count(*) FROM pg_settings
    WHERE name IN ('jit', 'from_collapse_limit') AND source = 'session') = 2
  THEN
    RAISE EXCEPTION 'the database is newer than this code: update the checkout, or name another database';
  END IF;
  RETURN NULL;
END
$$;

-- A row of sample or histogram comes after one of run; `vlag db partition` wants these bare.
DO $$
DECLARE
  name regclass;
BEGIN
  FOR name IN
    SELECT oid FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      AND relname NOT LIKE '%yoyo%' AND relname NOT IN ('sample', 'histogram')
  LOOP
    EXECUTE format('CREATE TRIGGER newer BEFORE INSERT OR UPDATE OR DELETE ON %s'
      ' FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code()', name);
  END LOOP;
END
$$;
