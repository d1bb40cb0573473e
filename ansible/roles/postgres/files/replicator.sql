-- The role with which a replica follows; safe to run again.  The file VLAG_REPLICATION_PASSWORD_FILE has its password.
\set password `cat "$VLAG_REPLICATION_PASSWORD_FILE"`
SET log_statement = 'none';
SELECT 'CREATE ROLE replicator LOGIN REPLICATION'
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'replicator')
\gexec
SELECT format('ALTER ROLE replicator PASSWORD %L', :'password')
\gexec
