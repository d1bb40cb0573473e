-- Why: what two kernels execute for an operation of a benchmark, by function.

CREATE VIEW profile AS
SELECT
  c.id AS comparison, p.id, p.board_type, p.base_kernel, p.new_kernel, c.base, c.new, c.branch_name,
  p.benchmark, read_model.pairs(p.parameters) AS parameters, p.operation,
  p.base_instructions, p.new_instructions, p.new_instructions - p.base_instructions AS change,
  (p.new_instructions - p.base_instructions) / nullif(p.base_instructions, 0) AS effect,
  p.base_sched, p.new_sched, p.base_user, p.new_user,
  p.base_operations, p.new_operations,
  cardinality(p.base_runs) AS n_base, cardinality(p.new_runs) AS n_new,
  p.base_runs, p.new_runs, p.others, p.others_change, p.sentence, p.frames, p.created_at AS at
FROM public.profile p
JOIN comparison c
  ON c.base_kernel = p.base_kernel AND c.new_kernel = p.new_kernel
  AND read_model.pairs(p.base_knobs) = c.base_knobs AND read_model.pairs(p.new_knobs) = c.new_knobs
  AND c.board_type = p.board_type;

COMMENT ON VIEW profile IS 'a benchmark of a comparison that a deterministic board has counted: kernel instructions an operation of both kernels';
COMMENT ON COLUMN profile.effect IS 'relative change of the instructions, 0.01 = 1 %';
COMMENT ON COLUMN profile.base_sched IS 'instructions in kernel/sched, a part of base_instructions; base_user is not';
COMMENT ON COLUMN profile.base_operations IS 'operations a boot; n_base are the boots, which observe and are never scored';
COMMENT ON COLUMN profile.frames IS 'the tree of calls: [[depth, function, base, new]], each before those it calls; instructions an operation with those of what it calls';
COMMENT ON COLUMN profile.others IS 'functions that differ and are not in profile_function; others_change is their part of change';

CREATE VIEW profile_function AS
SELECT
  f.profile, f.number, f.name, f.source, f.base_calls, f.base_instructions, f.new_calls, f.new_instructions,
  f.change, f.certain, f.callers
FROM public.profile_function f;

COMMENT ON VIEW profile_function IS 'a function of a profile, calls and instructions an operation; the largest change first';
COMMENT ON COLUMN profile_function.base_calls IS 'null: this side never executed the function';
COMMENT ON COLUMN profile_function.certain IS 'boots of one kernel do not differ by as much';
COMMENT ON COLUMN profile_function.callers IS 'calls an operation by caller: [{name, base, new, certain}], the most frequent first; only where the function is certain';

CREATE VIEW profile_decision AS
SELECT p.id AS profile, d.ord::integer AS number, d.value ->> 'what' AS what,
  (d.value ->> 'base')::double precision AS base_value, (d.value ->> 'new')::double precision AS new_value,
  coalesce((d.value ->> 'certain')::boolean, false) AS certain
FROM public.profile p
CROSS JOIN LATERAL jsonb_array_elements(p.decisions) WITH ORDINALITY AS d(value, ord);

COMMENT ON VIEW profile_decision IS 'how often the scheduler decided something, for an operation of the benchmark';
COMMENT ON COLUMN profile_decision.base_value IS 'null: this kernel has no function to count, or has it in its callers';
COMMENT ON COLUMN profile_decision.certain IS 'boots of one kernel do not differ by as much';

CREATE VIEW profile_path AS
SELECT
  l.profile, l.number, l.metric, l.unit, l.relevance, l.base_values, l.new_values,
  l.base_level, l.new_level, l.verdict, l.effect, l.ci_low, l.ci_high, l.p, l.reason
FROM public.profile_path l;

COMMENT ON VIEW profile_path IS 'a figure of the path of a profile with its verdict, for an operation of the benchmark; less is better';
COMMENT ON COLUMN profile_path.unit IS 'instructions, or calls of the function that metric names';
COMMENT ON COLUMN profile_path.base_values IS 'one a boot; null: this kernel has no such function, or has it in its callers';
COMMENT ON COLUMN profile_path.base_level IS 'geometric mean over boots; new_level = base_level * (1 + effect)';
COMMENT ON COLUMN profile_path.effect IS 'relative change, 0.01 = 1 %; its 95 % interval is ci_low to ci_high';

CREATE VIEW sampled_profile AS
SELECT
  c.id AS comparison, p.id, p.board_type, p.base_kernel, p.new_kernel, c.base, c.new, c.branch_name,
  p.benchmark, read_model.pairs(p.parameters) AS parameters, p.operation, p.event,
  (p.figures #>> '{kernel,base}')::double precision AS base_value,
  (p.figures #>> '{kernel,new}')::double precision AS new_value,
  (p.figures #>> '{kernel,change}')::double precision AS change,
  (p.figures #>> '{kernel,change}')::double precision
    / nullif((p.figures #>> '{kernel,base}')::double precision, 0) AS effect,
  p.base_runs, p.new_runs, p.figures, p.sentence, p.created_at AS at
FROM public.sampled_profile p
JOIN comparison c
  ON c.base_kernel = p.base_kernel AND c.new_kernel = p.new_kernel
  AND read_model.pairs(p.base_knobs) = c.base_knobs AND read_model.pairs(p.new_knobs) = c.new_knobs
  AND c.board_type = p.board_type;

COMMENT ON VIEW sampled_profile IS 'a benchmark of a comparison whose events a board with a PMU has sampled: events in the kernel for an operation';
COMMENT ON COLUMN sampled_profile.effect IS 'relative change of the events, 0.01 = 1 %';
COMMENT ON COLUMN sampled_profile.base_runs IS 'the boots, which observe and are never scored';
COMMENT ON COLUMN sampled_profile.figures IS 'kernel, user, functions and others, each {name, base, new, change, interval, certain}';

CREATE VIEW decided_differently AS
SELECT
  c.id AS comparison, p.id, p.board_type, p.base_kernel, p.new_kernel, c.base, c.new, c.branch_name,
  p.benchmark, read_model.pairs(p.parameters) AS parameters, p.base_runs, p.new_runs, p.told, p.sentence,
  p.timeline IS NOT NULL AS has_timeline, p.created_at AS at
FROM public.decided_differently p
JOIN comparison c
  ON c.base_kernel = p.base_kernel AND c.new_kernel = p.new_kernel
  AND read_model.pairs(p.base_knobs) = c.base_knobs AND read_model.pairs(p.new_knobs) = c.new_knobs
  AND c.board_type = p.board_type;

COMMENT ON VIEW decided_differently IS 'a benchmark of a comparison whose decisions a deterministic board has written down: the first one that differs, or that none does';
COMMENT ON COLUMN decided_differently.base_runs IS 'the boots, one a seed, which observe and are never scored';
COMMENT ON COLUMN decided_differently.told IS 'seeds with their first decision, classes and waits, and the rules over all seeds';
COMMENT ON COLUMN decided_differently.has_timeline IS 'decision_timeline has a file of this id';

CREATE VIEW decision_timeline AS
SELECT p.id, p.benchmark, p.timeline FROM public.decided_differently p WHERE p.timeline IS NOT NULL;

COMMENT ON VIEW decision_timeline IS 'a file of Perfetto: who ran on each CPU of both kernels next to the first decision that differs, and each difference there';
COMMENT ON COLUMN decision_timeline.id IS 'that of decided_differently';

CREATE VIEW sampled_function AS
SELECT p.id AS profile, f.ord::integer AS number, f.value ->> 'name' AS name,
  (f.value ->> 'base')::double precision AS base_value, (f.value ->> 'new')::double precision AS new_value,
  (f.value ->> 'change')::double precision AS change,
  (f.value #>> '{interval,0}')::double precision AS low, (f.value #>> '{interval,1}')::double precision AS high,
  (f.value ->> 'certain')::boolean AS certain
FROM public.sampled_profile p
CROSS JOIN LATERAL jsonb_array_elements(p.figures -> 'functions') WITH ORDINALITY AS f(value, ord);

COMMENT ON VIEW sampled_function IS 'a function of a sampled profile, events for an operation; the largest change first';
COMMENT ON COLUMN sampled_function.low IS 'of the change, low to high is its 95 % interval, for all functions together; null: one boot a side';
COMMENT ON COLUMN sampled_function.certain IS 'the interval leaves 0 out';

CREATE VIEW path_point AS
SELECT
  p.id, p.kernel, k.tree, k.commit, k.describe, k.subject, k.committed_at, k.series, k.variant,
  p.board_type, p.benchmark, read_model.pairs(p.parameters) AS parameters, p.seed, p.setup,
  p.operation, p.run, p.path_count
FROM public.path_point p
JOIN public.kernel k ON k.id = p.kernel;

COMMENT ON VIEW path_point IS 'what an operation of a benchmark executes in a kernel, counted in one boot of a deterministic board';
COMMENT ON COLUMN path_point.setup IS 'digest of all but the commit that counts depend on; only equal ones are compared';
COMMENT ON COLUMN path_point.path_count IS 'the counts: equal where kernels are of one program, or execute the same to the last instruction';

CREATE VIEW path_count AS
SELECT c.id, c.operations, c.metrics, c.functions FROM public.path_count c;

COMMENT ON VIEW path_count IS 'what a boot executed: metrics for an operation, [[metric, level]], and instructions of functions in the whole boot';
