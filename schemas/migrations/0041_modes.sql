-- What a verdict's sentence says of a new mode, and of a confirmed change given that it passed, is
-- kept as data too.
-- depends: 0039_older_code

ALTER TABLE verdict ADD COLUMN mode text;

COMMENT ON COLUMN verdict.mode IS 'the boots in a new mode, with their seeds; null: none are known';

ALTER TABLE verdict ADD COLUMN conditional_effect double precision;

ALTER TABLE verdict ADD COLUMN conditional_low double precision;

ALTER TABLE verdict ADD COLUMN conditional_high double precision;

COMMENT ON COLUMN verdict.conditional_effect IS 'a confirmed change given that it passed, with the interval conditional_low to conditional_high; null: effect needs no correction, nothing is confirmed, or it was not kept yet';

-- Earlier rows have the mode in their sentence alone.
UPDATE verdict SET mode = substring(reason FROM
  '\d+ of \d+ boots (?:loses?|gains?) \S+ %; of the base''s \d+, (?:none|\d+)(?: \(seeds? [^)]+\))?')
WHERE reason LIKE '%; of the base''s %';
