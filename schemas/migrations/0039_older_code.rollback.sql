DROP FUNCTION refuse_older_code() CASCADE;
