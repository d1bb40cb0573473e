ALTER TABLE branch_commit DROP CONSTRAINT branch_commit_commit_check;

ALTER TABLE branch_commit ALTER COLUMN commit TYPE char(40);

ALTER TABLE branch_head DROP CONSTRAINT branch_head_commit_check;

ALTER TABLE branch_head ALTER COLUMN commit TYPE char(40);

ALTER TABLE kernel DROP CONSTRAINT kernel_commit_check;

ALTER TABLE kernel ALTER COLUMN commit TYPE char(40);
