DROP TABLE branch_commit;

DROP TABLE branch_head;
