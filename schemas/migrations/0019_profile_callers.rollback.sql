ALTER TABLE profile DROP COLUMN frames;

ALTER TABLE profile_function DROP COLUMN callers;
