-- A kernel belongs to every branch that it was asked for by; a tag is not a branch.
-- depends: 0015_marginal

CREATE TABLE kernel_ref (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kernel    bigint NOT NULL REFERENCES kernel,
  tree      text NOT NULL,
  name      text NOT NULL,
  is_branch boolean NOT NULL,
  UNIQUE (kernel, name)
);

COMMENT ON TABLE kernel_ref IS 'names that a kernel was asked for by, in the order of the first request';

COMMENT ON COLUMN kernel_ref.tree IS 'tree of the kernel, for the index';

COMMENT ON COLUMN kernel_ref.is_branch IS 'false: a tag or a commit, as of a baseline';

CREATE INDEX kernel_ref_branch ON kernel_ref (tree, name) WHERE is_branch;

CREATE INDEX kernel_ref_branch_name ON kernel_ref ((tree || '/' || name)) WHERE is_branch;

-- A name that is the whole `git describe` text is a tag.
INSERT INTO kernel_ref (kernel, tree, name, is_branch)
SELECT x.kernel, k.tree, x.name,
  x.name <> k.describe AND NOT (length(x.name) >= 7 AND starts_with(k.commit::text, x.name))
FROM (
  SELECT n.kernel, n.name, min(n.ord) AS ord FROM (
    SELECT id AS kernel, branch AS name, 0 AS ord FROM kernel
    UNION ALL
    SELECT kernel, document -> 'kernel' ->> 'branch', id FROM build WHERE document -> 'kernel' ? 'branch'
  ) n GROUP BY n.kernel, n.name
) x
JOIN kernel k ON k.id = x.kernel
ORDER BY x.kernel, x.ord;

-- A build that was reused left no record of the branch; a patched kernel of the same commit did.
INSERT INTO kernel_ref (kernel, tree, name, is_branch)
SELECT DISTINCT k.id, k.tree, f.name, true
FROM kernel k
JOIN kernel p ON p.tree = k.tree AND p.commit = k.commit AND p.variant = k.variant AND p.arch = k.arch
  AND p.kconfig = k.kconfig AND p.series IS NOT NULL
JOIN kernel_ref f ON f.kernel = p.id AND f.is_branch
WHERE k.series IS NULL
  AND NOT EXISTS (SELECT FROM kernel_ref x WHERE x.kernel = k.id AND x.is_branch)
  AND EXISTS (SELECT FROM comparison c WHERE c.new_kernel = k.id AND c.role IS NOT NULL)
ON CONFLICT DO NOTHING;

-- Alerts open under a tag; the next derivation renews their titles.
UPDATE alert a SET branch = (
  SELECT f.name FROM kernel_ref f WHERE f.kernel = a.new_kernel AND f.is_branch ORDER BY f.id LIMIT 1
)
FROM kernel_ref t
WHERE t.kernel = a.new_kernel AND t.name = a.branch AND NOT t.is_branch;

COMMENT ON COLUMN kernel.branch IS 'name of the first request: a branch, tag or commit; kernel_ref has all';

DROP INDEX kernel_branch_name;

DROP INDEX kernel_branch;

-- The self-proof is apart from what a branch is judged by.
CREATE TABLE prediction (
  comparison bigint PRIMARY KEY REFERENCES comparison,
  name       text NOT NULL,
  good       boolean NOT NULL,
  text       text NOT NULL
);

COMMENT ON TABLE prediction IS 'comparisons that hold the predictions in the header of a patch';

COMMENT ON COLUMN prediction.name IS 'the patch with its knobs and the board type';

COMMENT ON COLUMN prediction.good IS 'all is as predicted; what could not be judged is not';

COMMENT ON COLUMN prediction.text IS 'the same in a few words';
