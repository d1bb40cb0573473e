DROP TABLE prediction;

DROP TABLE kernel_ref;

COMMENT ON COLUMN kernel.branch IS 'branch or tag under which the kernel was first asked for';

CREATE INDEX kernel_branch ON kernel (branch);

CREATE INDEX kernel_branch_name ON kernel ((tree || '/' || branch));
