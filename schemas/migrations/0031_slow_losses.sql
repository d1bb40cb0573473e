-- A loss that came slowly is an alert of its own kind.
-- depends: 0030_run_conditions

ALTER TABLE alert DROP CONSTRAINT alert_kind_check;

ALTER TABLE alert ADD CONSTRAINT alert_kind_check CHECK (kind IN ('regression', 'slow loss', 'no results', 'board'));

ALTER TABLE alert DROP CONSTRAINT alert_check;

ALTER TABLE alert ADD CONSTRAINT alert_check CHECK ((kind IN ('regression', 'slow loss')) = (new_kernel IS NOT NULL));
