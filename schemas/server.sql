-- Roles and databases of vlag on a PostgreSQL server: run by its administrator, again and
-- again if need be.  Nobody's data is touched; a password that is given is set anew.
--
--   psql -X -d postgres -f schemas/server.sql
--
-- Passwords come from the environment, so that none stands in an argument:
--   VLAG_DATABASE_PASSWORD         of the role vlag (needed)
--   VLAG_READER_PASSWORD           of the role vlag_reader (needed)
--   VLAG_LAVASERVER_PASSWORD       of the role lavaserver, where a LAVA server has its
--                                  database here; without it there is no such database
-- or from files, one line each, whose names stand in the same variables with _FILE at the end.
-- What the reader may see, vlag itself grants (schemas/views/).
\set QUIET on
\set ON_ERROR_STOP on
\getenv vlag_password VLAG_DATABASE_PASSWORD
\getenv reader_password VLAG_READER_PASSWORD
\getenv lavaserver_password VLAG_LAVASERVER_PASSWORD
\getenv vlag_file VLAG_DATABASE_PASSWORD_FILE
\getenv reader_file VLAG_READER_PASSWORD_FILE
\getenv lavaserver_file VLAG_LAVASERVER_PASSWORD_FILE
\if :{?vlag_file}
  \set vlag_password `cat "$VLAG_DATABASE_PASSWORD_FILE"`
\endif
\if :{?reader_file}
  \set reader_password `cat "$VLAG_READER_PASSWORD_FILE"`
\endif
\if :{?lavaserver_file}
  \set lavaserver_password `cat "$VLAG_LAVASERVER_PASSWORD_FILE"`
\endif
\if :{?vlag_password}
\else
  \set vlag_password ''
\endif
\if :{?reader_password}
\else
  \set reader_password ''
\endif
\if :{?lavaserver_password}
\else
  \set lavaserver_password ''
\endif
SELECT :'vlag_password' = '' OR :'reader_password' = '' AS missing \gset
\if :missing
  DO $$BEGIN RAISE EXCEPTION
    'set VLAG_DATABASE_PASSWORD and VLAG_READER_PASSWORD, or the same with _FILE at the end'
    USING HINT = 'they are the passwords of the roles vlag and vlag_reader'; END$$;
\endif
SELECT :'lavaserver_password' <> '' AS with_lava \gset

-- Passwords stay out of the server's log whatever it logs.
SET log_statement = 'none';
SET log_min_duration_statement = -1;
SET log_min_error_statement = 'panic';
SET password_encryption = 'scram-sha-256';

SELECT 'CREATE ROLE vlag LOGIN'
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'vlag') \gexec
ALTER ROLE vlag PASSWORD :'vlag_password';

SELECT 'CREATE ROLE vlag_reader LOGIN'
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'vlag_reader') \gexec
ALTER ROLE vlag_reader PASSWORD :'reader_password';

SELECT format(
  'CREATE DATABASE %I OWNER vlag TEMPLATE template0 ENCODING ''UTF8'' LOCALE ''C.UTF-8''', name)
FROM unnest(ARRAY['vlag', 'buildbot']) AS name
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = name) \gexec

\if :with_lava
  SELECT 'CREATE ROLE lavaserver LOGIN'
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'lavaserver') \gexec
  ALTER ROLE lavaserver PASSWORD :'lavaserver_password';
  SELECT 'CREATE DATABASE lavaserver OWNER lavaserver'
    ' TEMPLATE template0 ENCODING ''UTF8'' LOCALE ''C.UTF-8'''
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'lavaserver') \gexec
  REVOKE CONNECT, TEMPORARY ON DATABASE lavaserver FROM PUBLIC;
\endif

-- Each database is for its owner; of vlag's the reader may see the views.
REVOKE CONNECT, TEMPORARY ON DATABASE vlag, buildbot FROM PUBLIC;
GRANT CONNECT ON DATABASE vlag TO vlag_reader;

\set administered :DBNAME
\connect vlag
SET log_statement = 'none';
SET log_min_duration_statement = -1;
\ir reader.sql
\connect :"administered"
