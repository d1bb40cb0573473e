-- Kernels, as people call them.

CREATE VIEW kernel AS
SELECT
  k.id,
  k.digest,
  k.tree,
  k.branch,
  k.tree || '/' || k.branch AS branch_name,
  k.commit,
  left(k.commit, 12) AS short_commit,
  k.describe,
  k.subject,
  k.committed_at,
  k.series,
  k.application,
  k.variant,
  k.arch,
  b.release,
  b.location AS build_location,
  coalesce(b.release, k.describe)
    -- Commits between two releases have one release.
    || CASE WHEN k.describe ~ '-g[0-9a-f]{7,40}$' AND strpos(b.release, left(k.commit, 7)) = 0
            THEN ' ' || left(k.commit, 12) ELSE '' END
    || CASE WHEN k.series IS NULL THEN '' ELSE ' + ' || k.series || ' ' || k.application END
    || CASE WHEN jsonb_array_length(k.patches) = 1
            THEN ' ' || regexp_replace(k.patches -> 0 ->> 'name', '\.patch$', '') ELSE '' END
    || CASE k.variant WHEN 'default' THEN '' ELSE ' variant ' || k.variant END AS name,
  ARRAY(
    SELECT p.value ->> 'name' FROM jsonb_array_elements(k.patches) WITH ORDINALITY AS p(value, ord) ORDER BY p.ord
  ) AS patch_names,
  k.kconfig
FROM public.kernel k
LEFT JOIN LATERAL (
  SELECT x.release, x.location FROM build x
  WHERE x.kernel = k.id ORDER BY (x.outcome = 'complete') DESC, x.id DESC LIMIT 1
) b ON true;

COMMENT ON VIEW kernel IS 'one row a kernel: tree @ commit + series application + build-time variant';
COMMENT ON COLUMN kernel.name IS 'what people call it: release, the commit where it is no release, series and application, a lone patch by its name, variant';
COMMENT ON COLUMN kernel.digest IS 'its identity: equal digests are one kernel';
COMMENT ON COLUMN kernel.series IS 'patch series; null: none.  application says how much of it';
COMMENT ON COLUMN kernel.branch IS 'branch or tag under which it was first asked for';
COMMENT ON COLUMN kernel.release IS 'what uname -r says; null: it was never built';
COMMENT ON COLUMN kernel.patch_names IS 'of the series those that were applied, in order';
COMMENT ON COLUMN kernel.kconfig IS 'digest of the make target and all config fragments';
COMMENT ON COLUMN kernel.build_location IS 'folder of its newest build bundle, a complete one first';

-- On a deterministic board the runs of an image are those of every kernel that gave this image.
CREATE VIEW kernel_run AS
SELECT r.kernel, r.id AS run FROM run r
UNION
SELECT b.kernel, r.id
FROM build b
JOIN run r ON (r.image_sha256, r.config_sha256) = (b.image_sha256, b.config_sha256)
JOIN board_type t ON t.name = r.board_type AND t.deterministic
WHERE b.outcome = 'complete';

COMMENT ON VIEW kernel_run IS 'which runs speak for which kernel';
