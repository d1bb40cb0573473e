-- What bounds the role vlag_reader, which gives SQL of people to the server: run by its
-- superuser in vlag's database, again and again if need be.  server.sql and a service with a
-- server of its own do it.  A session may change its own settings, password included; so the
-- service asks `reader_guard.keep` to end what lasts too long and to put back what was changed.
-- An empty line ends a statement.

ALTER ROLE vlag_reader NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS
  CONNECTION LIMIT 40;

ALTER ROLE vlag_reader RESET ALL;

-- As vlag/store/views.py has them: sessions of whoever reads start with these.
ALTER ROLE vlag_reader SET default_transaction_read_only = 'on';

ALTER ROLE vlag_reader SET statement_timeout = '30s';

ALTER ROLE vlag_reader SET jit = 'off';

ALTER ROLE vlag_reader SET from_collapse_limit = '14';

ALTER ROLE vlag_reader SET join_collapse_limit = '14';

-- No session may lift this one: what a statement sorts on the disk.
ALTER ROLE vlag_reader SET temp_file_limit = '1GB';

-- No database but vlag's.
REVOKE CONNECT ON DATABASE postgres, template1 FROM PUBLIC;

DO $$BEGIN
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO vlag_reader', current_database());
END$$;

REVOKE CREATE ON SCHEMA public FROM PUBLIC;

-- The locks of vlag have numbers that anybody can read; a large object needs no right at all.
DO $$DECLARE f regprocedure; BEGIN
  FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
    AND (proname ~ '^(pg_.*advisory|lo_)' OR proname IN ('loread', 'lowrite',
      'pg_logical_emit_message', 'pg_export_snapshot'))
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO pg_database_owner', f);
  END LOOP;
END$$;

REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC;

GRANT USAGE ON LANGUAGE plpgsql TO pg_database_owner;

CREATE SCHEMA IF NOT EXISTS reader_guard;

REVOKE ALL ON SCHEMA reader_guard FROM PUBLIC;

GRANT USAGE ON SCHEMA reader_guard TO pg_database_owner;

CREATE TABLE IF NOT EXISTS reader_guard.kept (verifier text, config text[]);

REVOKE ALL ON reader_guard.kept FROM PUBLIC;

-- The owner's tools, such as pg_dump, read every table.
GRANT SELECT ON reader_guard.kept TO pg_database_owner;

DELETE FROM reader_guard.kept;

INSERT INTO reader_guard.kept SELECT rolpassword, setconfig
  FROM pg_authid AS a LEFT JOIN pg_db_role_setting AS s ON s.setrole = a.oid AND s.setdatabase = 0
  WHERE rolname = 'vlag_reader';

CREATE OR REPLACE FUNCTION reader_guard.keep(most interval DEFAULT '60 s') RETURNS SETOF text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE one record; kept record; word text;
BEGIN
  FOR one IN SELECT pid, state FROM pg_stat_activity
    WHERE usename = 'vlag_reader' AND pid <> pg_backend_pid() AND (
      (state = 'active' AND clock_timestamp() - query_start > most)
      OR (state LIKE 'idle in transaction%' AND clock_timestamp() - state_change > most)
      OR clock_timestamp() - xact_start > 2 * most)
  LOOP
    PERFORM pg_terminate_backend(one.pid);
    RETURN NEXT format('a session of vlag_reader lasted longer than %s (%s) and was ended',
      most, one.state);
  END LOOP;
  IF pg_is_in_recovery() THEN RETURN; END IF;
  SELECT * INTO kept FROM reader_guard.kept;
  IF kept.verifier IS DISTINCT FROM
    (SELECT rolpassword FROM pg_authid WHERE rolname = 'vlag_reader') AND kept.verifier IS NOT NULL
  THEN
    EXECUTE format('ALTER ROLE vlag_reader PASSWORD %L', kept.verifier);
    RETURN NEXT 'the password of vlag_reader was changed and is put back: schemas/server.sql sets it';
  END IF;
  IF kept.config IS DISTINCT FROM (SELECT setconfig FROM pg_db_role_setting AS s
      JOIN pg_roles AS r ON r.oid = s.setrole WHERE rolname = 'vlag_reader' AND setdatabase = 0)
    OR EXISTS (SELECT FROM pg_db_role_setting AS s JOIN pg_roles AS r ON r.oid = s.setrole
      WHERE rolname = 'vlag_reader' AND setdatabase <> 0)
  THEN
    FOR one IN SELECT datname FROM pg_database AS d JOIN pg_db_role_setting AS s
      ON s.setdatabase = d.oid JOIN pg_roles AS r ON r.oid = s.setrole
      WHERE rolname = 'vlag_reader'
    LOOP
      EXECUTE format('ALTER ROLE vlag_reader IN DATABASE %I RESET ALL', one.datname);
    END LOOP;
    EXECUTE 'ALTER ROLE vlag_reader RESET ALL';
    FOREACH word IN ARRAY coalesce(kept.config, '{}') LOOP
      EXECUTE format('ALTER ROLE vlag_reader SET %I = %L',
        split_part(word, '=', 1), substr(word, strpos(word, '=') + 1));
    END LOOP;
    RETURN NEXT 'the settings of vlag_reader were changed and are put back';
  END IF;
END$$;

REVOKE EXECUTE ON FUNCTION reader_guard.keep(interval) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION reader_guard.keep(interval) TO pg_database_owner;
