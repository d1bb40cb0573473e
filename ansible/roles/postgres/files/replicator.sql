-- The role with which a replica follows; safe to run again.  VLAG_REPLICATION_PASSWORD is its password.
\getenv password VLAG_REPLICATION_PASSWORD
SET log_statement = 'none';
SELECT 'CREATE ROLE replicator LOGIN REPLICATION'
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'replicator')
\gexec
SELECT format('ALTER ROLE replicator PASSWORD %L', :'password')
\gexec
