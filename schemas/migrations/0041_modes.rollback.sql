ALTER TABLE verdict DROP COLUMN conditional_high;
ALTER TABLE verdict DROP COLUMN conditional_low;
ALTER TABLE verdict DROP COLUMN conditional_effect;
ALTER TABLE verdict DROP COLUMN mode;
