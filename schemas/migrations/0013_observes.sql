-- Extra boots observe something, which changes what they measure: they are never scored.
-- depends: 0012_multiple_testing

ALTER TABLE run ADD COLUMN observes text;

COMMENT ON COLUMN run.observes IS 'what an extra boot observes; it is in no comparison, history or prior; null: a scored boot';
