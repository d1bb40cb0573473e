-- Who calls the functions in which two kernels differ, and the tree of all calls.
-- depends: 0018_profile_paths

ALTER TABLE profile_function ADD COLUMN callers jsonb NOT NULL DEFAULT '[]';

ALTER TABLE profile ADD COLUMN frames jsonb NOT NULL DEFAULT '[]';

COMMENT ON COLUMN profile_function.callers IS 'calls an operation by caller: [{name, base, new, certain}], the most frequent first';

COMMENT ON COLUMN profile.frames IS 'the tree of calls: [[depth, function, base, new]], each before those it calls; instructions an operation with those of what it calls';
