-- What a comparison was restricted to, and which of its numbers a kernel alarm marks.
-- depends: 0003_patches

ALTER TABLE comparison ADD COLUMN plan text;

ALTER TABLE comparison ADD COLUMN stage text CHECK (stage IN ('screen', 'confirm'));

ALTER TABLE comparison ADD COLUMN scope jsonb NOT NULL DEFAULT '[]';

ALTER TABLE comparison ADD CHECK ((plan IS NULL) = (stage IS NULL));

COMMENT ON COLUMN comparison.plan IS 'plan whose entries alone were compared; null: every run on record';

COMMENT ON COLUMN comparison.stage IS 'screen: the boots of every kernel; confirm: the fresh boots that a suspicion asked for';

COMMENT ON COLUMN comparison.scope IS 'what counted: [{benchmark, parameters, first, last}], seeds first to last, null: any; []: all there was';

ALTER TABLE verdict ADD COLUMN base_marked integer NOT NULL DEFAULT 0;

ALTER TABLE verdict ADD COLUMN new_marked integer NOT NULL DEFAULT 0;

COMMENT ON COLUMN verdict.base_marked IS 'boots of the base whose kernel raised an alarm while measuring; their numbers count';

COMMENT ON COLUMN verdict.new_marked IS 'boots of the new kernel with such an alarm';

COMMENT ON COLUMN run.health IS 'alarms, stalls and taints of the kernel: [{kind, line, text, phase, detail}]; old bundles have no phase and detail';

CREATE INDEX run_image ON run (image_sha256, config_sha256);
