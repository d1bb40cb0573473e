DROP INDEX branch_commit_commit;

DROP INDEX kernel_subject;
