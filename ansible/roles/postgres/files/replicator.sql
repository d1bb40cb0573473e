-- The role with which a replica follows; safe to run again.  The file VLAG_REPLICATION_PASSWORD_FILE has its password.
\set password `cat "$VLAG_REPLICATION_PASSWORD_FILE"`
SET log_statement = 'none';
SELECT 'CREATE ROLE replicator LOGIN REPLICATION'
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'replicator')
\gexec
-- It asks for the place of the log there; reader.sql closes that database to everybody else.
GRANT CONNECT ON DATABASE postgres TO replicator;
SELECT format('ALTER ROLE replicator PASSWORD %L', :'password')
\gexec
