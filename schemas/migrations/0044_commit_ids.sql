-- Ids of commits: 40 hexadecimal digits, or 64 in a repository with SHA-256.
-- depends: 0043_conclusion

ALTER TABLE kernel ALTER COLUMN commit TYPE text;

ALTER TABLE kernel ADD CONSTRAINT kernel_commit_check CHECK (commit ~ '^([0-9a-f]{40}|[0-9a-f]{64})$');

ALTER TABLE branch_head ALTER COLUMN commit TYPE text;

ALTER TABLE branch_head ADD CONSTRAINT branch_head_commit_check CHECK (commit ~ '^([0-9a-f]{40}|[0-9a-f]{64})$');

ALTER TABLE branch_commit ALTER COLUMN commit TYPE text;

ALTER TABLE branch_commit ADD CONSTRAINT branch_commit_commit_check CHECK (commit ~ '^([0-9a-f]{40}|[0-9a-f]{64})$');
