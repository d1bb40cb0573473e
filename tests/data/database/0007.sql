-- The database of commit 412ed19; made by tests.integration.old_database.
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE TYPE public.direction_kind AS ENUM (
    'higher',
    'lower'
);
COMMENT ON TYPE public.direction_kind IS 'which way a metric gets better';
CREATE TYPE public.outcome_kind AS ENUM (
    'complete',
    'patch_failed',
    'build_failed',
    'panic',
    'hang',
    'benchmark_failed'
);
COMMENT ON TYPE public.outcome_kind IS 'what became of a build or a run; all but complete are the failure of the kernel itself';
CREATE TYPE public.stand_kind AS ENUM (
    'open',
    'confirmed',
    'refuted',
    'undecided'
);
COMMENT ON TYPE public.stand_kind IS 'what became of a suspicion: open, more fresh boots are due; confirmed; refuted; undecided, the bound of fresh boots was reached';
CREATE TYPE public.verdict_kind AS ENUM (
    'REGRESSION',
    'IMPROVEMENT',
    'UNCHANGED',
    'INCONCLUSIVE',
    'NOT_COMPARABLE'
);
COMMENT ON TYPE public.verdict_kind IS 'answer of one comparison of one statistic of one series';
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public._yoyo_log (
    id character varying(36) NOT NULL,
    migration_hash character varying(64),
    migration_id character varying(255),
    operation character varying(10),
    username character varying(255),
    hostname character varying(255),
    comment character varying(255),
    created_at_utc timestamp without time zone
);
CREATE TABLE public._yoyo_migration (
    migration_hash character varying(64) NOT NULL,
    migration_id character varying(255),
    applied_at_utc timestamp without time zone
);
CREATE TABLE public._yoyo_version (
    version integer NOT NULL,
    installed_at_utc timestamp without time zone
);
CREATE TABLE public.board (
    name text NOT NULL,
    board_type text NOT NULL
);
CREATE TABLE public.board_check (
    id bigint NOT NULL,
    board text NOT NULL,
    run bigint NOT NULL,
    conditions character(64) NOT NULL,
    finding text NOT NULL,
    accepted boolean NOT NULL,
    level double precision,
    noise double precision,
    band jsonb,
    sentence text NOT NULL,
    CONSTRAINT board_check_check CHECK (((level IS NULL) = (noise IS NULL))),
    CONSTRAINT board_check_check1 CHECK ((accepted = (finding = ANY (ARRAY['in band'::text, 'too little history'::text, 'equal'::text, 'first'::text])))),
    CONSTRAINT board_check_finding_check CHECK ((finding = ANY (ARRAY['in band'::text, 'too little history'::text, 'level left'::text, 'noise left'::text, 'equal'::text, 'first'::text, 'differs'::text, 'failed'::text]))),
    CONSTRAINT board_check_level_check CHECK ((level > (0)::double precision)),
    CONSTRAINT board_check_noise_check CHECK ((noise > (0)::double precision))
);
COMMENT ON TABLE public.board_check IS 'one boot of the baseline kernel with the noise-floor benchmark, and what it says of its board';
COMMENT ON COLUMN public.board_check.conditions IS 'digest of all that must be equal for two checks to share a band: benchmark, parameters, tool, image, knobs';
COMMENT ON COLUMN public.board_check.finding IS 'of a board with a band: in band, too little history, level left, noise left; of a deterministic one: equal, first, differs; failed: nothing was measured';
COMMENT ON COLUMN public.board_check.accepted IS 'may become part of the band, and vouches for the runs before it';
COMMENT ON COLUMN public.board_check.level IS 'median in the unit of the metric; null: deterministic board, or failed';
COMMENT ON COLUMN public.board_check.noise IS 'P99 by the median';
COMMENT ON COLUMN public.board_check.band IS 'the band it was judged by; null: none';
ALTER TABLE public.board_check ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.board_check_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.board_doubt (
    id bigint NOT NULL,
    board text NOT NULL,
    since timestamp with time zone,
    until timestamp with time zone,
    found_by bigint NOT NULL,
    lifted_at timestamp with time zone,
    lifted_by text,
    CONSTRAINT board_doubt_check CHECK (((lifted_at IS NULL) = (lifted_by IS NULL)))
);
COMMENT ON TABLE public.board_doubt IS 'spans of time in which the runs of a board do not count';
COMMENT ON COLUMN public.board_doubt.since IS 'end of the last good check; null: there was none';
COMMENT ON COLUMN public.board_doubt.until IS 'when the board was called good again; null: not yet';
COMMENT ON COLUMN public.board_doubt.found_by IS 'the check that the board failed';
COMMENT ON COLUMN public.board_doubt.lifted_by IS 'person who said that the runs count after all';
ALTER TABLE public.board_doubt ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.board_doubt_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.board_state (
    id bigint NOT NULL,
    board text NOT NULL,
    state text NOT NULL,
    since timestamp with time zone NOT NULL,
    reason text NOT NULL,
    by text NOT NULL,
    new_band boolean DEFAULT false NOT NULL,
    CONSTRAINT board_state_check CHECK (((NOT new_band) OR (state = 'good'::text))),
    CONSTRAINT board_state_state_check CHECK ((state = ANY (ARRAY['good'::text, 'maintenance'::text])))
);
COMMENT ON TABLE public.board_state IS 'states of boards; the one with the highest id holds, a board with none is good';
COMMENT ON COLUMN public.board_state.by IS 'a person, or check N';
COMMENT ON COLUMN public.board_state.new_band IS 'checks before it are no part of the band any more: the board was repaired or changed';
ALTER TABLE public.board_state ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.board_state_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.board_type (
    name text NOT NULL,
    arch text NOT NULL,
    deterministic boolean NOT NULL,
    cpus integer NOT NULL,
    limits text,
    CONSTRAINT board_type_cpus_check CHECK ((cpus > 0))
);
COMMENT ON TABLE public.board_type IS 'a kind of board: all that must be equal for two numbers to be compared';
COMMENT ON COLUMN public.board_type.deterministic IS 'equal run keys give equal samples, so a repeat is no second observation';
COMMENT ON COLUMN public.board_type.limits IS 'what its numbers cannot show; said wherever they are shown';
CREATE TABLE public.build (
    id bigint NOT NULL,
    kernel bigint NOT NULL,
    bundle_digest character(64) NOT NULL,
    outcome public.outcome_kind NOT NULL,
    reason text,
    release text,
    image_sha256 character(64),
    config_sha256 character(64),
    toolchain text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    location text NOT NULL,
    document jsonb NOT NULL,
    CONSTRAINT build_check CHECK (((outcome = 'complete'::public.outcome_kind) = (reason IS NULL))),
    CONSTRAINT build_check1 CHECK (((outcome <> 'complete'::public.outcome_kind) OR ((image_sha256 IS NOT NULL) AND (config_sha256 IS NOT NULL)))),
    CONSTRAINT build_outcome_check CHECK ((outcome = ANY (ARRAY['complete'::public.outcome_kind, 'patch_failed'::public.outcome_kind, 'build_failed'::public.outcome_kind])))
);
COMMENT ON TABLE public.build IS 'one attempt to build one kernel';
COMMENT ON COLUMN public.build.bundle_digest IS 'SHA-256 of the canonical JSON of build.json: one bundle is one row';
COMMENT ON COLUMN public.build.reason IS 'first error of a build that failed';
COMMENT ON COLUMN public.build.release IS 'what uname -r says';
COMMENT ON COLUMN public.build.location IS 'folder of the bundle when it was ingested';
COMMENT ON COLUMN public.build.document IS 'build.json as it was ingested';
ALTER TABLE public.build ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.build_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.change_point (
    id bigint NOT NULL,
    series bigint NOT NULL,
    statistic text NOT NULL,
    tree text NOT NULL,
    branch text NOT NULL,
    before_kernel bigint NOT NULL,
    kernel bigint NOT NULL,
    effect double precision NOT NULL,
    ci_low double precision NOT NULL,
    ci_high double precision NOT NULL,
    cause text NOT NULL,
    found_at timestamp with time zone DEFAULT now() NOT NULL,
    withdrawn_at timestamp with time zone,
    CONSTRAINT change_point_cause_check CHECK ((cause = ANY (ARRAY['kernel'::text, 'board'::text])))
);
COMMENT ON TABLE public.change_point IS 'steps in the history of a series along a branch';
COMMENT ON COLUMN public.change_point.kernel IS 'first kernel of the new segment; before_kernel is the last of the old one';
COMMENT ON COLUMN public.change_point.cause IS 'board: the baseline kernel stepped with it';
COMMENT ON COLUMN public.change_point.withdrawn_at IS 'later data removed it; null: it stands';
ALTER TABLE public.change_point ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.change_point_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.comparison (
    id bigint NOT NULL,
    inputs character(64) NOT NULL,
    base_kernel bigint NOT NULL,
    new_kernel bigint NOT NULL,
    board_type text NOT NULL,
    base_knobs jsonb NOT NULL,
    new_knobs jsonb NOT NULL,
    factors jsonb NOT NULL,
    failed_builds bigint[] NOT NULL,
    failed_runs bigint[] NOT NULL,
    notes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    plan text,
    stage text,
    scope jsonb DEFAULT '[]'::jsonb NOT NULL,
    round integer,
    CONSTRAINT comparison_check CHECK (((plan IS NULL) = (stage IS NULL))),
    CONSTRAINT comparison_check1 CHECK (((round IS NOT NULL) = ((stage IS NOT NULL) AND (stage = 'confirm'::text)))),
    CONSTRAINT comparison_round_check CHECK ((round > 0)),
    CONSTRAINT comparison_stage_check CHECK ((stage = ANY (ARRAY['screen'::text, 'confirm'::text])))
);
COMMENT ON TABLE public.comparison IS 'two kernels on one board type, over the runs that were on record then';
COMMENT ON COLUMN public.comparison.inputs IS 'digest of kernels, knobs, runs, builds and declared metrics: equal inputs are stored once';
COMMENT ON COLUMN public.comparison.factors IS 'what differs on purpose: factor -> {base, new}';
COMMENT ON COLUMN public.comparison.failed_builds IS 'builds of either kernel that failed';
COMMENT ON COLUMN public.comparison.failed_runs IS 'runs of either kernel that panicked, hung or failed';
COMMENT ON COLUMN public.comparison.notes IS 'runs that were left out and why, repeats that disagree';
COMMENT ON COLUMN public.comparison.plan IS 'plan whose entries alone were compared; null: every run on record';
COMMENT ON COLUMN public.comparison.stage IS 'screen: the boots of every kernel; confirm: the fresh boots that a suspicion asked for';
COMMENT ON COLUMN public.comparison.scope IS 'what counted: [{benchmark, parameters, first, last}], seeds first to last, null: any; []: all there was';
COMMENT ON COLUMN public.comparison.round IS 'of stage confirm: fresh boots are doubled from round to round';
ALTER TABLE public.comparison ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.comparison_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.family (
    id bigint NOT NULL,
    key character(64) NOT NULL,
    q double precision NOT NULL,
    tests integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
COMMENT ON TABLE public.family IS 'all tests of one night, over which the share of false discoveries is held at q';
COMMENT ON COLUMN public.family.key IS 'digest of its comparisons: one night is judged once';
ALTER TABLE public.family ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.family_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.family_verdict (
    family bigint NOT NULL,
    verdict bigint NOT NULL,
    p double precision NOT NULL,
    told boolean NOT NULL
);
COMMENT ON TABLE public.family_verdict IS 'changes that a night found, and whether they stand among all of its tests';
COMMENT ON COLUMN public.family_verdict.p IS 'that counts in the family: of a confirmed one the screening level times p of the fresh boots';
CREATE TABLE public.histogram (
    run bigint NOT NULL,
    series bigint NOT NULL,
    bounds integer[] NOT NULL,
    counts bigint[] NOT NULL,
    overflow bigint[] NOT NULL,
    overflow_from integer NOT NULL,
    maximum double precision[] NOT NULL,
    instances text[] NOT NULL,
    expected bigint,
    achieved bigint NOT NULL
);
COMMENT ON TABLE public.histogram IS 'a distribution of one series from one run, as the tool counted it';
COMMENT ON COLUMN public.histogram.bounds IS 'where each bucket begins, ascending; only buckets that were hit';
COMMENT ON COLUMN public.histogram.counts IS 'two dimensions: instances x bounds';
COMMENT ON COLUMN public.histogram.overflow IS 'samples beyond the last bucket, one number an instance';
COMMENT ON COLUMN public.histogram.overflow_from IS 'first value that counts as overflow';
COMMENT ON COLUMN public.histogram.maximum IS 'largest value seen, one number an instance';
COMMENT ON COLUMN public.histogram.expected IS 'samples that the parameters ask for, all instances together; null: no such number';
COMMENT ON COLUMN public.histogram.achieved IS 'samples that the tool took: what is missing is a tail nobody saw';
CREATE TABLE public.kernel (
    id bigint NOT NULL,
    digest character(64) NOT NULL,
    tree text NOT NULL,
    branch text NOT NULL,
    commit character(40) NOT NULL,
    describe text NOT NULL,
    subject text NOT NULL,
    committed_at timestamp with time zone NOT NULL,
    series text,
    application text NOT NULL,
    variant text NOT NULL,
    arch text NOT NULL,
    kconfig character(64) NOT NULL,
    patches jsonb DEFAULT '[]'::jsonb NOT NULL
);
COMMENT ON TABLE public.kernel IS 'tree @ commit + series application + build-time variant';
COMMENT ON COLUMN public.kernel.branch IS 'branch or tag under which the kernel was first asked for';
COMMENT ON COLUMN public.kernel.describe IS 'nearest tag and distance, for people';
COMMENT ON COLUMN public.kernel.series IS 'patch series of kernel-patches/; null: none';
COMMENT ON COLUMN public.kernel.application IS 'how much of the series is applied: none, full, solo(i), prefix(i), without(i)';
COMMENT ON COLUMN public.kernel.kconfig IS 'digest of the make target and all config fragments';
COMMENT ON COLUMN public.kernel.patches IS 'patches of the series that were applied, in order: [{name, sha256}]; the digest covers their sha256';
ALTER TABLE public.kernel ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.kernel_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.run (
    id bigint NOT NULL,
    bundle_digest character(64) NOT NULL,
    run_key character(64) NOT NULL,
    kernel bigint NOT NULL,
    image_sha256 character(64) NOT NULL,
    config_sha256 character(64) NOT NULL,
    board text NOT NULL,
    board_type text NOT NULL,
    plan text,
    benchmark text NOT NULL,
    parameters jsonb NOT NULL,
    seed bigint NOT NULL,
    knobs jsonb NOT NULL,
    outcome public.outcome_kind NOT NULL,
    reason text,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    estimate_s double precision NOT NULL,
    environment jsonb NOT NULL,
    health jsonb NOT NULL,
    emulator jsonb,
    suspect text,
    location text NOT NULL,
    executor jsonb NOT NULL,
    synthetic boolean NOT NULL,
    document jsonb NOT NULL,
    tool_version text,
    CONSTRAINT run_check CHECK (((outcome = 'complete'::public.outcome_kind) = (reason IS NULL))),
    CONSTRAINT run_outcome_check CHECK ((outcome <> ALL (ARRAY['patch_failed'::public.outcome_kind, 'build_failed'::public.outcome_kind])))
);
COMMENT ON TABLE public.run IS 'one boot of one kernel on one board under one plan entry';
COMMENT ON COLUMN public.run.bundle_digest IS 'SHA-256 of the canonical JSON of run.json: one bundle is one row';
COMMENT ON COLUMN public.run.run_key IS 'digest of all that goes into the run; on a deterministic board equal keys give equal samples';
COMMENT ON COLUMN public.run.plan IS 'null: started by hand';
COMMENT ON COLUMN public.run.knobs IS 'run-time knobs that were asked for and read back';
COMMENT ON COLUMN public.run.estimate_s IS 'host seconds the run was expected to take';
COMMENT ON COLUMN public.run.environment IS 'what the board said about itself: file or section -> text, "unreadable: WHY" for what it could not read';
COMMENT ON COLUMN public.run.health IS 'alarms, stalls and taints of the kernel: [{kind, line, text, phase, detail}]; old bundles have no phase and detail';
COMMENT ON COLUMN public.run.emulator IS 'program, version and sha256; figures differ between versions; null on hardware';
COMMENT ON COLUMN public.run.suspect IS 'why a person took the run out of comparisons; null: it counts';
COMMENT ON COLUMN public.run.location IS 'folder of the bundle when it was ingested';
COMMENT ON COLUMN public.run.executor IS 'which LAVA ran it, job id';
COMMENT ON COLUMN public.run.synthetic IS 'figures from a report, not from a boot; never compared with those of boots';
COMMENT ON COLUMN public.run.document IS 'run.json as it was ingested';
COMMENT ON COLUMN public.run.tool_version IS 'version of the tool that measured; null: no figures, or stored before it was noted';
ALTER TABLE public.run ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE VIEW public.run_in_doubt AS
 SELECT DISTINCT ON (r.id) r.id AS run,
    r.board,
    d.id AS doubt,
    d.since,
    c.sentence AS reason
   FROM ((public.board_doubt d
     JOIN public.board_check c ON ((c.id = d.found_by)))
     JOIN public.run r ON ((r.board = d.board)))
  WHERE ((d.lifted_at IS NULL) AND (NOT r.synthetic) AND ((d.since IS NULL) OR (r.finished_at > d.since)) AND ((d.until IS NULL) OR (r.started_at < d.until)))
  ORDER BY r.id, d.id;
COMMENT ON VIEW public.run_in_doubt IS 'runs that comparisons leave out because their board was not itself';
CREATE TABLE public.sample (
    run bigint NOT NULL,
    series bigint NOT NULL,
    "values" double precision[] NOT NULL,
    instances text[] NOT NULL,
    absent text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT sample_check CHECK ((cardinality("values") = cardinality(instances))),
    CONSTRAINT sample_check1 CHECK (((cardinality("values") + cardinality(absent)) > 0))
);
COMMENT ON TABLE public.sample IS 'numbers of one series from one run, in the order the tool gave them';
COMMENT ON COLUMN public.sample.instances IS 'one label a value; empty where the tool gives one figure';
COMMENT ON COLUMN public.sample.absent IS 'instances that the tool looked for and said are not there';
CREATE TABLE public.series (
    id bigint NOT NULL,
    key character(64) NOT NULL,
    benchmark text NOT NULL,
    parameters jsonb NOT NULL,
    metric text NOT NULL,
    unit text NOT NULL,
    direction public.direction_kind NOT NULL,
    tool text NOT NULL,
    tool_version text NOT NULL,
    defaults jsonb NOT NULL,
    board_type text NOT NULL
);
COMMENT ON TABLE public.series IS 'what is measured; two values may be compared only with one series';
COMMENT ON COLUMN public.series.key IS 'digest of all other columns but direction';
COMMENT ON COLUMN public.series.tool_version IS 'version of the tool, or the first of a range within which the catalogue calls the metric one series, as in 0.15.06+';
COMMENT ON COLUMN public.series.defaults IS 'effective settings of the tool that change what the metric means';
ALTER TABLE public.series ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.series_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.shift (
    comparison bigint NOT NULL,
    benchmark text NOT NULL,
    parameters jsonb NOT NULL,
    metric text NOT NULL,
    unit text NOT NULL,
    p double precision NOT NULL,
    suspect boolean NOT NULL,
    worse boolean NOT NULL,
    better boolean NOT NULL,
    headline text NOT NULL,
    quantiles jsonb NOT NULL,
    unknown text[] NOT NULL,
    base_achieved double precision,
    new_achieved double precision
);
COMMENT ON TABLE public.shift IS 'where a distribution moved between the two sides of a comparison, a boot being one observation';
COMMENT ON COLUMN public.shift.p IS 'of the null: the distribution is the same; by permutation of boots, over all quantiles at once';
COMMENT ON COLUMN public.shift.suspect IS 'some part moved beyond the relevance';
COMMENT ON COLUMN public.shift.quantiles IS '[{name, base, new, effect, low, high, p, moved}]: medians over boots in unit, relative effects with simultaneous 95 % intervals';
COMMENT ON COLUMN public.shift.unknown IS 'quantiles that some boot does not know';
COMMENT ON COLUMN public.shift.base_achieved IS 'share of the expected samples that was taken; null: the tool does not say';
CREATE TABLE public.suspicion (
    id bigint NOT NULL,
    base_kernel bigint NOT NULL,
    new_kernel bigint NOT NULL,
    base_knobs jsonb NOT NULL,
    new_knobs jsonb NOT NULL,
    board_type text NOT NULL,
    benchmark text NOT NULL,
    parameters jsonb NOT NULL,
    metric text NOT NULL,
    statistic text NOT NULL,
    worse boolean NOT NULL,
    hint boolean NOT NULL,
    stand public.stand_kind DEFAULT 'open'::public.stand_kind NOT NULL,
    boots integer DEFAULT 0 NOT NULL,
    p double precision,
    raised_by bigint,
    decided_by bigint,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL
);
COMMENT ON TABLE public.suspicion IS 'a change that screening saw, and what fresh boots made of it';
COMMENT ON COLUMN public.suspicion.worse IS 'which way: true is a regression';
COMMENT ON COLUMN public.suspicion.boots IS 'fresh boots a side so far, the smaller side';
COMMENT ON COLUMN public.suspicion.p IS 'of no change at all, over the fresh boots and allowing for the rounds; null: none so far';
COMMENT ON COLUMN public.suspicion.raised_by IS 'the screen; null: the watch on the history of the series';
COMMENT ON COLUMN public.suspicion.decided_by IS 'the last comparison of fresh boots; null: none so far';
ALTER TABLE public.suspicion ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.suspicion_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.verdict (
    id bigint NOT NULL,
    comparison bigint NOT NULL,
    benchmark text NOT NULL,
    parameters jsonb NOT NULL,
    metric text NOT NULL,
    statistic text NOT NULL,
    series_base bigint,
    series_new bigint,
    unit text NOT NULL,
    direction public.direction_kind NOT NULL,
    base_value double precision,
    new_value double precision,
    effect double precision,
    ci_low double precision,
    ci_high double precision,
    n_base integer NOT NULL,
    n_new integer NOT NULL,
    p double precision,
    verdict public.verdict_kind NOT NULL,
    reason text NOT NULL,
    hint boolean NOT NULL,
    base_runs bigint[] NOT NULL,
    new_runs bigint[] NOT NULL,
    base_achieved bigint,
    base_expected bigint,
    new_achieved bigint,
    new_expected bigint,
    base_marked integer DEFAULT 0 NOT NULL,
    new_marked integer DEFAULT 0 NOT NULL,
    p_zero double precision,
    boots_needed integer,
    suspect boolean DEFAULT false NOT NULL,
    stand public.stand_kind
);
COMMENT ON COLUMN public.verdict.statistic IS 'median of the numbers of a boot, or of a distribution: p50, p90, p99, p99.9, p99.99, max';
COMMENT ON COLUMN public.verdict.series_base IS 'null: the base has no run of it';
COMMENT ON COLUMN public.verdict.base_value IS 'median over boots, in unit';
COMMENT ON COLUMN public.verdict.effect IS 'relative change, 0.01 = 1 %';
COMMENT ON COLUMN public.verdict.ci_low IS 'lower end of the 95 % interval of effect';
COMMENT ON COLUMN public.verdict.n_base IS 'boots; the unit of replication';
COMMENT ON COLUMN public.verdict.p IS 'p of the null: the change is within the relevance';
COMMENT ON COLUMN public.verdict.reason IS 'why the verdict is what it is, one sentence';
COMMENT ON COLUMN public.verdict.hint IS 'a cross-CPU figure of a deterministic board: may raise a suspicion, confirms nothing';
COMMENT ON COLUMN public.verdict.base_runs IS 'runs whose numbers were used';
COMMENT ON COLUMN public.verdict.base_achieved IS 'samples taken in all boots of the base; null where the metric is no histogram';
COMMENT ON COLUMN public.verdict.base_expected IS 'samples that were asked for in all boots of the base';
COMMENT ON COLUMN public.verdict.base_marked IS 'boots of the base whose kernel raised an alarm while measuring; their numbers count';
COMMENT ON COLUMN public.verdict.new_marked IS 'boots of the new kernel with such an alarm';
COMMENT ON COLUMN public.verdict.p_zero IS 'p of the null: there is no change at all; of stage confirm allowing for the rounds';
COMMENT ON COLUMN public.verdict.boots_needed IS 'boots a side that would decide; null: decided, or more than anybody runs';
COMMENT ON COLUMN public.verdict.suspect IS 'worth fresh boots, which alone may confirm it';
COMMENT ON COLUMN public.verdict.stand IS 'of stage confirm: what the fresh boots say of a change; null: not of that stage, or not comparable';
ALTER TABLE public.verdict ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.verdict_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.yoyo_lock (
    locked integer DEFAULT 1 NOT NULL,
    ctime timestamp without time zone,
    pid integer NOT NULL
);
INSERT INTO public._yoyo_log VALUES ('fe469338-e62e-11f1-8e20-02fc00000001', 'dcbd49fa225d31ce273d4832b33c3cac67fde2ede8f1522b911c33fce4158d54', '0001_kernels_and_runs', 'apply', 'root', 'localhost', NULL, '2026-11-22 04:41:33.414247');
INSERT INTO public._yoyo_log VALUES ('fe4c2956-e62e-11f1-8e20-02fc00000001', '9ab8ff80a5f0a1ddab21100a9dabe94a7bcbcac1bbe552356c4a6da842848ace', '0002_comparisons', 'apply', 'root', 'localhost', NULL, '2026-11-22 04:41:33.44875');
INSERT INTO public._yoyo_log VALUES ('fe4e17ca-e62e-11f1-8e20-02fc00000001', 'ca1be2e7ad576a02f6673eba898a7e9a4439c629df571f122e036674ef9863d3', '0003_patches', 'apply', 'root', 'localhost', NULL, '2026-11-22 04:41:33.461323');
INSERT INTO public._yoyo_log VALUES ('fe5158f4-e62e-11f1-8e20-02fc00000001', '2ef6af6429079555bdfb6828506f43a6e29b0755467af3b42e5df3f25c5fed27', '0004_comparison_scope', 'apply', 'root', 'localhost', NULL, '2026-11-22 04:41:33.482601');
INSERT INTO public._yoyo_log VALUES ('fe542a3e-e62e-11f1-8e20-02fc00000001', 'fcb4f5627c0085c1ea8781407c1315040659ad4df7a506e403a08950556e8030', '0005_catalogue', 'apply', 'root', 'localhost', NULL, '2026-11-22 04:41:33.501088');
INSERT INTO public._yoyo_log VALUES ('fe5c23c4-e62e-11f1-8e20-02fc00000001', '664cb0489f6a86467cb0c5d2193d4ced989a3b5299fcbcb63edcd8c650e54859', '0006_statistics', 'apply', 'root', 'localhost', NULL, '2026-11-22 04:41:33.553544');
INSERT INTO public._yoyo_log VALUES ('fe631440-e62e-11f1-8e20-02fc00000001', '7ca78b627238080980835c77e7b1470603ccc0dac98f558b27598f003d03b072', '0007_boards', 'apply', 'root', 'localhost', NULL, '2026-11-22 04:41:33.598854');
INSERT INTO public._yoyo_migration VALUES ('dcbd49fa225d31ce273d4832b33c3cac67fde2ede8f1522b911c33fce4158d54', '0001_kernels_and_runs', '2026-11-22 04:41:33.418082');
INSERT INTO public._yoyo_migration VALUES ('9ab8ff80a5f0a1ddab21100a9dabe94a7bcbcac1bbe552356c4a6da842848ace', '0002_comparisons', '2026-11-22 04:41:33.449977');
INSERT INTO public._yoyo_migration VALUES ('ca1be2e7ad576a02f6673eba898a7e9a4439c629df571f122e036674ef9863d3', '0003_patches', '2026-11-22 04:41:33.464996');
INSERT INTO public._yoyo_migration VALUES ('2ef6af6429079555bdfb6828506f43a6e29b0755467af3b42e5df3f25c5fed27', '0004_comparison_scope', '2026-11-22 04:41:33.488315');
INSERT INTO public._yoyo_migration VALUES ('fcb4f5627c0085c1ea8781407c1315040659ad4df7a506e403a08950556e8030', '0005_catalogue', '2026-11-22 04:41:33.504442');
INSERT INTO public._yoyo_migration VALUES ('664cb0489f6a86467cb0c5d2193d4ced989a3b5299fcbcb63edcd8c650e54859', '0006_statistics', '2026-11-22 04:41:33.55599');
INSERT INTO public._yoyo_migration VALUES ('7ca78b627238080980835c77e7b1470603ccc0dac98f558b27598f003d03b072', '0007_boards', '2026-11-22 04:41:33.599864');
INSERT INTO public._yoyo_version VALUES (2, '2026-11-22 04:41:33.233417');
INSERT INTO public.board VALUES ('qemu-sim-2-1', 'qemu-sim-2');
INSERT INTO public.board_type VALUES ('qemu-sim-2', 'x86_64', true, 2, 'A virtual board whose clock counts instructions: it shows path length and scheduling decisions, not caches, memory or parallelism. Its CPUs take turns on one thread, so cross-CPU latencies are hints and confirm nothing.');
INSERT INTO public.build OVERRIDING SYSTEM VALUE VALUES (1, 1, '333de8b4b174a6ebd774fcfc906dcea1aba3453be0f5270a09c1e1c4fdac6798', 'complete', NULL, 'debian/6.1.170-1-vlag', 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'gcc 12.2.0', '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', '/srv/vlag/var/builds/c1803964900f', '{"kind": "build", "files": [{"path": "bzImage", "bytes": 70, "sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473"}, {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, {"path": "build.log", "bytes": 5, "sha256": "c117ade9ea8a00abe926dfed79297a9a3632defb97a3ffd1baf33fe92704aa0f"}], "image": {"path": "bzImage", "bytes": 70, "sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473"}, "config": {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "reproduce": "vlag build --tree debian --ref 5798758bbc833df09bceba3fb38dfa95dbe82d1a --board-type qemu-sim-2", "toolchain": "gcc 12.2.0", "started_at": "2026-03-01T10:00:00Z", "environment": {}, "finished_at": "2026-03-01T10:05:00Z"}');
INSERT INTO public.build OVERRIDING SYSTEM VALUE VALUES (2, 10, 'cefa47d305afb11b43678dfe7359fde4323de5434ab14c9fb8985fcb99a38cf0', 'complete', NULL, 'debian/6.12.170-1-vlag', '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'gcc 12.2.0', '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', '/srv/vlag/var/builds/c9009c103473', '{"kind": "build", "files": [{"path": "bzImage", "bytes": 70, "sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1"}, {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, {"path": "build.log", "bytes": 5, "sha256": "c117ade9ea8a00abe926dfed79297a9a3632defb97a3ffd1baf33fe92704aa0f"}], "image": {"path": "bzImage", "bytes": 70, "sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1"}, "config": {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "reproduce": "vlag build --tree debian --ref e4d86b820871b1f065479509c0993f2676311899 --board-type qemu-sim-2", "toolchain": "gcc 12.2.0", "started_at": "2026-03-01T10:00:00Z", "environment": {}, "finished_at": "2026-03-01T10:05:00Z"}');
INSERT INTO public.comparison OVERRIDING SYSTEM VALUE VALUES (1, '59a1bf6155e88bf1d0dd328cc9eec98872a36f35b0199ac899bfdef3914b830f', 1, 10, 'qemu-sim-2', '{}', '{}', '{"kernel": {"new": "debian e4d86b820871 (debian/6.12.170-1)", "base": "debian 5798758bbc83 (debian/6.1.170-1)"}}', '{}', '{}', '{}', '2026-11-22 04:41:34.014521+00', NULL, NULL, '[]', NULL);
INSERT INTO public.histogram VALUES (6, 11, '{18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,46,66,67}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{46,67}', '{0,1}', 1000, 1000);
INSERT INTO public.histogram VALUES (7, 11, '{19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,47,67,68}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{47,68}', '{0,1}', 1000, 1000);
INSERT INTO public.histogram VALUES (8, 11, '{18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,46,66,67}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{46,67}', '{0,1}', 1000, 1000);
INSERT INTO public.histogram VALUES (14, 11, '{18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,46,66,67}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{46,67}', '{0,1}', 1000, 1000);
INSERT INTO public.histogram VALUES (15, 11, '{19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,47,67,68}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{47,68}', '{0,1}', 1000, 1000);
INSERT INTO public.histogram VALUES (16, 11, '{18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,46,66,67}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{46,67}', '{0,1}', 1000, 1000);
INSERT INTO public.kernel OVERRIDING SYSTEM VALUE VALUES (1, 'c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451', 'debian', 'linux-6.1', '5798758bbc833df09bceba3fb38dfa95dbe82d1a', 'debian/6.1.170-1', 'linux-source-6.1 6.1.170-1', '2026-02-20 00:00:00+00', NULL, 'none', 'default', 'x86_64', '35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81', '[]');
INSERT INTO public.kernel OVERRIDING SYSTEM VALUE VALUES (10, 'c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad', 'debian', 'linux-6.12', 'e4d86b820871b1f065479509c0993f2676311899', 'debian/6.12.170-1', 'linux-source-6.12 6.12.170-1', '2026-02-20 00:00:00+00', NULL, 'none', 'default', 'x86_64', '35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81', '[]');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (1, '1b55b6a3d44abfce8ab504370af3933b06e035d34a74b856154554bde1b417ab', '4a6bc516215d6381d09653438e45e990acaee6a6515d77b7e3a4cec749705689', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 1, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/4be177964bf4/stress-ng-switch-1', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1b9262d3307984adaeb4b51092d3eaf7a22e791d0696492e39a1c9a83d877bb2"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "4a6bc516215d6381d09653438e45e990acaee6a6515d77b7e3a4cec749705689", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (2, '417025f4bb51138908c06c9d7866a5bbd5911c41cbc2fda6a88a74d653b6fde3', 'efca84aff33de9d11e9fd54f32b14f84f89104d49233383d440aa53a0d21376b', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 2, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/4be177964bf4/stress-ng-switch-2', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1bf65e6b14c2c8adb0833d10b69b9159c9a3a0ef1d72b5cf5ebd7dc5eaddeba0"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "efca84aff33de9d11e9fd54f32b14f84f89104d49233383d440aa53a0d21376b", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (3, 'e945b9dc393f0f89170d9c442fd681ee99206539d60a3295e46bbce7416ba6a0', '19d783da5d434f45445b9acbe80a7569aa6f3c00f598528ccf15427c560556e1', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 3, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/4be177964bf4/stress-ng-switch-3', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "82102eadbf79587098559a9a3f8f0923097a3654b3d829bda53aac0ff1894092"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "19d783da5d434f45445b9acbe80a7569aa6f3c00f598528ccf15427c560556e1", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (4, '59fc33f462070e095cb31a612a0a2588c22cf22bded5a3adc7e373785d18a0ab', '3827e9ecdc820a5c45dcaa0f1264c61718a909385bf6b94336f9e90a876e4338', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 4, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/4be177964bf4/stress-ng-switch-4', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 4, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "6964f542799a520091a7eafbe57d678715f9f130f7f63ca357a28773db898381"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "3827e9ecdc820a5c45dcaa0f1264c61718a909385bf6b94336f9e90a876e4338", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 4", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "2351aa422d6bdddf2c439428b9bdf8de2543b126eea823ed49c4fa4cdc9f0305", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (5, '0e0baca9e2696bad3bd499e4652e9905a73a487e063f972d89ad60e9ee6df534', '888780055f08f9003175fee0d7064ce285181270f6a3faa6aa20b09ceaedaae4', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 5, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/4be177964bf4/stress-ng-switch-5', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 5, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "8ea685258b5c14fc6a29867fa479b8eae890cc112e02c5457063d26e18e9de8a"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "888780055f08f9003175fee0d7064ce285181270f6a3faa6aa20b09ceaedaae4", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 5", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "7bc4956fdc9e23e961db83224792c179f11c35ec3f393a79fe5433968887e43e", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (6, '0db89eb91ee2d89f2718877c615fe38cfeb49a1233ccb9ea8028e240899c52f1', '9d78172c9f0b274dca3cbe973683de79720c8da5008041b9582731bb6d041c3b', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}', 1, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/4be177964bf4/cyclictest-hackbench-1', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "8215ca0b3edd89058daf3c04812ff6816c2fbb4ea2e01b7c4610faa81bdd0c81"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "9d78172c9f0b274dca3cbe973683de79720c8da5008041b9582731bb6d041c3b", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/c1803964900f cyclictest-hackbench --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (7, '30cd8be75d9879f31b949062c1ea4074cdbcc17c527acccf2ac4896bd7ab3ca1', '7c37bc41c9903c53009909566935e41f22b0b60e0b4d26251289f53d1fa7cd9c', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}', 2, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/4be177964bf4/cyclictest-hackbench-2', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "198c8817c2996b02cc8844a2ee3d9814893c8a65bc69240045a4bf1909d48aa2"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "7c37bc41c9903c53009909566935e41f22b0b60e0b4d26251289f53d1fa7cd9c", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/c1803964900f cyclictest-hackbench --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (8, 'e73f01a7c15cfd21787df09ffd9040cc79c4c327baa55bdbfb0023e286470995', '9ca953a210052ea267de64ca3b146d4ab0b81c0cabbaaf5ca1dc7b6e52b835fb', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}', 3, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/4be177964bf4/cyclictest-hackbench-3', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "8215ca0b3edd89058daf3c04812ff6816c2fbb4ea2e01b7c4610faa81bdd0c81"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "9ca953a210052ea267de64ca3b146d4ab0b81c0cabbaaf5ca1dc7b6e52b835fb", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/c1803964900f cyclictest-hackbench --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (9, '067d9d6bd3b0f8c6d54abb49f16b420039786c027414b9d8e315395ead4dd8e7', 'abd7006132cac304a9261dbea63346748cbd1f0cc167985e2f41fe2ee9bdc74d', 10, '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 1, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/575e909cda31/stress-ng-switch-1', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "6d4ac7a6d0a86cf6aef2a5f2aeed80e0467b6c421926d9969c360cc259b9c99a"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "run_key": "abd7006132cac304a9261dbea63346748cbd1f0cc167985e2f41fe2ee9bdc74d", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c9009c103473 stress-ng-switch --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (10, '13f8e4af23f93bfdbb2246ec9f4cf0d0e32bdcb76ffa469056333ab2a68b497f', '036c1e7a50f51256cd10a617b336176831de3ddcaa12e19bfd68a6e0662b1582', 10, '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 2, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/575e909cda31/stress-ng-switch-2', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "c27fdd59cfb717194841997fd4c68eaff237ec474eec028c7c1db03370fd72e8"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "run_key": "036c1e7a50f51256cd10a617b336176831de3ddcaa12e19bfd68a6e0662b1582", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c9009c103473 stress-ng-switch --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (11, '8b9b2a1e5aa3f8e83cded0a84bb11a336f029cdf71f0a843460111e4531350bd', 'ec7e68c5603fd3c77102f5ce3f3ecd32e46da928871478eeb098e9bf94a5ce74', 10, '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 3, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/575e909cda31/stress-ng-switch-3', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "04f2baaabc908187d1d7118964785bc4c06877d2db7e75ba3d3f08bb176a5d48"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "run_key": "ec7e68c5603fd3c77102f5ce3f3ecd32e46da928871478eeb098e9bf94a5ce74", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c9009c103473 stress-ng-switch --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (12, '2c3d975df8a9c2fa4e3d0b2826d254e9456337f41ad99934555c0f8fad325ab7', 'c223d4998d17dc7359396e92b60500be9135aac813a8a17ba38bcf076370f692', 10, '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 4, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/575e909cda31/stress-ng-switch-4', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 4, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "37cba2b9a4e262659373023427c40da46aa34d9d09fae69ef110ccfb50324378"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "run_key": "c223d4998d17dc7359396e92b60500be9135aac813a8a17ba38bcf076370f692", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c9009c103473 stress-ng-switch --seed 4", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "2351aa422d6bdddf2c439428b9bdf8de2543b126eea823ed49c4fa4cdc9f0305", "image_sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (13, '7709d305266d0223928fcde02e3353c46df4f81b9dfd51b679916b657827f125', '22b79d5588060c200501341206c9679d0fc7181401fc4bf5975160615abfdab6', 10, '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 5, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/575e909cda31/stress-ng-switch-5', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 5, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "cf96cab2ce0b731e5108727ed929290ff02d038c4a7464e1f561013f1b5d01ea"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "run_key": "22b79d5588060c200501341206c9679d0fc7181401fc4bf5975160615abfdab6", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c9009c103473 stress-ng-switch --seed 5", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "7bc4956fdc9e23e961db83224792c179f11c35ec3f393a79fe5433968887e43e", "image_sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (14, 'f722538b2caff2cc582b4c7e551b4ef33193051aa36633c20c672875d7a20202', '2f34249755c8340a1f0ea5a958bb168f9e65da55a3c783d62ecd0ea8eb6343ad', 10, '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}', 1, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/575e909cda31/cyclictest-hackbench-1', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "8215ca0b3edd89058daf3c04812ff6816c2fbb4ea2e01b7c4610faa81bdd0c81"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "run_key": "2f34249755c8340a1f0ea5a958bb168f9e65da55a3c783d62ecd0ea8eb6343ad", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/c9009c103473 cyclictest-hackbench --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (15, 'ecc1e016edca7b8762aa2f9fbb0e7aa0efb1d442eb1cd125c5f85435777af996', '43b93f5b962efb8fded228681576395aeed5804fc529b2d6415b9f5effa34dc4', 10, '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}', 2, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/575e909cda31/cyclictest-hackbench-2', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "198c8817c2996b02cc8844a2ee3d9814893c8a65bc69240045a4bf1909d48aa2"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "run_key": "43b93f5b962efb8fded228681576395aeed5804fc529b2d6415b9f5effa34dc4", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/c9009c103473 cyclictest-hackbench --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (16, '9d453bd4b911f96c0110a5629dd64541ff9b19e9f47b60016c48b93e617d6230', '290a2d687f1d8181c50200cf6461b33d8e4c85b47712a3e0ff7dc724cdbb3a62', 10, '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}', 3, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/575e909cda31/cyclictest-hackbench-3', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "8215ca0b3edd89058daf3c04812ff6816c2fbb4ea2e01b7c4610faa81bdd0c81"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "run_key": "290a2d687f1d8181c50200cf6461b33d8e4c85b47712a3e0ff7dc724cdbb3a62", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/c9009c103473 cyclictest-hackbench --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40');
INSERT INTO public.sample VALUES (1, 1, '{443124.79}', '{""}', '{}');
INSERT INTO public.sample VALUES (1, 2, '{2255.82}', '{""}', '{}');
INSERT INTO public.sample VALUES (2, 1, '{443567.91}', '{""}', '{}');
INSERT INTO public.sample VALUES (2, 2, '{2253.57}', '{""}', '{}');
INSERT INTO public.sample VALUES (3, 1, '{442681.67}', '{""}', '{}');
INSERT INTO public.sample VALUES (3, 2, '{2258.08}', '{""}', '{}');
INSERT INTO public.sample VALUES (4, 1, '{443346.35}', '{""}', '{}');
INSERT INTO public.sample VALUES (4, 2, '{2254.69}', '{""}', '{}');
INSERT INTO public.sample VALUES (5, 1, '{442903.23}', '{""}', '{}');
INSERT INTO public.sample VALUES (5, 2, '{2256.95}', '{""}', '{}');
INSERT INTO public.sample VALUES (9, 1, '{398812.31}', '{""}', '{}');
INSERT INTO public.sample VALUES (9, 2, '{2506.47}', '{""}', '{}');
INSERT INTO public.sample VALUES (10, 1, '{399211.12}', '{""}', '{}');
INSERT INTO public.sample VALUES (10, 2, '{2503.96}', '{""}', '{}');
INSERT INTO public.sample VALUES (11, 1, '{398413.5}', '{""}', '{}');
INSERT INTO public.sample VALUES (11, 2, '{2508.98}', '{""}', '{}');
INSERT INTO public.sample VALUES (12, 1, '{399011.72}', '{""}', '{}');
INSERT INTO public.sample VALUES (12, 2, '{2505.21}', '{""}', '{}');
INSERT INTO public.sample VALUES (13, 1, '{398612.9}', '{""}', '{}');
INSERT INTO public.sample VALUES (13, 2, '{2507.72}', '{""}', '{}');
INSERT INTO public.series OVERRIDING SYSTEM VALUE VALUES (1, '600455be869e4cb0027a2244a8c1f2a90c825de587ab2b20067f89e850fc371a', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'bogo-ops-rate', '1/s', 'higher', 'stress-ng', '0.15.06+', '{"mean": "geometric", "method": "pipe"}', 'qemu-sim-2');
INSERT INTO public.series OVERRIDING SYSTEM VALUE VALUES (2, '9ed472aee2a16be083d9b6af2f4cb1716172c5992fa9350fe2b0b98e66843e89', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'time-per-switch', 'ns', 'lower', 'stress-ng', '0.15.06+', '{"mean": "geometric", "method": "pipe"}', 'qemu-sim-2');
INSERT INTO public.series OVERRIDING SYSTEM VALUE VALUES (11, 'b29ba9af3313ad49b201d58b73006e6c2ef5b7f0f0ade5a8961331a1b13930e3', 'cyclictest-hackbench', '{"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}', 'latency', 'us', 'lower', 'cyclictest', '2.40+', '{"policy": "fifo", "priority": "90"}', 'qemu-sim-2');
INSERT INTO public.shift VALUES (1, 'cyclictest-hackbench', '{"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}', 'latency', 'us', 1, false, false, false, 'no quantile moved; P99.9 and P99.99 are not known', '[{"p": 1.0, "low": null, "new": 21.0, "base": 21.0, "high": null, "name": "p50", "moved": false, "effect": 0.0}, {"p": 1.0, "low": null, "new": 31.0, "base": 31.0, "high": null, "name": "p90", "moved": false, "effect": 0.0}, {"p": 1.0, "low": null, "new": 66.0, "base": 66.0, "high": null, "name": "p99", "moved": false, "effect": 0.0}, {"p": 1.0, "low": null, "new": 67.0, "base": 67.0, "high": null, "name": "max", "moved": false, "effect": 0.0}]', '{p99.9,p99.99}', 1, 1);
INSERT INTO public.suspicion OVERRIDING SYSTEM VALUE VALUES (1, 1, 10, '{}', '{}', 'qemu-sim-2', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'bogo-ops-rate', 'median', true, false, 'open', 0, NULL, 1, NULL, '2026-11-22 04:41:34.014521+00', '2026-11-22 04:41:34.014521+00');
INSERT INTO public.suspicion OVERRIDING SYSTEM VALUE VALUES (2, 1, 10, '{}', '{}', 'qemu-sim-2', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'time-per-switch', 'median', true, false, 'open', 0, NULL, 1, NULL, '2026-11-22 04:41:34.014521+00', '2026-11-22 04:41:34.014521+00');
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (1, 1, 'cyclictest-hackbench', '{"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}', 'latency', 'p50', 11, 11, 'us', 'lower', 21, 21, 0, -0.05907019188666601, 0.06277853180686042, 3, 3, 1, 'UNCHANGED', 'no change, 95 % sure it is less than 5 %', true, '{6,7,8}', '{14,15,16}', 3000, 3000, 3000, 3000, 0, 0, 1, NULL, false, NULL);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (2, 1, 'cyclictest-hackbench', '{"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}', 'latency', 'p90', 11, 11, 'us', 'lower', 31, 31, 0, -0.0407020939031137, 0.0424290448717011, 3, 3, 1, 'UNCHANGED', 'no change, 95 % sure it is less than 5 %', true, '{6,7,8}', '{14,15,16}', 3000, 3000, 3000, 3000, 0, 0, 1, NULL, false, NULL);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (3, 1, 'cyclictest-hackbench', '{"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}', 'latency', 'p99', 11, 11, 'us', 'lower', 66, 66, 0, -0.01948958041983639, 0.019876974309137346, 3, 3, 1, 'UNCHANGED', 'no change, 95 % sure it is less than 5 %', true, '{6,7,8}', '{14,15,16}', 3000, 3000, 3000, 3000, 0, 0, 1, NULL, false, NULL);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (4, 1, 'cyclictest-hackbench', '{"fds": 4, "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000}', 'latency', 'max', 11, 11, 'us', 'lower', 67, 67, 0, -0.01920362578472354, 0.019579625587511106, 3, 3, 1, 'UNCHANGED', 'no change, 95 % sure it is less than 5 %', true, '{6,7,8}', '{14,15,16}', 3000, 3000, 3000, 3000, 0, 0, 1, NULL, false, NULL);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (5, 1, 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'bogo-ops-rate', 'median', 1, 1, '1/s', 'higher', 443124.79, 398812.31, -0.10000000226121404, -0.10103710044723525, -0.09896170761575275, 5, 5, 3.8823450993575593e-16, 'REGRESSION', '10 % worse, 99 % sure it is more than 1 %', false, '{1,2,3,4,5}', '{9,10,11,12,13}', NULL, NULL, NULL, NULL, 0, 0, 2.8790832881968396e-16, NULL, true, NULL);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (6, 1, 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'time-per-switch', 'median', 2, 2, 'ns', 'lower', 2255.82, 2506.47, 0.11111071632948408, 0.10982938808790085, 0.11239352389940398, 5, 5, 3.906030489053469e-16, 'REGRESSION', '11.1 % worse, 99 % sure it is more than 1 %', false, '{1,2,3,4,5}', '{9,10,11,12,13}', NULL, NULL, NULL, NULL, 0, 0, 2.8966455684144977e-16, NULL, true, NULL);
SELECT pg_catalog.setval('public.board_check_id_seq', 1, false);
SELECT pg_catalog.setval('public.board_doubt_id_seq', 1, false);
SELECT pg_catalog.setval('public.board_state_id_seq', 1, false);
SELECT pg_catalog.setval('public.build_id_seq', 2, true);
SELECT pg_catalog.setval('public.change_point_id_seq', 1, false);
SELECT pg_catalog.setval('public.comparison_id_seq', 1, true);
SELECT pg_catalog.setval('public.family_id_seq', 1, false);
SELECT pg_catalog.setval('public.kernel_id_seq', 18, true);
SELECT pg_catalog.setval('public.run_id_seq', 16, true);
SELECT pg_catalog.setval('public.series_id_seq', 26, true);
SELECT pg_catalog.setval('public.suspicion_id_seq', 2, true);
SELECT pg_catalog.setval('public.verdict_id_seq', 6, true);
ALTER TABLE ONLY public._yoyo_log
    ADD CONSTRAINT _yoyo_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public._yoyo_migration
    ADD CONSTRAINT _yoyo_migration_pkey PRIMARY KEY (migration_hash);
ALTER TABLE ONLY public._yoyo_version
    ADD CONSTRAINT _yoyo_version_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.board_check
    ADD CONSTRAINT board_check_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.board_check
    ADD CONSTRAINT board_check_run_key UNIQUE (run);
ALTER TABLE ONLY public.board_doubt
    ADD CONSTRAINT board_doubt_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.board
    ADD CONSTRAINT board_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.board_state
    ADD CONSTRAINT board_state_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.board_type
    ADD CONSTRAINT board_type_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.build
    ADD CONSTRAINT build_bundle_digest_key UNIQUE (bundle_digest);
ALTER TABLE ONLY public.build
    ADD CONSTRAINT build_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.change_point
    ADD CONSTRAINT change_point_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.change_point
    ADD CONSTRAINT change_point_series_statistic_tree_branch_kernel_key UNIQUE (series, statistic, tree, branch, kernel);
ALTER TABLE ONLY public.comparison
    ADD CONSTRAINT comparison_inputs_key UNIQUE (inputs);
ALTER TABLE ONLY public.comparison
    ADD CONSTRAINT comparison_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.family
    ADD CONSTRAINT family_key_key UNIQUE (key);
ALTER TABLE ONLY public.family
    ADD CONSTRAINT family_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.family_verdict
    ADD CONSTRAINT family_verdict_pkey PRIMARY KEY (family, verdict);
ALTER TABLE ONLY public.histogram
    ADD CONSTRAINT histogram_pkey PRIMARY KEY (run, series);
ALTER TABLE ONLY public.kernel
    ADD CONSTRAINT kernel_digest_key UNIQUE (digest);
ALTER TABLE ONLY public.kernel
    ADD CONSTRAINT kernel_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_bundle_digest_key UNIQUE (bundle_digest);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sample
    ADD CONSTRAINT sample_pkey PRIMARY KEY (run, series);
ALTER TABLE ONLY public.series
    ADD CONSTRAINT series_key_key UNIQUE (key);
ALTER TABLE ONLY public.series
    ADD CONSTRAINT series_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.shift
    ADD CONSTRAINT shift_pkey PRIMARY KEY (comparison, benchmark, parameters, metric);
ALTER TABLE ONLY public.suspicion
    ADD CONSTRAINT suspicion_base_kernel_new_kernel_base_knobs_new_knobs_board_key UNIQUE (base_kernel, new_kernel, base_knobs, new_knobs, board_type, benchmark, parameters, metric, statistic);
ALTER TABLE ONLY public.suspicion
    ADD CONSTRAINT suspicion_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.verdict
    ADD CONSTRAINT verdict_comparison_benchmark_parameters_metric_statistic_key UNIQUE (comparison, benchmark, parameters, metric, statistic);
ALTER TABLE ONLY public.verdict
    ADD CONSTRAINT verdict_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.yoyo_lock
    ADD CONSTRAINT yoyo_lock_pkey PRIMARY KEY (locked);
CREATE INDEX board_check_board ON public.board_check USING btree (board);
CREATE UNIQUE INDEX board_doubt_open ON public.board_doubt USING btree (board) WHERE (until IS NULL);
CREATE INDEX board_state_board ON public.board_state USING btree (board, id);
CREATE INDEX build_finished_at ON public.build USING btree (finished_at);
CREATE INDEX build_kernel ON public.build USING btree (kernel);
CREATE INDEX comparison_created_at ON public.comparison USING btree (created_at);
CREATE INDEX comparison_kernels ON public.comparison USING btree (new_kernel, base_kernel);
CREATE INDEX histogram_series ON public.histogram USING btree (series);
CREATE INDEX kernel_branch ON public.kernel USING btree (branch);
CREATE INDEX kernel_commit ON public.kernel USING btree (commit);
CREATE INDEX run_board ON public.run USING btree (board, finished_at);
CREATE INDEX run_board_type ON public.run USING btree (board_type, kernel, benchmark);
CREATE INDEX run_finished_at ON public.run USING btree (finished_at);
CREATE INDEX run_image ON public.run USING btree (image_sha256, config_sha256);
CREATE INDEX run_run_key ON public.run USING btree (run_key);
CREATE INDEX sample_series ON public.sample USING btree (series);
CREATE INDEX series_board_type ON public.series USING btree (board_type, benchmark);
ALTER TABLE ONLY public.board
    ADD CONSTRAINT board_board_type_fkey FOREIGN KEY (board_type) REFERENCES public.board_type(name);
ALTER TABLE ONLY public.board_check
    ADD CONSTRAINT board_check_board_fkey FOREIGN KEY (board) REFERENCES public.board(name);
ALTER TABLE ONLY public.board_check
    ADD CONSTRAINT board_check_run_fkey FOREIGN KEY (run) REFERENCES public.run(id);
ALTER TABLE ONLY public.board_doubt
    ADD CONSTRAINT board_doubt_board_fkey FOREIGN KEY (board) REFERENCES public.board(name);
ALTER TABLE ONLY public.board_doubt
    ADD CONSTRAINT board_doubt_found_by_fkey FOREIGN KEY (found_by) REFERENCES public.board_check(id);
ALTER TABLE ONLY public.board_state
    ADD CONSTRAINT board_state_board_fkey FOREIGN KEY (board) REFERENCES public.board(name);
ALTER TABLE ONLY public.build
    ADD CONSTRAINT build_kernel_fkey FOREIGN KEY (kernel) REFERENCES public.kernel(id);
ALTER TABLE ONLY public.change_point
    ADD CONSTRAINT change_point_before_kernel_fkey FOREIGN KEY (before_kernel) REFERENCES public.kernel(id);
ALTER TABLE ONLY public.change_point
    ADD CONSTRAINT change_point_kernel_fkey FOREIGN KEY (kernel) REFERENCES public.kernel(id);
ALTER TABLE ONLY public.change_point
    ADD CONSTRAINT change_point_series_fkey FOREIGN KEY (series) REFERENCES public.series(id);
ALTER TABLE ONLY public.comparison
    ADD CONSTRAINT comparison_base_kernel_fkey FOREIGN KEY (base_kernel) REFERENCES public.kernel(id);
ALTER TABLE ONLY public.comparison
    ADD CONSTRAINT comparison_board_type_fkey FOREIGN KEY (board_type) REFERENCES public.board_type(name);
ALTER TABLE ONLY public.comparison
    ADD CONSTRAINT comparison_new_kernel_fkey FOREIGN KEY (new_kernel) REFERENCES public.kernel(id);
ALTER TABLE ONLY public.family_verdict
    ADD CONSTRAINT family_verdict_family_fkey FOREIGN KEY (family) REFERENCES public.family(id);
ALTER TABLE ONLY public.family_verdict
    ADD CONSTRAINT family_verdict_verdict_fkey FOREIGN KEY (verdict) REFERENCES public.verdict(id);
ALTER TABLE ONLY public.histogram
    ADD CONSTRAINT histogram_run_fkey FOREIGN KEY (run) REFERENCES public.run(id);
ALTER TABLE ONLY public.histogram
    ADD CONSTRAINT histogram_series_fkey FOREIGN KEY (series) REFERENCES public.series(id);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_board_fkey FOREIGN KEY (board) REFERENCES public.board(name);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_board_type_fkey FOREIGN KEY (board_type) REFERENCES public.board_type(name);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_kernel_fkey FOREIGN KEY (kernel) REFERENCES public.kernel(id);
ALTER TABLE ONLY public.sample
    ADD CONSTRAINT sample_run_fkey FOREIGN KEY (run) REFERENCES public.run(id);
ALTER TABLE ONLY public.sample
    ADD CONSTRAINT sample_series_fkey FOREIGN KEY (series) REFERENCES public.series(id);
ALTER TABLE ONLY public.series
    ADD CONSTRAINT series_board_type_fkey FOREIGN KEY (board_type) REFERENCES public.board_type(name);
ALTER TABLE ONLY public.shift
    ADD CONSTRAINT shift_comparison_fkey FOREIGN KEY (comparison) REFERENCES public.comparison(id);
ALTER TABLE ONLY public.suspicion
    ADD CONSTRAINT suspicion_base_kernel_fkey FOREIGN KEY (base_kernel) REFERENCES public.kernel(id);
ALTER TABLE ONLY public.suspicion
    ADD CONSTRAINT suspicion_board_type_fkey FOREIGN KEY (board_type) REFERENCES public.board_type(name);
ALTER TABLE ONLY public.suspicion
    ADD CONSTRAINT suspicion_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES public.comparison(id);
ALTER TABLE ONLY public.suspicion
    ADD CONSTRAINT suspicion_new_kernel_fkey FOREIGN KEY (new_kernel) REFERENCES public.kernel(id);
ALTER TABLE ONLY public.suspicion
    ADD CONSTRAINT suspicion_raised_by_fkey FOREIGN KEY (raised_by) REFERENCES public.comparison(id);
ALTER TABLE ONLY public.verdict
    ADD CONSTRAINT verdict_comparison_fkey FOREIGN KEY (comparison) REFERENCES public.comparison(id);
ALTER TABLE ONLY public.verdict
    ADD CONSTRAINT verdict_series_base_fkey FOREIGN KEY (series_base) REFERENCES public.series(id);
ALTER TABLE ONLY public.verdict
    ADD CONSTRAINT verdict_series_new_fkey FOREIGN KEY (series_new) REFERENCES public.series(id);
