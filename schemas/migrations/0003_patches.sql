-- The patches that a kernel was built with.
-- depends: 0002_comparisons

ALTER TABLE kernel ADD COLUMN patches jsonb NOT NULL DEFAULT '[]';

COMMENT ON COLUMN kernel.patches IS 'patches of the series that were applied, in order: [{name, sha256}]; the digest covers their sha256';
