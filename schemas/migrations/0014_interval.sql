-- Cycles that a timer thread skipped enter the quantiles, which takes the distance of its cycles.
-- depends: 0013_observes

ALTER TABLE histogram ADD COLUMN interval integer;

COMMENT ON COLUMN histogram.interval IS 'distance of an instance''s cycles in the unit of the series, where the tool skips the cycles that are due while it waits; null: it does not, or nothing says so';

-- All of cyclictest's runs so far were without --relative.
UPDATE histogram h SET interval = (r.parameters ->> 'interval_us')::integer
FROM run r
WHERE r.id = h.run AND r.benchmark LIKE 'cyclictest-%' AND r.parameters ? 'interval_us';

-- `vlag db migrate` computes these anew.
DELETE FROM run_value v USING histogram h
WHERE v.run = h.run AND h.expected > h.achieved;
