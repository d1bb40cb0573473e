DROP INDEX run_image;
ALTER TABLE verdict DROP COLUMN new_marked;
ALTER TABLE verdict DROP COLUMN base_marked;
ALTER TABLE comparison DROP COLUMN scope;
ALTER TABLE comparison DROP COLUMN stage;
ALTER TABLE comparison DROP COLUMN plan;
