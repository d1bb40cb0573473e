-- What a commit of a rewritten or renamed branch is called now is found by its subject, and by
-- itself in other branches.
-- depends: 0037_places

CREATE INDEX kernel_subject ON kernel (subject);

CREATE INDEX branch_commit_commit ON branch_commit (commit);
