DROP TABLE change_point;
DROP TABLE shift;
DROP TABLE family_verdict;
DROP TABLE family;
DROP TABLE suspicion;
ALTER TABLE verdict DROP COLUMN stand, DROP COLUMN suspect, DROP COLUMN boots_needed, DROP COLUMN p_zero;
COMMENT ON COLUMN verdict.p IS NULL;
ALTER TABLE comparison DROP COLUMN round;
DROP TYPE stand_kind;
