-- Tries: series of patches that people sent on the pages.  The mails themselves are not shown.

CREATE VIEW try AS
SELECT
  t.id, t.asked_at, t.ended_at, t.by, t.title, t.patches, t.tree, t.base, t.plan, t.board_type,
  t.each, t.state::text AS state, t.reason, t.commit, t.boots, t.comparisons,
  encode(sha256(t.mbox), 'hex') AS mbox_sha256, encode(sha256(t.against), 'hex') AS against_sha256
FROM public.try t;

COMMENT ON VIEW try IS 'a series of patches that somebody has sent on the pages, with its result';
COMMENT ON COLUMN try.boots IS 'planned boots of all kernels; null: it has not begun';
COMMENT ON COLUMN try.against_sha256 IS 'digest of the earlier version that is the base; null: the branch is';
