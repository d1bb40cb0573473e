UPDATE alert SET kind = 'regression' WHERE kind = 'slow loss';
ALTER TABLE alert DROP CONSTRAINT alert_kind_check;
ALTER TABLE alert ADD CONSTRAINT alert_kind_check CHECK (kind IN ('regression', 'no results', 'board'));
ALTER TABLE alert DROP CONSTRAINT alert_check;
ALTER TABLE alert ADD CONSTRAINT alert_check CHECK ((kind = 'regression') = (new_kernel IS NOT NULL));
