-- Kernels with display names and branches.

CREATE VIEW kernel_branch AS
SELECT
  f.kernel,
  f.tree,
  f.name AS branch,
  f.tree || '/' || f.name AS branch_name,
  f.id AS number,
  -- What was on record before the order of a branch was comes before all that was seen since.
  ARRAY[coalesce(c.line, -1), coalesce(c.number, 0), extract(epoch FROM k.committed_at)::bigint, k.id] AS place,
  -- A head that was pushed before a fix may be built after it.
  least(c.seen_at, k.committed_at) AS seen_at
FROM kernel_ref f
JOIN public.kernel k ON k.id = f.kernel
LEFT JOIN branch_commit c ON c.tree = f.tree AND c.branch = f.name AND c.commit = k.commit
WHERE f.is_branch;

COMMENT ON VIEW kernel_branch IS 'one row per kernel and branch that it belongs to: every branch that it was asked for by';
COMMENT ON COLUMN kernel_branch.number IS 'ascends in the order of the requests';
COMMENT ON COLUMN kernel_branch.place IS 'ascends in the order of the branch''s commits, as they were seen in it; commits that no build saw in it come first, by their dates';
COMMENT ON COLUMN kernel_branch.seen_at IS 'when its commit came to this place, or was made, if it says that this was before';

-- A name that is searched for reaches each part of the union: no part computes anything else.
CREATE VIEW kernel_name AS
SELECT f.kernel, f.name, f.is_branch FROM kernel_ref f
UNION ALL
SELECT f.kernel, f.tree || '/' || f.name, f.is_branch FROM kernel_ref f
UNION ALL
SELECT k.id, k.describe, false FROM public.kernel k
UNION ALL
SELECT b.kernel, b.release, NULL FROM build b WHERE b.release IS NOT NULL;

COMMENT ON VIEW kernel_name IS 'one row per kernel and name that a person may know it by; restrict name or kernel';
COMMENT ON COLUMN kernel_name.is_branch IS 'null: a release, which other commits may share';

CREATE VIEW kernel AS
SELECT
  k.id,
  k.digest,
  k.tree,
  f.names[1] AS branch,
  k.tree || '/' || f.names[1] AS branch_name,
  f.names AS branches,
  k.branch AS ref,
  k.commit,
  left(k.commit, 12) AS short_commit,
  k.describe,
  k.subject,
  k.committed_at,
  k.series,
  k.application,
  k.variant,
  k.arch,
  b.built[1] AS release,
  b.built[2] AS build_location,
  coalesce(b.built[1], k.describe)
    -- Commits between two releases have one release.
    || CASE WHEN k.describe ~ '-g[0-9a-f]{7,64}$' AND strpos(b.built[1], left(k.commit, 7)) = 0
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
-- What asks for neither name nor build is spared the search: OFFSET keeps it in one place.
CROSS JOIN LATERAL (
  SELECT (
    SELECT ARRAY[x.release, public.in_state(x.location)] FROM build x
    WHERE x.kernel = k.id ORDER BY (x.outcome = 'complete') DESC, x.id DESC LIMIT 1
  ) AS built
  OFFSET 0
) b
CROSS JOIN LATERAL (
  SELECT ARRAY(SELECT x.branch FROM read_model.kernel_branch x WHERE x.kernel = k.id ORDER BY x.number) AS names
) f;

COMMENT ON VIEW kernel IS 'one row per kernel: tree @ commit + series application + build-time variant';
COMMENT ON COLUMN kernel.name IS 'display name: release, commit if it is not a release, series and application, name of a single patch, variant';
COMMENT ON COLUMN kernel.digest IS 'identity: equal digests are the same kernel';
COMMENT ON COLUMN kernel.series IS 'patch series; null: none.  application selects its patches';
COMMENT ON COLUMN kernel.branch IS 'first branch that it was asked for by; null: only asked for by tags or commits';
COMMENT ON COLUMN kernel.branches IS 'all of them, in the order of the requests; to select a branch, use kernel_branch';
COMMENT ON COLUMN kernel.ref IS 'name of its first request: a branch, tag or commit';
COMMENT ON COLUMN kernel.release IS 'output of uname -r; null: never built';
COMMENT ON COLUMN kernel.patch_names IS 'applied patches of the series, in order';
COMMENT ON COLUMN kernel.kconfig IS 'digest of the make target and all config fragments';
COMMENT ON COLUMN kernel.build_location IS 'folder of its newest build bundle, preferably a complete one';

-- On a deterministic board, kernels with equal images share their runs.
CREATE VIEW kernel_run AS
SELECT r.kernel, r.id AS run FROM run r WHERE r.observes IS NULL
UNION
SELECT b.kernel, r.id
FROM build b
JOIN run r ON (r.image_sha256, r.config_sha256) = (b.image_sha256, b.config_sha256)
JOIN board_type t ON t.name = r.board_type AND t.deterministic
WHERE b.outcome = 'complete' AND r.observes IS NULL;

COMMENT ON VIEW kernel_run IS 'runs that count for a kernel; extra boots, which observe, do not';

CREATE VIEW kernel_build AS
SELECT
  b.id,
  b.kernel,
  b.bundle_digest AS digest,
  b.outcome::text AS outcome,
  b.reason,
  b.release,
  b.image_sha256,
  b.config_sha256,
  b.toolchain,
  b.started_at,
  b.finished_at,
  k.patches
FROM public.build b
JOIN public.kernel k ON k.id = b.kernel;

COMMENT ON VIEW kernel_build IS 'one attempt to build one kernel';
COMMENT ON COLUMN kernel_build.digest IS 'identity of the bundle: equal in every database';
COMMENT ON COLUMN kernel_build.patches IS 'patches that were to be applied, in order: [{name, sha256}]';
