DELETE FROM run_value v USING histogram h
WHERE v.run = h.run AND h.expected > h.achieved;

ALTER TABLE histogram DROP COLUMN interval;
