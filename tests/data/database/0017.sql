-- The database of commit ecee242e; made by tests.integration.old_database.
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
CREATE SCHEMA read_model;
COMMENT ON SCHEMA read_model IS 'schemas/views, sha256 b8b284f9c86de00ec3e1857d89d579f646c976485aca9dd71aa4f385369dd785';
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
CREATE TYPE public.triage_kind AS ENUM (
    'new',
    'acknowledged',
    'investigating',
    'fixed',
    'invalid',
    'wont_fix'
);
COMMENT ON TYPE public.triage_kind IS 'where people are with an alert; new: nobody has looked';
CREATE TYPE public.verdict_kind AS ENUM (
    'REGRESSION',
    'IMPROVEMENT',
    'UNCHANGED',
    'MARGINAL',
    'INCONCLUSIVE',
    'NOT_COMPARABLE'
);
COMMENT ON TYPE public.verdict_kind IS 'answer of one comparison of one statistic of one series';
CREATE FUNCTION read_model.is_latency(unit text, direction public.direction_kind) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((unit = ANY (ARRAY['ns'::text, 'us'::text, 'ms'::text])) AND (direction = 'lower'::public.direction_kind));
COMMENT ON FUNCTION read_model.is_latency(unit text, direction public.direction_kind) IS 'a time for which lower is better; values in seconds are durations of whole jobs, not latencies';
CREATE FUNCTION read_model.is_marked(health jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((health <> '[]'::jsonb) AND ((health @> '[{"phase": "setup"}]'::jsonb) OR (health @> '[{"phase": "benchmark"}]'::jsonb)));
COMMENT ON FUNCTION read_model.is_marked(health jsonb) IS 'a kernel alarm occurred during setup or measurement';
CREATE FUNCTION read_model.pairs_of_many(of jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT string_agg(((jsonb_each_text.key || '='::text) || jsonb_each_text.value), ' '::text ORDER BY (jsonb_each_text.key COLLATE "C")) AS string_agg FROM jsonb_each_text(pairs_of_many.of) jsonb_each_text(key, value));
COMMENT ON FUNCTION read_model.pairs_of_many(of jsonb) IS 'used by pairs only: PostgreSQL calls a function with a subquery and does not inline it';
CREATE FUNCTION read_model.pairs(of jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE of WHEN '{}'::jsonb THEN ''::text ELSE read_model.pairs_of_many(of) END;
COMMENT ON FUNCTION read_model.pairs(of jsonb) IS 'an object as text: a=1 b=2';
CREATE FUNCTION read_model.severity(verdict text, standing text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (standing = 'suspected'::text) THEN 2 WHEN (verdict = ANY (ARRAY['REGRESSION'::text, 'MIXED'::text])) THEN CASE WHEN (standing = ANY (ARRAY['hint'::text, 'refuted'::text])) THEN 3 ELSE 0 END WHEN (verdict = 'REGRESSION (hint)'::text) THEN 3 WHEN (verdict = 'FAILED'::text) THEN 1 WHEN (verdict = 'SUSPECTED'::text) THEN 2 WHEN (verdict = 'MARGINAL'::text) THEN CASE WHEN (standing = ANY (ARRAY['hint'::text, 'refuted'::text])) THEN 6 ELSE 4 END WHEN (verdict = 'NOT_COMPARABLE'::text) THEN 5 WHEN (verdict = 'INCONCLUSIVE'::text) THEN 6 WHEN (verdict = 'IMPROVEMENT'::text) THEN CASE WHEN (standing = ANY (ARRAY['hint'::text, 'refuted'::text])) THEN 8 ELSE 7 END WHEN (verdict = 'UNCHANGED'::text) THEN 9 ELSE NULL::integer END;
COMMENT ON FUNCTION read_model.severity(verdict text, standing text) IS 'rank of a verdict, 0 is worst; standing as in the view verdict, empty for a whole comparison';
CREATE FUNCTION read_model.size(effect double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (effect IS NULL) THEN (0)::double precision WHEN (effect <= ('-1'::integer)::double precision) THEN (1000)::double precision ELSE (round((abs(ln(((1)::double precision + effect))))::numeric, 4))::double precision END;
COMMENT ON FUNCTION read_model.size(effect double precision) IS 'size of a relative change as |log ratio|, rounded to 0.01 %: halving and doubling are equal; 0: no change';
CREATE FUNCTION read_model.worsening(effect double precision, direction public.direction_kind) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE direction WHEN 'lower'::public.direction_kind THEN effect ELSE (- effect) END;
COMMENT ON FUNCTION read_model.worsening(effect double precision, direction public.direction_kind) IS 'a relative change with its sign adjusted so that above 0 is worse';
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
CREATE TABLE public.alert (
    id bigint NOT NULL,
    key character(64) NOT NULL,
    kind text NOT NULL,
    tree text,
    branch text,
    board_type text,
    board text,
    base_kernel bigint,
    new_kernel bigint,
    change_point bigint,
    role text,
    throughput double precision,
    latency double precision,
    title text NOT NULL,
    body text NOT NULL,
    synthetic boolean DEFAULT false NOT NULL,
    triage public.triage_kind DEFAULT 'new'::public.triage_kind NOT NULL,
    owner text,
    opened_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    withdrawn_at timestamp with time zone,
    muted_until timestamp with time zone,
    told_at timestamp with time zone,
    CONSTRAINT alert_check CHECK (((kind = 'regression'::text) = (new_kernel IS NOT NULL))),
    CONSTRAINT alert_check1 CHECK (((kind = 'board'::text) = (board IS NOT NULL))),
    CONSTRAINT alert_kind_check CHECK ((kind = ANY (ARRAY['regression'::text, 'no results'::text, 'board'::text]))),
    CONSTRAINT alert_role_check CHECK ((role = ANY (ARRAY['baseline'::text, 'parent'::text])))
);
COMMENT ON TABLE public.alert IS 'one cause that somebody must look at, however many metrics it hits';
COMMENT ON COLUMN public.alert.key IS 'digest of the cause: the culprit; or branch, board type and change point; or the board';
COMMENT ON COLUMN public.alert.base_kernel IS 'of a regression: what it was compared with when it was seen last';
COMMENT ON COLUMN public.alert.new_kernel IS 'the culprit where role is parent; else the newest kernel that shows it';
COMMENT ON COLUMN public.alert.role IS 'baseline: worse than the baseline; parent: one commit made it worse';
COMMENT ON COLUMN public.alert.throughput IS 'largest confirmed loss of work or time done, as a positive share; null: none';
COMMENT ON COLUMN public.alert.latency IS 'largest confirmed rise of a latency, as a positive share; null: none';
COMMENT ON COLUMN public.alert.withdrawn_at IS 'later data removed it; null: it stands';
COMMENT ON COLUMN public.alert.muted_until IS 'tells nobody until then; null: not muted';
COMMENT ON COLUMN public.alert.told_at IS 'when a message with it was first queued; null: nobody was told';
CREATE TABLE public.alert_event (
    id bigint NOT NULL,
    alert bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    by text NOT NULL,
    action text NOT NULL,
    triage public.triage_kind,
    why text NOT NULL,
    CONSTRAINT alert_event_action_check CHECK ((action = ANY (ARRAY['opened'::text, 'reopened'::text, 'withdrawn'::text, 'told'::text, 'triaged'::text, 'muted'::text, 'unmuted'::text])))
);
COMMENT ON TABLE public.alert_event IS 'what became of an alert, who did it and why; rows are never changed';
COMMENT ON COLUMN public.alert_event.by IS 'a person, or the service';
COMMENT ON COLUMN public.alert_event.triage IS 'of triaged: the new state';
ALTER TABLE public.alert_event ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.alert_event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE public.alert ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.alert_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.alert_verdict (
    alert bigint NOT NULL,
    verdict bigint NOT NULL
);
COMMENT ON TABLE public.alert_verdict IS 'what the alert stands on: the verdicts of when it was seen last';
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
    role text,
    synthetic boolean DEFAULT false NOT NULL,
    CONSTRAINT comparison_check CHECK (((plan IS NULL) = (stage IS NULL))),
    CONSTRAINT comparison_check1 CHECK (((round IS NOT NULL) = ((stage IS NOT NULL) AND (stage = 'confirm'::text)))),
    CONSTRAINT comparison_role_check CHECK ((role = ANY (ARRAY['baseline'::text, 'parent'::text]))),
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
COMMENT ON COLUMN public.comparison.role IS 'what the base is to the new kernel; null: a person named both';
COMMENT ON COLUMN public.comparison.synthetic IS 'of figures from a report, not from boots';
ALTER TABLE public.comparison ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.comparison_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.multiple_testing (
    id bigint NOT NULL,
    key character(64) NOT NULL,
    q double precision NOT NULL,
    tests integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
COMMENT ON TABLE public.multiple_testing IS 'the tests of one night, judged together so that the false discovery rate holds';
COMMENT ON COLUMN public.multiple_testing.key IS 'digest of its comparisons: one night is judged once';
ALTER TABLE public.multiple_testing ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.family_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
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
    achieved bigint NOT NULL,
    "interval" integer
);
COMMENT ON TABLE public.histogram IS 'a distribution of one series from one run, as the tool counted it';
COMMENT ON COLUMN public.histogram.bounds IS 'where each bucket begins, ascending; only buckets that were hit';
COMMENT ON COLUMN public.histogram.counts IS 'two dimensions: instances x bounds';
COMMENT ON COLUMN public.histogram.overflow IS 'samples beyond the last bucket, one number an instance';
COMMENT ON COLUMN public.histogram.overflow_from IS 'first value that counts as overflow';
COMMENT ON COLUMN public.histogram.maximum IS 'largest value seen, one number an instance';
COMMENT ON COLUMN public.histogram.expected IS 'samples that the parameters ask for, all instances together; null: no such number';
COMMENT ON COLUMN public.histogram.achieved IS 'samples that the tool took: what is missing is a tail nobody saw';
COMMENT ON COLUMN public.histogram."interval" IS 'distance of an instance''s cycles in the unit of the series, where the tool skips the cycles that are due while it waits; null: it does not, or nothing says so';
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
COMMENT ON COLUMN public.kernel.branch IS 'name of the first request: a branch, tag or commit; kernel_ref has all';
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
CREATE TABLE public.kernel_ref (
    id bigint NOT NULL,
    kernel bigint NOT NULL,
    tree text NOT NULL,
    name text NOT NULL,
    is_branch boolean NOT NULL
);
COMMENT ON TABLE public.kernel_ref IS 'names that a kernel was asked for by, in the order of the first request';
COMMENT ON COLUMN public.kernel_ref.tree IS 'tree of the kernel, for the index';
COMMENT ON COLUMN public.kernel_ref.is_branch IS 'false: a tag or a commit, as of a baseline';
ALTER TABLE public.kernel_ref ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.kernel_ref_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.message (
    id bigint NOT NULL,
    key text NOT NULL,
    channel text NOT NULL,
    recipient text NOT NULL,
    subject text NOT NULL,
    body bytea NOT NULL,
    night bigint,
    state text DEFAULT 'queued'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_at timestamp with time zone DEFAULT now() NOT NULL,
    said text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT message_channel_check CHECK ((channel = ANY (ARRAY['mail'::text, 'webhook'::text]))),
    CONSTRAINT message_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'handing over'::text, 'sent'::text, 'unconfirmed'::text, 'given up'::text])))
);
COMMENT ON TABLE public.message IS 'what is sent to people; a row is queued in the transaction that makes it due, so that none is lost or made twice';
COMMENT ON COLUMN public.message.key IS 'what it is about and for whom: one message for one night and recipient';
COMMENT ON COLUMN public.message.body IS 'the whole mail as it goes over the wire, or the JSON of a webhook';
COMMENT ON COLUMN public.message.state IS 'handing over: its last byte may have gone out; unconfirmed: we stopped just then, and nobody knows whether it arrived, so it is not sent again by itself';
COMMENT ON COLUMN public.message.said IS 'what the other side said last';
ALTER TABLE public.message ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.message_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.multiple_testing_verdict (
    multiple_testing bigint NOT NULL,
    verdict bigint NOT NULL,
    p double precision NOT NULL,
    told boolean NOT NULL
);
COMMENT ON TABLE public.multiple_testing_verdict IS 'changes that a night found, and whether they stand among all of its tests';
COMMENT ON COLUMN public.multiple_testing_verdict.p IS 'that counts in the family: of a confirmed one the screening level times p of the fresh boots';
CREATE TABLE public.night (
    id bigint NOT NULL,
    key text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    multiple_testing bigint,
    comparisons bigint[] NOT NULL,
    branches jsonb NOT NULL,
    missing text[] NOT NULL,
    notes text[] NOT NULL,
    url text,
    report text,
    CONSTRAINT night_check CHECK ((started_at <= finished_at))
);
COMMENT ON TABLE public.night IS 'one night that has ended, well or not';
COMMENT ON COLUMN public.night.key IS 'names the build of the night: one night is on record once';
COMMENT ON COLUMN public.night.branches IS 'what was watched: [{tree, branch, board_types}]';
COMMENT ON COLUMN public.night.missing IS 'what did not run and why, a sentence each';
COMMENT ON COLUMN public.night.notes IS 'head of its report';
COMMENT ON COLUMN public.night.url IS 'page of its build in Buildbot';
COMMENT ON COLUMN public.night.report IS 'path of the text report, below the state folder';
ALTER TABLE public.night ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.night_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.prediction (
    comparison bigint NOT NULL,
    name text NOT NULL,
    good boolean NOT NULL,
    text text NOT NULL
);
COMMENT ON TABLE public.prediction IS 'comparisons that hold the predictions in the header of a patch';
COMMENT ON COLUMN public.prediction.name IS 'the patch with its knobs and the board type';
COMMENT ON COLUMN public.prediction.good IS 'all is as predicted; what could not be judged is not';
COMMENT ON COLUMN public.prediction.text IS 'the same in a few words';
CREATE TABLE public.profile (
    id bigint NOT NULL,
    base_kernel bigint NOT NULL,
    new_kernel bigint NOT NULL,
    base_knobs jsonb NOT NULL,
    new_knobs jsonb NOT NULL,
    board_type text NOT NULL,
    benchmark text NOT NULL,
    parameters jsonb NOT NULL,
    base_runs bigint[] NOT NULL,
    new_runs bigint[] NOT NULL,
    operation text NOT NULL,
    base_operations double precision NOT NULL,
    new_operations double precision NOT NULL,
    base_instructions double precision NOT NULL,
    new_instructions double precision NOT NULL,
    base_sched double precision NOT NULL,
    new_sched double precision NOT NULL,
    base_user double precision NOT NULL,
    new_user double precision NOT NULL,
    others integer NOT NULL,
    others_change double precision NOT NULL,
    decisions jsonb NOT NULL,
    sentence text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
COMMENT ON TABLE public.profile IS 'what two kernels execute differently in a benchmark; instructions are for one operation, means over the boots';
COMMENT ON COLUMN public.profile.base_runs IS 'the boots that were counted; they observe, and are in no comparison';
COMMENT ON COLUMN public.profile.operation IS 'what a figure is for one of, as in "switch"';
COMMENT ON COLUMN public.profile.base_operations IS 'operations a boot';
COMMENT ON COLUMN public.profile.base_instructions IS 'instructions of the kernel; base_sched are those of kernel/sched among them';
COMMENT ON COLUMN public.profile.others IS 'functions that differ and have no row; others_change is the sum of their changes';
COMMENT ON COLUMN public.profile.decisions IS 'decisions of the scheduler an operation: [{what, base, new}]';
CREATE TABLE public.profile_function (
    profile bigint NOT NULL,
    number integer NOT NULL,
    name text NOT NULL,
    source text,
    base_calls double precision,
    base_instructions double precision,
    new_calls double precision,
    new_instructions double precision,
    change double precision NOT NULL,
    certain boolean NOT NULL
);
COMMENT ON TABLE public.profile_function IS 'the functions with the largest changes of a profile, the largest first';
COMMENT ON COLUMN public.profile_function.source IS 'its object file, as in kernel/sched/fair; null: unknown';
COMMENT ON COLUMN public.profile_function.base_calls IS 'calls an operation; null: this side never executed the function';
COMMENT ON COLUMN public.profile_function.change IS 'instructions an operation, new less base';
COMMENT ON COLUMN public.profile_function.certain IS 'boots of one kernel do not differ by as much';
ALTER TABLE public.profile ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.profile_id_seq
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
    observes text,
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
COMMENT ON COLUMN public.run.observes IS 'what an extra boot observes; it is in no comparison, history or prior; null: a scored boot';
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
CREATE TABLE public.run_value (
    run bigint NOT NULL,
    series bigint NOT NULL,
    statistic text NOT NULL,
    at timestamp with time zone NOT NULL,
    value double precision NOT NULL
);
COMMENT ON TABLE public.run_value IS 'one number a boot, series and statistic: what panels plot and verdicts are made of; made from sample and histogram, and again by `vlag migrate` where missing';
COMMENT ON COLUMN public.run_value.at IS 'end of the run, so that a history needs no other table to find its newest part';
COMMENT ON COLUMN public.run_value.value IS 'in the unit of the series';
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
COMMENT ON COLUMN public.shift.quantiles IS '[{name, base, new, effect, low, high, p, moved}]: geometric means over boots in unit, relative effects with simultaneous 95 % intervals';
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
    stand public.stand_kind,
    confirmable boolean DEFAULT true NOT NULL
);
COMMENT ON COLUMN public.verdict.statistic IS 'median of the numbers of a boot, or of a distribution: p50, p90, p99, p99.9, p99.99, max';
COMMENT ON COLUMN public.verdict.series_base IS 'null: the base has no run of it';
COMMENT ON COLUMN public.verdict.base_value IS 'level that the effect is computed from, in unit: geometric mean over boots, a boot below one step of the tool counting as one step; 0 where every boot of both sides gave 0';
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
COMMENT ON COLUMN public.verdict.confirmable IS 'the plan has fresh boots that could settle a suspicion; true: or was made before this was noted';
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
CREATE VIEW read_model.kernel_branch AS
 SELECT f.kernel,
    f.tree,
    f.name AS branch,
    ((f.tree || '/'::text) || f.name) AS branch_name,
    f.id AS number
   FROM public.kernel_ref f
  WHERE f.is_branch;
COMMENT ON VIEW read_model.kernel_branch IS 'one row per kernel and branch that it belongs to: every branch that it was asked for by';
COMMENT ON COLUMN read_model.kernel_branch.number IS 'ascends in the order of the requests';
CREATE VIEW read_model.kernel AS
 SELECT k.id,
    k.digest,
    k.tree,
    f.names[1] AS branch,
    ((k.tree || '/'::text) || f.names[1]) AS branch_name,
    f.names AS branches,
    k.branch AS ref,
    k.commit,
    "left"((k.commit)::text, 12) AS short_commit,
    k.describe,
    k.subject,
    k.committed_at,
    k.series,
    k.application,
    k.variant,
    k.arch,
    b.release,
    b.location AS build_location,
    ((((COALESCE(b.release, k.describe) ||
        CASE
            WHEN ((k.describe ~ '-g[0-9a-f]{7,40}$'::text) AND (strpos(b.release, "left"((k.commit)::text, 7)) = 0)) THEN (' '::text || "left"((k.commit)::text, 12))
            ELSE ''::text
        END) ||
        CASE
            WHEN (k.series IS NULL) THEN ''::text
            ELSE (((' + '::text || k.series) || ' '::text) || k.application)
        END) ||
        CASE
            WHEN (jsonb_array_length(k.patches) = 1) THEN (' '::text || regexp_replace(((k.patches -> 0) ->> 'name'::text), '\.patch$'::text, ''::text))
            ELSE ''::text
        END) ||
        CASE k.variant
            WHEN 'default'::text THEN ''::text
            ELSE (' variant '::text || k.variant)
        END) AS name,
    ARRAY( SELECT (p.value ->> 'name'::text)
           FROM jsonb_array_elements(k.patches) WITH ORDINALITY p(value, ord)
          ORDER BY p.ord) AS patch_names,
    k.kconfig
   FROM ((public.kernel k
     LEFT JOIN LATERAL ( SELECT x.release,
            x.location
           FROM public.build x
          WHERE (x.kernel = k.id)
          ORDER BY (x.outcome = 'complete'::public.outcome_kind) DESC, x.id DESC
         LIMIT 1) b ON (true))
     CROSS JOIN LATERAL ( SELECT ARRAY( SELECT x.branch
                   FROM read_model.kernel_branch x
                  WHERE (x.kernel = k.id)
                  ORDER BY x.number) AS names) f);
COMMENT ON VIEW read_model.kernel IS 'one row per kernel: tree @ commit + series application + build-time variant';
COMMENT ON COLUMN read_model.kernel.digest IS 'identity: equal digests are the same kernel';
COMMENT ON COLUMN read_model.kernel.branch IS 'first branch that it was asked for by; null: only asked for by tags or commits';
COMMENT ON COLUMN read_model.kernel.branches IS 'all of them, in the order of the requests; to select a branch, use kernel_branch';
COMMENT ON COLUMN read_model.kernel.ref IS 'name of its first request: a branch, tag or commit';
COMMENT ON COLUMN read_model.kernel.series IS 'patch series; null: none.  application selects its patches';
COMMENT ON COLUMN read_model.kernel.release IS 'output of uname -r; null: never built';
COMMENT ON COLUMN read_model.kernel.build_location IS 'folder of its newest build bundle, preferably a complete one';
COMMENT ON COLUMN read_model.kernel.name IS 'display name: release, commit if it is not a release, series and application, name of a single patch, variant';
COMMENT ON COLUMN read_model.kernel.patch_names IS 'applied patches of the series, in order';
COMMENT ON COLUMN read_model.kernel.kconfig IS 'digest of the make target and all config fragments';
CREATE VIEW read_model.alert AS
 SELECT a.id,
    a.kind,
    a.tree,
    a.branch,
    ((a.tree || '/'::text) || a.branch) AS branch_name,
        CASE
            WHEN ((a.role = 'parent'::text) AND (n.branch IS NOT NULL)) THEN n.branches
            ELSE array_remove(ARRAY[a.branch], NULL::text)
        END AS branches,
    a.board_type,
    a.board,
    a.role,
    a.title,
    a.body,
    a.synthetic,
    (a.triage)::text AS triage,
    a.owner,
    a.opened_at,
    a.changed_at,
    a.withdrawn_at,
    a.muted_until,
    a.told_at,
    a.throughput,
    a.latency,
    a.base_kernel,
    a.new_kernel,
    b.name AS base,
    n.name AS new,
    n.commit,
    ((a.withdrawn_at IS NULL) AND (a.triage = ANY (ARRAY['new'::public.triage_kind, 'acknowledged'::public.triage_kind, 'investigating'::public.triage_kind]))) AS open,
    ((a.withdrawn_at IS NULL) AND (a.triage = ANY (ARRAY['new'::public.triage_kind, 'acknowledged'::public.triage_kind, 'investigating'::public.triage_kind])) AND ((a.muted_until IS NULL) OR (a.muted_until < now()))) AS loud
   FROM ((public.alert a
     LEFT JOIN read_model.kernel b ON ((b.id = a.base_kernel)))
     LEFT JOIN read_model.kernel n ON ((n.id = a.new_kernel)));
COMMENT ON VIEW read_model.alert IS 'one cause that needs attention, for all metrics that it affects';
COMMENT ON COLUMN read_model.alert.branches IS 'the branches of the tree that it concerns: an alert about a commit concerns every branch of its kernel';
COMMENT ON COLUMN read_model.alert.open IS 'neither withdrawn nor closed';
COMMENT ON COLUMN read_model.alert.loud IS 'open and not muted';
CREATE VIEW read_model.alert_event AS
 SELECT e.id,
    e.alert,
    e.at,
    e.by,
    e.action,
    (e.triage)::text AS triage,
    e.why
   FROM public.alert_event e;
COMMENT ON VIEW read_model.alert_event IS 'history of an alert: action, person and reason';
CREATE VIEW read_model.verdict AS
 SELECT v.id,
    v.comparison,
    c.board_type,
    v.benchmark,
    read_model.pairs(v.parameters) AS parameters,
    v.metric,
    v.statistic,
    (((v.benchmark || ' '::text) || v.metric) ||
        CASE v.statistic
            WHEN 'median'::text THEN ''::text
            ELSE (' '::text || v.statistic)
        END) AS name,
    v.unit,
    (v.direction)::text AS direction,
    read_model.is_latency(v.unit, v.direction) AS latency,
    v.hint,
    (s.stand)::text AS stand,
    s.boots AS fresh_boots,
    (COALESCE(f.verdict, v.verdict))::text AS verdict,
    (v.verdict)::text AS screened,
        CASE
            WHEN ((f.id IS NOT NULL) AND (s.stand = 'refuted'::public.stand_kind)) THEN 'refuted'::text
            WHEN (v.hint AND (COALESCE(f.verdict, v.verdict) = ANY (ARRAY['REGRESSION'::public.verdict_kind, 'IMPROVEMENT'::public.verdict_kind, 'MARGINAL'::public.verdict_kind]))) THEN 'hint'::text
            WHEN v.hint THEN ''::text
            WHEN ((f.id IS NOT NULL) AND (s.stand = 'undecided'::public.stand_kind)) THEN ''::text
            WHEN (f.id IS NOT NULL) THEN 'confirmed'::text
            WHEN ((s.id IS NOT NULL) AND v.confirmable AND ((v.verdict = ANY (ARRAY['REGRESSION'::public.verdict_kind, 'IMPROVEMENT'::public.verdict_kind])) OR (v.suspect AND (v.verdict <> 'UNCHANGED'::public.verdict_kind)))) THEN 'suspected'::text
            WHEN (v.verdict = ANY (ARRAY['REGRESSION'::public.verdict_kind, 'IMPROVEMENT'::public.verdict_kind])) THEN 'told'::text
            ELSE ''::text
        END AS standing,
        CASE
            WHEN (f.id IS NULL) THEN v.base_value
            ELSE f.base_value
        END AS base_value,
        CASE
            WHEN (f.id IS NULL) THEN v.new_value
            ELSE f.new_value
        END AS new_value,
        CASE
            WHEN (f.id IS NULL) THEN v.effect
            ELSE f.effect
        END AS effect,
        CASE
            WHEN (f.id IS NULL) THEN v.ci_low
            ELSE f.ci_low
        END AS ci_low,
        CASE
            WHEN (f.id IS NULL) THEN v.ci_high
            ELSE f.ci_high
        END AS ci_high,
        CASE
            WHEN (f.id IS NULL) THEN v.n_base
            ELSE f.n_base
        END AS n_base,
        CASE
            WHEN (f.id IS NULL) THEN v.n_new
            ELSE f.n_new
        END AS n_new,
        CASE
            WHEN (f.id IS NULL) THEN v.p
            ELSE f.p
        END AS p,
    read_model.worsening(
        CASE
            WHEN (f.id IS NULL) THEN v.effect
            ELSE f.effect
        END, v.direction) AS worsening,
        CASE
            WHEN (f.id IS NULL) THEN v.reason
            ELSE f.reason
        END AS reason,
        CASE
            WHEN (f.id IS NULL) THEN v.series_base
            ELSE f.series_base
        END AS series_base,
        CASE
            WHEN (f.id IS NULL) THEN v.series_new
            ELSE f.series_new
        END AS series_new,
        CASE
            WHEN (f.id IS NULL) THEN v.base_runs
            ELSE f.base_runs
        END AS base_runs,
        CASE
            WHEN (f.id IS NULL) THEN v.new_runs
            ELSE f.new_runs
        END AS new_runs,
        CASE
            WHEN (f.id IS NULL) THEN v.base_achieved
            ELSE f.base_achieved
        END AS base_achieved,
        CASE
            WHEN (f.id IS NULL) THEN v.base_expected
            ELSE f.base_expected
        END AS base_expected,
        CASE
            WHEN (f.id IS NULL) THEN v.new_achieved
            ELSE f.new_achieved
        END AS new_achieved,
        CASE
            WHEN (f.id IS NULL) THEN v.new_expected
            ELSE f.new_expected
        END AS new_expected,
        CASE
            WHEN (f.id IS NULL) THEN v.base_marked
            ELSE f.base_marked
        END AS base_marked,
        CASE
            WHEN (f.id IS NULL) THEN v.new_marked
            ELSE f.new_marked
        END AS new_marked,
        CASE
            WHEN (f.id IS NULL) THEN v.boots_needed
            ELSE f.boots_needed
        END AS boots_needed,
    ( SELECT m.told
           FROM public.multiple_testing_verdict m
          WHERE (m.verdict = v.id)
          ORDER BY m.multiple_testing DESC
         LIMIT 1) AS stands,
        CASE
            WHEN (f.id IS NULL) THEN v.p_zero
            ELSE f.p_zero
        END AS p_zero,
    f.comparison AS decided_by,
        CASE
            WHEN (f.id IS NOT NULL) THEN v.effect
            ELSE NULL::double precision
        END AS screened_effect,
        CASE
            WHEN (f.id IS NOT NULL) THEN v.ci_low
            ELSE NULL::double precision
        END AS screened_ci_low,
        CASE
            WHEN (f.id IS NOT NULL) THEN v.ci_high
            ELSE NULL::double precision
        END AS screened_ci_high,
        CASE
            WHEN (f.id IS NOT NULL) THEN v.base_value
            ELSE NULL::double precision
        END AS screened_base_value,
        CASE
            WHEN (f.id IS NOT NULL) THEN v.new_value
            ELSE NULL::double precision
        END AS screened_new_value,
        CASE
            WHEN (f.id IS NOT NULL) THEN v.n_base
            ELSE NULL::integer
        END AS screened_n_base,
        CASE
            WHEN (f.id IS NOT NULL) THEN v.n_new
            ELSE NULL::integer
        END AS screened_n_new
   FROM (((public.verdict v
     JOIN public.comparison c ON (((c.id = v.comparison) AND (c.stage IS DISTINCT FROM 'confirm'::text))))
     LEFT JOIN public.suspicion s ON (((s.base_kernel = c.base_kernel) AND (s.new_kernel = c.new_kernel) AND (s.base_knobs = c.base_knobs) AND (s.new_knobs = c.new_knobs) AND (s.board_type = c.board_type) AND (s.benchmark = v.benchmark) AND (s.parameters = v.parameters) AND (s.metric = v.metric) AND (s.statistic = v.statistic) AND (v.verdict <> 'NOT_COMPARABLE'::public.verdict_kind))))
     LEFT JOIN public.verdict f ON ((((s.stand = ANY (ARRAY['confirmed'::public.stand_kind, 'refuted'::public.stand_kind])) OR ((s.stand = 'undecided'::public.stand_kind) AND (f.verdict = 'MARGINAL'::public.verdict_kind))) AND (f.comparison = s.decided_by) AND (f.benchmark = v.benchmark) AND (f.parameters = v.parameters) AND (f.metric = v.metric) AND (f.statistic = v.statistic))));
COMMENT ON VIEW read_model.verdict IS 'one row per statistic of a comparison; if a rerun confirmed or refuted a change, or found it marginal, with its numbers';
COMMENT ON COLUMN read_model.verdict.latency IS 'a time for which lower is better; false: throughput';
COMMENT ON COLUMN read_model.verdict.stand IS 'state of the recorded suspicion: open, confirmed, refuted, undecided; null: none';
COMMENT ON COLUMN read_model.verdict.verdict IS 'REGRESSION, IMPROVEMENT, UNCHANGED, MARGINAL, INCONCLUSIVE or NOT_COMPARABLE: from the rerun if it decided';
COMMENT ON COLUMN read_model.verdict.screened IS 'the same from the first boots only';
COMMENT ON COLUMN read_model.verdict.standing IS 'hint: a change that this board cannot prove; suspected: a rerun is pending or did not decide; confirmed or refuted by a rerun; told: a change that gets no rerun; otherwise empty';
COMMENT ON COLUMN read_model.verdict.base_value IS 'level that the effect is computed from, in unit: new_value / base_value = 1 + effect';
COMMENT ON COLUMN read_model.verdict.effect IS 'relative change of the value, 0.01 = 1 %; ci_low and ci_high are its 95 % interval';
COMMENT ON COLUMN read_model.verdict.n_base IS 'boots; base_runs are their runs';
COMMENT ON COLUMN read_model.verdict.worsening IS 'the same with its sign adjusted: above 0 is worse for every direction of the metric';
COMMENT ON COLUMN read_model.verdict.base_achieved IS 'recorded samples of the histogram over all boots, of base_expected; missing samples belong to the tail';
COMMENT ON COLUMN read_model.verdict.base_marked IS 'boots with a kernel alarm during the measurement; they count';
COMMENT ON COLUMN read_model.verdict.boots_needed IS 'boots per side needed for a decision; null: decided, or too many to run';
COMMENT ON COLUMN read_model.verdict.stands IS 'whether the change stays significant among all tests of its last night; null: no night tested it';
COMMENT ON COLUMN read_model.verdict.p_zero IS 'probability of such a difference if nothing changed; p is for a change within the relevance';
COMMENT ON COLUMN read_model.verdict.decided_by IS 'comparison of the rerun that the numbers come from; null: they come from the first boots';
COMMENT ON COLUMN read_model.verdict.screened_effect IS 'the same from the first boots, where a rerun decided; null: effect itself comes from the first boots';
CREATE VIEW read_model.alert_verdict AS
 SELECT x.alert,
    v.id,
    v.comparison,
    v.board_type,
    v.benchmark,
    v.parameters,
    v.metric,
    v.statistic,
    v.name,
    v.unit,
    v.direction,
    v.latency,
    v.hint,
    v.stand,
    v.fresh_boots,
    v.verdict,
    v.screened,
    v.standing,
    v.base_value,
    v.new_value,
    v.effect,
    v.ci_low,
    v.ci_high,
    v.n_base,
    v.n_new,
    v.p,
    v.worsening,
    v.reason,
    v.series_base,
    v.series_new,
    v.base_runs,
    v.new_runs,
    v.base_achieved,
    v.base_expected,
    v.new_achieved,
    v.new_expected,
    v.base_marked,
    v.new_marked,
    v.boots_needed,
    v.stands,
    v.p_zero,
    v.decided_by,
    v.screened_effect,
    v.screened_ci_low,
    v.screened_ci_high,
    v.screened_base_value,
    v.screened_new_value,
    v.screened_n_base,
    v.screened_n_new
   FROM (public.alert_verdict x
     JOIN read_model.verdict v ON ((v.id = x.verdict)));
COMMENT ON VIEW read_model.alert_verdict IS 'the figures behind an alert';
CREATE VIEW read_model.board AS
 SELECT b.name,
    b.board_type,
    t.arch,
    t.deterministic,
    t.cpus,
    t.limits,
    COALESCE(s.state, 'good'::text) AS state,
    s.since,
    s.reason,
    s.by,
    c.finding AS last_finding,
    c.sentence AS last_sentence,
    c.at AS last_checked
   FROM (((public.board b
     JOIN public.board_type t ON ((t.name = b.board_type)))
     LEFT JOIN LATERAL ( SELECT x.state,
            x.since,
            x.reason,
            x.by
           FROM public.board_state x
          WHERE (x.board = b.name)
          ORDER BY x.id DESC
         LIMIT 1) s ON (true))
     LEFT JOIN LATERAL ( SELECT x.finding,
            x.sentence,
            r.finished_at AS at
           FROM (public.board_check x
             JOIN public.run r ON ((r.id = x.run)))
          WHERE (x.board = b.name)
          ORDER BY x.id DESC
         LIMIT 1) c ON (true));
COMMENT ON VIEW read_model.board IS 'boards with their state and last check';
CREATE VIEW read_model.board_check AS
 SELECT c.id,
    c.board,
    b.board_type,
    r.finished_at AS at,
    c.run,
    c.finding,
    c.accepted,
    c.level,
    c.noise,
    ((c.band #>> '{levels,0,low}'::text[]))::double precision AS level_low,
    ((c.band #>> '{levels,0,high}'::text[]))::double precision AS level_high,
    ((c.band #>> '{noises,0,high}'::text[]))::double precision AS noise_high,
    c.sentence
   FROM ((public.board_check c
     JOIN public.run r ON ((r.id = c.run)))
     JOIN public.board b ON ((b.name = c.board)));
COMMENT ON VIEW read_model.board_check IS 'one boot of the baseline kernel with the noise-floor benchmark';
CREATE VIEW read_model.kernel_run AS
 SELECT r.kernel,
    r.id AS run
   FROM public.run r
  WHERE (r.observes IS NULL)
UNION
 SELECT b.kernel,
    r.id AS run
   FROM ((public.build b
     JOIN public.run r ON (((r.image_sha256 = b.image_sha256) AND (r.config_sha256 = b.config_sha256))))
     JOIN public.board_type t ON (((t.name = r.board_type) AND t.deterministic)))
  WHERE ((b.outcome = 'complete'::public.outcome_kind) AND (r.observes IS NULL));
COMMENT ON VIEW read_model.kernel_run IS 'runs that count for a kernel; extra boots, which observe, do not';
CREATE VIEW read_model.change_point AS
 SELECT p.id,
    p.series,
    p.statistic,
    p.tree,
    p.branch,
    p.effect,
    p.ci_low,
    p.ci_high,
    p.cause,
    p.found_at,
    p.withdrawn_at,
    read_model.worsening(p.effect, s.direction) AS worsening,
    s.benchmark,
    s.metric,
    s.board_type,
    p.before_kernel,
    p.kernel,
    k.name AS kernel_name,
    k.commit,
    k.committed_at,
    ( SELECT min(v.at) AS min
           FROM (public.run_value v
             JOIN read_model.kernel_run x ON ((x.run = v.run)))
          WHERE ((x.kernel = p.kernel) AND (v.series = p.series) AND (v.statistic = p.statistic))) AS at
   FROM ((public.change_point p
     JOIN public.series s ON ((s.id = p.series)))
     JOIN read_model.kernel k ON ((k.id = p.kernel)));
COMMENT ON VIEW read_model.change_point IS 'change points in the history of a series along a branch';
COMMENT ON COLUMN read_model.change_point.cause IS 'kernel; or board, if the baseline kernel changed at the same point';
COMMENT ON COLUMN read_model.change_point.at IS 'end of the first boot after the change point';
CREATE VIEW read_model.comparison AS
 SELECT c.id,
    c.created_at AS at,
    c.board_type,
    c.role,
    c.synthetic,
    c.plan,
    c.base_kernel,
    c.new_kernel,
    b.name AS base,
    n.name AS new,
    read_model.pairs(c.base_knobs) AS base_knobs,
    read_model.pairs(c.new_knobs) AS new_knobs,
    n.tree,
    n.branch,
    n.branch_name,
    n.branches,
    n.ref,
    n.series AS patches,
    n.application,
    n.variant,
    b.commit AS base_commit,
    n.commit AS new_commit,
    n.committed_at,
    n.subject,
    (cardinality(c.failed_builds) + cardinality(c.failed_runs)) AS failures,
    (NOT (EXISTS ( SELECT
           FROM public.comparison later
          WHERE ((later.id > c.id) AND (later.board_type = c.board_type) AND (later.new_kernel = c.new_kernel) AND (later.base_kernel = c.base_kernel) AND (later.base_knobs = c.base_knobs) AND (later.new_knobs = c.new_knobs) AND (NOT (later.plan IS DISTINCT FROM c.plan)) AND (later.stage IS DISTINCT FROM 'confirm'::text) AND ((later.scope = '[]'::jsonb) OR ((c.scope <> '[]'::jsonb) AND (jsonb_path_query_array(c.scope, '$[*]."benchmark"'::jsonpath) <@ jsonb_path_query_array(later.scope, '$[*]."benchmark"'::jsonpath)))))))) AS current,
    c.factors,
    c.notes,
    c.scope,
    b.tree AS base_tree,
    p.good AS as_predicted,
    c.inputs AS digest
   FROM (((public.comparison c
     LEFT JOIN public.prediction p ON ((p.comparison = c.id)))
     JOIN read_model.kernel b ON ((b.id = c.base_kernel)))
     JOIN read_model.kernel n ON ((n.id = c.new_kernel)))
  WHERE (c.stage IS DISTINCT FROM 'confirm'::text);
COMMENT ON VIEW read_model.comparison IS 'two kernels on one board type; the view verdict includes the results of a rerun';
COMMENT ON COLUMN read_model.comparison.role IS 'role of the base for the new kernel, baseline or parent; null: a person named both, or both are candidates';
COMMENT ON COLUMN read_model.comparison.branch IS 'first branch of the new kernel; null: it belongs to none; to select a branch, use kernel_branch';
COMMENT ON COLUMN read_model.comparison.failures IS 'builds and runs of either kernel that failed; the view failure lists them';
COMMENT ON COLUMN read_model.comparison.current IS 'no later comparison of the same two kernels, knobs and plan has all of its benchmarks';
COMMENT ON COLUMN read_model.comparison.factors IS 'intended differences: factor -> {base, new}';
COMMENT ON COLUMN read_model.comparison.notes IS 'excluded runs with reasons';
COMMENT ON COLUMN read_model.comparison.scope IS 'runs that counted: [{benchmark, parameters, first, last}], seeds first to last; []: all runs';
COMMENT ON COLUMN read_model.comparison.as_predicted IS 'all is as the header of its patch predicts: part of the self-proof, not of the state of a branch; null: nothing is predicted';
COMMENT ON COLUMN read_model.comparison.digest IS 'identity: that of its runs and settings';
CREATE VIEW read_model.comparison_summary AS
 SELECT c.id,
    c.at,
    c.board_type,
    c.role,
    c.synthetic,
    c.plan,
    c.base_kernel,
    c.new_kernel,
    c.base,
    c.new,
    c.base_knobs,
    c.new_knobs,
    c.tree,
    c.branch,
    c.branch_name,
    c.branches,
    c.ref,
    c.patches,
    c.application,
    c.variant,
    c.base_commit,
    c.new_commit,
    c.committed_at,
    c.subject,
    c.failures,
    c.current,
    c.factors,
    c.notes,
    c.scope,
    c.base_tree,
    c.as_predicted,
    c.digest,
    t.regressions,
    t.hints,
    t.improvements,
    t.suspected,
    t.marginal,
    t.inconclusive,
    t.not_comparable,
    t.unchanged,
    t.worst,
    t.worst_hint,
    w.verdict,
        CASE
            WHEN (t.hints > 0) THEN LEAST(read_model.severity(w.verdict, ''::text), read_model.severity('REGRESSION'::text, 'hint'::text))
            ELSE read_model.severity(w.verdict, ''::text)
        END AS severity,
    t.size
   FROM ((read_model.comparison c
     CROSS JOIN LATERAL ( SELECT count(*) FILTER (WHERE ((v.verdict = 'REGRESSION'::text) AND (v.standing = ANY (ARRAY['confirmed'::text, 'told'::text])))) AS regressions,
            count(*) FILTER (WHERE ((v.verdict = 'REGRESSION'::text) AND (v.standing = 'hint'::text))) AS hints,
            count(*) FILTER (WHERE ((v.verdict = 'IMPROVEMENT'::text) AND (v.standing = ANY (ARRAY['confirmed'::text, 'told'::text])))) AS improvements,
            count(*) FILTER (WHERE (v.standing = 'suspected'::text)) AS suspected,
            count(*) FILTER (WHERE ((v.verdict = 'MARGINAL'::text) AND (v.standing = ''::text))) AS marginal,
            count(*) FILTER (WHERE (v.verdict = 'INCONCLUSIVE'::text)) AS inconclusive,
            count(*) FILTER (WHERE (v.verdict = 'NOT_COMPARABLE'::text)) AS not_comparable,
            count(*) FILTER (WHERE (v.verdict = 'UNCHANGED'::text)) AS unchanged,
            (array_agg(v.worsening ORDER BY (read_model.size(v.effect)) DESC, v.worsening DESC) FILTER (WHERE ((v.verdict = 'REGRESSION'::text) AND (v.standing = ANY (ARRAY['confirmed'::text, 'told'::text])))))[1] AS worst,
            (array_agg(v.effect ORDER BY (read_model.size(v.effect)) DESC) FILTER (WHERE ((v.verdict = 'REGRESSION'::text) AND (v.standing = 'hint'::text))))[1] AS worst_hint,
            COALESCE(max(read_model.size(v.effect)) FILTER (WHERE ((v.verdict = 'REGRESSION'::text) AND (v.standing = ANY (ARRAY['confirmed'::text, 'told'::text])))), max(read_model.size(v.effect)) FILTER (WHERE (v.verdict = 'REGRESSION'::text)), max(read_model.size(v.effect)) FILTER (WHERE (v.verdict = 'IMPROVEMENT'::text)), (0)::double precision) AS size
           FROM read_model.verdict v
          WHERE (v.comparison = c.id)) t)
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN ((t.regressions > 0) AND (t.improvements > 0)) THEN 'MIXED'::text
                    WHEN (t.regressions > 0) THEN 'REGRESSION'::text
                    WHEN (c.failures > 0) THEN 'FAILED'::text
                    WHEN (t.suspected > 0) THEN 'SUSPECTED'::text
                    WHEN (t.improvements > 0) THEN 'IMPROVEMENT'::text
                    WHEN (t.hints > 0) THEN 'REGRESSION (hint)'::text
                    WHEN (t.marginal > 0) THEN 'MARGINAL'::text
                    WHEN ((t.not_comparable > 0) AND (t.unchanged = 0)) THEN 'NOT_COMPARABLE'::text
                    WHEN (t.unchanged > 0) THEN 'UNCHANGED'::text
                    ELSE 'INCONCLUSIVE'::text
                END AS verdict) w);
COMMENT ON VIEW read_model.comparison_summary IS 'comparisons with counts of their verdicts and an overall verdict; query few comparisons, because the counts are computed on demand';
COMMENT ON COLUMN read_model.comparison_summary.regressions IS 'regressions that a rerun confirmed or that need no rerun, without hints';
COMMENT ON COLUMN read_model.comparison_summary.suspected IS 'changes that no rerun has decided';
COMMENT ON COLUMN read_model.comparison_summary.marginal IS 'changes that are certain and about as large as what matters, without hints';
COMMENT ON COLUMN read_model.comparison_summary.worst IS 'largest confirmed worsening (as |log ratio|), 0.01 = 1 %; null: none';
COMMENT ON COLUMN read_model.comparison_summary.worst_hint IS 'effect of the largest hint of a worsening; null: no such hint';
COMMENT ON COLUMN read_model.comparison_summary.verdict IS 'MIXED, REGRESSION, FAILED, SUSPECTED, IMPROVEMENT, REGRESSION (hint), MARGINAL, NOT_COMPARABLE, UNCHANGED or INCONCLUSIVE: the first that applies';
COMMENT ON COLUMN read_model.comparison_summary.severity IS 'rank for sorting worst first: the rank of the overall verdict, or of regression hints if that is worse';
COMMENT ON COLUMN read_model.comparison_summary.size IS 'largest confirmed worsening as |log ratio|; otherwise the largest worsening; otherwise the largest improvement';
CREATE VIEW read_model.distribution AS
 SELECT o.comparison,
    x.benchmark,
    read_model.pairs(x.parameters) AS parameters,
    x.metric,
    x.unit,
    x.p AS whole_p,
    x.suspect,
    x.worse,
    x.better,
    x.headline,
    (q.value ->> 'name'::text) AS quantile,
    (q.ord)::integer AS number,
    ((q.value ->> 'base'::text))::double precision AS base_value,
    ((q.value ->> 'new'::text))::double precision AS new_value,
    ((q.value ->> 'effect'::text))::double precision AS effect,
    ((q.value ->> 'low'::text))::double precision AS ci_low,
    ((q.value ->> 'high'::text))::double precision AS ci_high,
    ((q.value ->> 'moved'::text))::boolean AS moved,
    f.comparison AS decided_by,
        CASE
            WHEN (f.comparison IS NOT NULL) THEN o.headline
            ELSE NULL::text
        END AS screened_headline,
    ((q.value ->> 'p'::text))::double precision AS p
   FROM (((public.shift o
     LEFT JOIN public.shift f ON (((f.comparison = ( SELECT max(v.decided_by) AS max
           FROM read_model.verdict v
          WHERE ((v.comparison = o.comparison) AND (v.benchmark = o.benchmark) AND (v.parameters = read_model.pairs(o.parameters)) AND (v.metric = o.metric)))) AND (f.benchmark = o.benchmark) AND (f.parameters = o.parameters) AND (f.metric = o.metric))))
     JOIN public.shift x ON (((x.comparison = COALESCE(f.comparison, o.comparison)) AND (x.benchmark = o.benchmark) AND (x.parameters = o.parameters) AND (x.metric = o.metric))))
     CROSS JOIN LATERAL jsonb_array_elements(x.quantiles) WITH ORDINALITY q(value, ord));
COMMENT ON VIEW read_model.distribution IS 'shift function of a latency: one row per quantile, with simultaneous 95 % intervals';
COMMENT ON COLUMN read_model.distribution.base_value IS 'geometric mean over boots, in unit: new_value / base_value = 1 + effect';
COMMENT ON COLUMN read_model.distribution.decided_by IS 'comparison of the rerun that the numbers come from, if it decided a figure of the distribution';
COMMENT ON COLUMN read_model.distribution.screened_headline IS 'headline of the first boots; null: headline itself comes from them';
COMMENT ON COLUMN read_model.distribution.p IS 'of the quantile, adjusted for all that were tested with it; whole_p: of the distribution';
CREATE VIEW read_model.failure AS
 SELECT c.id AS comparison,
        CASE
            WHEN (c.base_kernel = c.new_kernel) THEN 'both'::text
            WHEN (b.kernel = c.base_kernel) THEN 'base'::text
            ELSE 'new'::text
        END AS side,
    'build'::text AS kind,
    b.id AS build,
    NULL::bigint AS run,
    NULL::text AS benchmark,
    NULL::text AS parameters,
    NULL::bigint AS seed,
    (b.outcome)::text AS outcome,
    b.reason,
    b.location,
    b.finished_at AS at,
    (b.document ->> 'reproduce'::text) AS reproduce
   FROM (public.comparison c
     JOIN public.build b ON ((b.id = ANY (c.failed_builds))))
UNION ALL
 SELECT c.id AS comparison,
        CASE
            WHEN (s.base AND s.new) THEN 'both'::text
            WHEN s.base THEN 'base'::text
            ELSE 'new'::text
        END AS side,
    'run'::text AS kind,
    NULL::bigint AS build,
    r.id AS run,
    r.benchmark,
    read_model.pairs(r.parameters) AS parameters,
    r.seed,
    (r.outcome)::text AS outcome,
    r.reason,
    r.location,
    r.finished_at AS at,
    (r.document ->> 'reproduce'::text) AS reproduce
   FROM ((public.comparison c
     JOIN public.run r ON ((r.id = ANY (c.failed_runs))))
     CROSS JOIN LATERAL ( SELECT ((r.knobs = c.base_knobs) AND (EXISTS ( SELECT
                   FROM read_model.kernel_run x
                  WHERE ((x.run = r.id) AND (x.kernel = c.base_kernel))))) AS base,
            ((r.knobs = c.new_knobs) AND (EXISTS ( SELECT
                   FROM read_model.kernel_run x
                  WHERE ((x.run = r.id) AND (x.kernel = c.new_kernel))))) AS new) s);
COMMENT ON VIEW read_model.failure IS 'failed builds and runs of the two kernels of a comparison; restrict the comparison';
COMMENT ON COLUMN read_model.failure.side IS 'base, new, or both: one kernel with two sets of knobs, or two kernels with one image';
CREATE VIEW read_model.histogram_bucket AS
 SELECT h.run,
    h.series,
    b.lower_bound,
    b.count,
    b.beyond
   FROM (public.histogram h
     CROSS JOIN LATERAL ( SELECT h.bounds[(1 + ((c.ord - 1) % (cardinality(h.bounds))::bigint))] AS lower_bound,
            (sum(c.count))::bigint AS count,
            false AS beyond
           FROM unnest(h.counts) WITH ORDINALITY c(count, ord)
          GROUP BY h.bounds[(1 + ((c.ord - 1) % (cardinality(h.bounds))::bigint))]
        UNION ALL
         SELECT h.overflow_from,
            (sum(o.count))::bigint AS sum,
            true
           FROM unnest(h.overflow) o(count)
         HAVING (sum(o.count) > (0)::numeric)) b);
COMMENT ON VIEW read_model.histogram_bucket IS 'number of samples in the bucket that begins at lower_bound, in the unit of the series; restrict run or series first';
COMMENT ON COLUMN read_model.histogram_bucket.beyond IS 'overflow: all samples from lower_bound on, which the tool did not resolve';
CREATE VIEW read_model.history AS
 SELECT v.at,
    v.value,
    v.series,
    v.statistic,
    v.run,
    k.id AS kernel,
    k.tree,
    k.committed_at,
    k.commit,
    k.series AS patches,
    k.application,
    k.variant,
    read_model.pairs(r.knobs) AS knobs,
    r.board,
    r.board_type,
    r.seed,
    r.synthetic,
    read_model.is_marked(r.health) AS marked
   FROM (((public.series s
     JOIN public.run_value v ON ((v.series = s.id)))
     JOIN public.run r ON (((r.id = v.run) AND (r.board_type = s.board_type) AND (r.benchmark = s.benchmark))))
     JOIN public.kernel k ON ((k.id = r.kernel)))
  WHERE ((r.suspect IS NULL) AND (r.observes IS NULL) AND (NOT (EXISTS ( SELECT
           FROM public.board_doubt d
          WHERE ((d.board = r.board) AND (d.lifted_at IS NULL) AND (NOT r.synthetic) AND ((d.since IS NULL) OR (r.finished_at > d.since)) AND ((d.until IS NULL) OR (r.started_at < d.until)))))))
UNION ALL
 SELECT v.at,
    v.value,
    v.series,
    v.statistic,
    v.run,
    k.id AS kernel,
    k.tree,
    k.committed_at,
    k.commit,
    k.series AS patches,
    k.application,
    k.variant,
    read_model.pairs(r.knobs) AS knobs,
    r.board,
    r.board_type,
    r.seed,
    r.synthetic,
    read_model.is_marked(r.health) AS marked
   FROM (((((public.series s
     JOIN public.board_type t ON (((t.name = s.board_type) AND t.deterministic)))
     JOIN public.run_value v ON ((v.series = s.id)))
     JOIN public.run r ON (((r.id = v.run) AND (r.board_type = s.board_type) AND (r.benchmark = s.benchmark))))
     JOIN public.build b ON (((b.image_sha256 = r.image_sha256) AND (b.config_sha256 = r.config_sha256) AND (b.outcome = 'complete'::public.outcome_kind) AND (b.kernel <> r.kernel))))
     JOIN public.kernel k ON ((k.id = b.kernel)))
  WHERE ((r.suspect IS NULL) AND (r.observes IS NULL) AND (NOT (EXISTS ( SELECT
           FROM public.build a
          WHERE ((a.kernel = b.kernel) AND (a.id < b.id) AND (a.outcome = 'complete'::public.outcome_kind) AND (a.image_sha256 = b.image_sha256) AND (a.config_sha256 = b.config_sha256))))) AND (NOT (EXISTS ( SELECT
           FROM public.board_doubt d
          WHERE ((d.board = r.board) AND (d.lifted_at IS NULL) AND (NOT r.synthetic) AND ((d.since IS NULL) OR (r.finished_at > d.since)) AND ((d.until IS NULL) OR (r.started_at < d.until)))))));
COMMENT ON VIEW read_model.history IS 'one row per boot, statistic and kernel; restrict series and statistic first';
COMMENT ON COLUMN read_model.history.at IS 'end of the boot; committed_at is the time of the commit';
COMMENT ON COLUMN read_model.history.kernel IS 'restrict it to the kernels of a branch by the view kernel_branch';
COMMENT ON COLUMN read_model.history.patches IS 'patch series of the kernel, null: none';
COMMENT ON COLUMN read_model.history.marked IS 'a kernel alarm occurred during setup or measurement';
CREATE VIEW read_model.kernel_build AS
 SELECT b.id,
    b.kernel,
    b.bundle_digest AS digest,
    (b.outcome)::text AS outcome,
    b.reason,
    b.release,
    b.image_sha256,
    b.config_sha256,
    b.toolchain,
    b.started_at,
    b.finished_at,
    k.patches
   FROM (public.build b
     JOIN public.kernel k ON ((k.id = b.kernel)));
COMMENT ON VIEW read_model.kernel_build IS 'one attempt to build one kernel';
COMMENT ON COLUMN read_model.kernel_build.digest IS 'identity of the bundle: equal in every database';
COMMENT ON COLUMN read_model.kernel_build.patches IS 'patches that were to be applied, in order: [{name, sha256}]';
CREATE VIEW read_model.kernel_name AS
 SELECT f.kernel,
    f.name,
    f.is_branch
   FROM public.kernel_ref f
UNION ALL
 SELECT f.kernel,
    ((f.tree || '/'::text) || f.name) AS name,
    f.is_branch
   FROM public.kernel_ref f
UNION ALL
 SELECT k.id AS kernel,
    k.describe AS name,
    false AS is_branch
   FROM public.kernel k
UNION ALL
 SELECT b.kernel,
    b.release AS name,
    NULL::boolean AS is_branch
   FROM public.build b
  WHERE (b.release IS NOT NULL);
COMMENT ON VIEW read_model.kernel_name IS 'one row per kernel and name that a person may know it by; restrict name or kernel';
COMMENT ON COLUMN read_model.kernel_name.is_branch IS 'null: a release, which other commits may share';
CREATE VIEW read_model.newest AS
 SELECT DISTINCT ON (n.tree, f.branch,
        CASE
            WHEN (f.branch IS NULL) THEN n.id
            ELSE NULL::bigint
        END, n.series, n.application, n.variant, c.board_type, c.base_knobs, c.new_knobs, c.role, c.plan, c.synthetic, b.tree, b.branch, b.series, b.application, b.variant) c.id AS comparison,
    f.branch_name AS head_of
   FROM (((public.comparison c
     JOIN public.kernel n ON ((n.id = c.new_kernel)))
     LEFT JOIN read_model.kernel_branch f ON ((f.kernel = n.id)))
     LEFT JOIN public.kernel b ON (((b.id = c.base_kernel) AND (c.role IS NULL))))
  WHERE ((c.stage IS DISTINCT FROM 'confirm'::text) AND (NOT (EXISTS ( SELECT
           FROM public.prediction p
          WHERE (p.comparison = c.id)))))
  ORDER BY n.tree, f.branch,
        CASE
            WHEN (f.branch IS NULL) THEN n.id
            ELSE NULL::bigint
        END, n.series, n.application, n.variant, c.board_type, c.base_knobs, c.new_knobs, c.role, c.plan, c.synthetic, b.tree, b.branch, b.series, b.application, b.variant, n.committed_at DESC, c.id DESC;
COMMENT ON VIEW read_model.newest IS 'the comparison of the newest kernel of each branch, patches, variant, knobs, board type, plan and role of its base (null: and base branch); without the self-proof';
COMMENT ON COLUMN read_model.newest.head_of IS 'the branch, TREE/BRANCH; null: a kernel that belongs to no branch';
CREATE VIEW read_model.latest AS
 SELECT s.id,
    s.at,
    s.board_type,
    s.role,
    s.synthetic,
    s.plan,
    s.base_kernel,
    s.new_kernel,
    s.base,
    s.new,
    s.base_knobs,
    s.new_knobs,
    s.tree,
    s.branch,
    s.branch_name,
    s.branches,
    s.ref,
    s.patches,
    s.application,
    s.variant,
    s.base_commit,
    s.new_commit,
    s.committed_at,
    s.subject,
    s.failures,
    s.current,
    s.factors,
    s.notes,
    s.scope,
    s.base_tree,
    s.as_predicted,
    s.digest,
    s.regressions,
    s.hints,
    s.improvements,
    s.suspected,
    s.marginal,
    s.inconclusive,
    s.not_comparable,
    s.unchanged,
    s.worst,
    s.worst_hint,
    s.verdict,
    s.severity,
    s.size,
    l.head_of
   FROM (read_model.newest l
     CROSS JOIN LATERAL ( SELECT x.id,
            x.at,
            x.board_type,
            x.role,
            x.synthetic,
            x.plan,
            x.base_kernel,
            x.new_kernel,
            x.base,
            x.new,
            x.base_knobs,
            x.new_knobs,
            x.tree,
            x.branch,
            x.branch_name,
            x.branches,
            x.ref,
            x.patches,
            x.application,
            x.variant,
            x.base_commit,
            x.new_commit,
            x.committed_at,
            x.subject,
            x.failures,
            x.current,
            x.factors,
            x.notes,
            x.scope,
            x.base_tree,
            x.as_predicted,
            x.digest,
            x.regressions,
            x.hints,
            x.improvements,
            x.suspected,
            x.marginal,
            x.inconclusive,
            x.not_comparable,
            x.unchanged,
            x.worst,
            x.worst_hint,
            x.verdict,
            x.severity,
            x.size
           FROM read_model.comparison_summary x
          WHERE (x.id = l.comparison)) s);
COMMENT ON VIEW read_model.latest IS 'rows of an overview: those of the view newest with their counts';
COMMENT ON COLUMN read_model.latest.head_of IS 'the branch, TREE/BRANCH; null: a kernel that belongs to no branch';
CREATE VIEW read_model.left_out AS
 SELECT r.id AS run,
    r.board,
    r.benchmark,
    r.finished_at,
    r.synthetic,
    r.suspect AS why
   FROM public.run r
  WHERE (r.suspect IS NOT NULL)
UNION ALL
 SELECT r.id AS run,
    r.board,
    r.benchmark,
    r.finished_at,
    r.synthetic,
    c.sentence AS why
   FROM ((public.board_doubt d
     JOIN public.board_check c ON ((c.id = d.found_by)))
     CROSS JOIN LATERAL ( SELECT x.id,
            x.board,
            x.benchmark,
            x.finished_at,
            x.synthetic
           FROM public.run x
          WHERE ((x.board = d.board) AND (NOT x.synthetic) AND (x.finished_at > COALESCE(d.since, '-infinity'::timestamp with time zone)) AND (x.started_at < COALESCE(d.until, 'infinity'::timestamp with time zone)) AND (x.finished_at <= (COALESCE(d.until, 'infinity'::timestamp with time zone) + make_interval(secs => ( SELECT max(date_part('epoch'::text, (y.finished_at - y.started_at))) AS max
                   FROM public.run y)))))
         OFFSET 0) r)
  WHERE (d.lifted_at IS NULL);
COMMENT ON VIEW read_model.left_out IS 'runs that comparisons exclude, one row per run and reason; for a single run query the view run';
COMMENT ON COLUMN read_model.left_out.why IS 'inconsistent data of the run, or the finding of a board check';
CREATE VIEW read_model.newest_of_role AS
 SELECT DISTINCT ON (n.tree, f.branch,
        CASE
            WHEN (f.branch IS NULL) THEN n.id
            ELSE NULL::bigint
        END, c.board_type, c.role, n.series, n.application, n.variant, c.new_knobs,
        CASE
            WHEN (c.role IS NULL) THEN ROW(c.base_kernel, c.base_knobs, n.id)
            ELSE NULL::record
        END) c.id,
    c.role,
    n.tree,
    f.branch,
    f.branch_name,
    c.new_kernel,
    c.board_type
   FROM ((public.comparison c
     JOIN public.kernel n ON ((n.id = c.new_kernel)))
     LEFT JOIN read_model.kernel_branch f ON ((f.kernel = n.id)))
  WHERE ((c.stage IS DISTINCT FROM 'confirm'::text) AND (NOT (EXISTS ( SELECT
           FROM public.prediction p
          WHERE (p.comparison = c.id)))))
  ORDER BY n.tree, f.branch,
        CASE
            WHEN (f.branch IS NULL) THEN n.id
            ELSE NULL::bigint
        END, c.board_type, c.role, n.series, n.application, n.variant, c.new_knobs,
        CASE
            WHEN (c.role IS NULL) THEN ROW(c.base_kernel, c.base_knobs, n.id)
            ELSE NULL::record
        END, n.committed_at DESC, c.id DESC;
COMMENT ON VIEW read_model.newest_of_role IS 'the comparison of the newest kernel of each branch, patches, variant, knobs, board type and role of its base, without counts and without the self-proof';
COMMENT ON COLUMN read_model.newest_of_role.role IS 'null: by hand; each pair of kernels is then there';
CREATE VIEW read_model.night AS
 SELECT n.id,
    n.key,
    n.started_at,
    n.finished_at,
    n.comparisons,
    n.branches,
    n.missing,
    n.notes,
    n.url,
    n.report,
    f.tests,
    f.q,
    cardinality(n.comparisons) AS compared
   FROM (public.night n
     LEFT JOIN public.multiple_testing f ON ((f.id = n.multiple_testing)));
COMMENT ON VIEW read_model.night IS 'nights that have ended, successful or not';
CREATE VIEW read_model.prediction AS
 SELECT p.comparison,
    p.name,
    p.good,
    p.text,
    c.board_type,
    c.tree,
    c.branch_name,
    c.base,
    c.new,
    c.base_kernel,
    c.new_kernel,
    c.at
   FROM (public.prediction p
     JOIN read_model.comparison c ON ((c.id = p.comparison)));
COMMENT ON VIEW read_model.prediction IS 'the self-proof: comparisons of patches whose headers predict what must be flagged';
COMMENT ON COLUMN read_model.prediction.good IS 'all is as predicted; what could not be judged is not';
CREATE VIEW read_model.profile AS
 SELECT c.id AS comparison,
    p.id,
    p.board_type,
    p.base_kernel,
    p.new_kernel,
    c.base,
    c.new,
    c.branch_name,
    p.benchmark,
    read_model.pairs(p.parameters) AS parameters,
    p.operation,
    p.base_instructions,
    p.new_instructions,
    (p.new_instructions - p.base_instructions) AS change,
    ((p.new_instructions - p.base_instructions) / NULLIF(p.base_instructions, (0)::double precision)) AS effect,
    p.base_sched,
    p.new_sched,
    p.base_user,
    p.new_user,
    p.base_operations,
    p.new_operations,
    cardinality(p.base_runs) AS n_base,
    cardinality(p.new_runs) AS n_new,
    p.base_runs,
    p.new_runs,
    p.others,
    p.others_change,
    p.sentence,
    p.created_at AS at
   FROM (public.profile p
     JOIN read_model.comparison c ON (((c.base_kernel = p.base_kernel) AND (c.new_kernel = p.new_kernel) AND (read_model.pairs(p.base_knobs) = c.base_knobs) AND (read_model.pairs(p.new_knobs) = c.new_knobs) AND (c.board_type = p.board_type))));
COMMENT ON VIEW read_model.profile IS 'a benchmark of a comparison that a deterministic board has counted: kernel instructions an operation of both kernels';
COMMENT ON COLUMN read_model.profile.effect IS 'relative change of the instructions, 0.01 = 1 %';
COMMENT ON COLUMN read_model.profile.base_sched IS 'instructions in kernel/sched, a part of base_instructions; base_user is not';
COMMENT ON COLUMN read_model.profile.base_operations IS 'operations a boot; n_base are the boots, which observe and are never scored';
COMMENT ON COLUMN read_model.profile.others IS 'functions that differ and are not in profile_function; others_change is their part of change';
CREATE VIEW read_model.profile_decision AS
 SELECT p.id AS profile,
    (d.ord)::integer AS number,
    (d.value ->> 'what'::text) AS what,
    ((d.value ->> 'base'::text))::double precision AS base_value,
    ((d.value ->> 'new'::text))::double precision AS new_value
   FROM (public.profile p
     CROSS JOIN LATERAL jsonb_array_elements(p.decisions) WITH ORDINALITY d(value, ord));
COMMENT ON VIEW read_model.profile_decision IS 'how often the scheduler decided something, for an operation of the benchmark';
CREATE VIEW read_model.profile_function AS
 SELECT f.profile,
    f.number,
    f.name,
    f.source,
    f.base_calls,
    f.base_instructions,
    f.new_calls,
    f.new_instructions,
    f.change,
    f.certain
   FROM public.profile_function f;
COMMENT ON VIEW read_model.profile_function IS 'a function of a profile, calls and instructions an operation; the largest change first';
COMMENT ON COLUMN read_model.profile_function.base_calls IS 'null: this side never executed the function';
COMMENT ON COLUMN read_model.profile_function.certain IS 'boots of one kernel do not differ by as much';
CREATE VIEW read_model.run AS
 SELECT r.id,
    r.kernel,
    r.board,
    r.board_type,
    t.deterministic,
    t.limits,
    r.plan,
    r.benchmark,
    read_model.pairs(r.parameters) AS parameters,
    r.seed,
    read_model.pairs(r.knobs) AS knobs,
    r.observes,
    (r.outcome)::text AS outcome,
    r.reason,
    r.started_at,
    r.finished_at,
    date_part('epoch'::text, (r.finished_at - r.started_at)) AS took_s,
    r.estimate_s,
    r.tool_version,
    (r.emulator ->> 'program'::text) AS emulator,
    (r.emulator ->> 'version'::text) AS emulator_version,
    r.image_sha256,
    r.config_sha256,
    r.location,
    (r.executor ->> 'program'::text) AS executor,
    (r.executor ->> 'lab'::text) AS lab,
    (r.executor ->> 'job'::text) AS job,
    (r.document ->> 'output'::text) AS output,
    (r.document ->> 'reproduce'::text) AS reproduce,
    r.synthetic,
    jsonb_array_length(r.health) AS alarms,
    COALESCE(r.suspect,
        CASE
            WHEN (d.spans && tstzrange(LEAST(r.started_at, r.finished_at), GREATEST(r.started_at, r.finished_at), '[]'::text)) THEN ( SELECT c.sentence
               FROM (public.board_doubt d_1
                 JOIN public.board_check c ON ((c.id = d_1.found_by)))
              WHERE ((d_1.board = r.board) AND (d_1.lifted_at IS NULL) AND (NOT r.synthetic) AND ((d_1.since IS NULL) OR (r.finished_at > d_1.since)) AND ((d_1.until IS NULL) OR (r.started_at < d_1.until)))
              ORDER BY d_1.id
             LIMIT 1)
            ELSE NULL::text
        END) AS left_out,
    read_model.is_marked(r.health) AS marked,
    r.bundle_digest AS digest
   FROM ((public.run r
     LEFT JOIN public.board_type t ON ((t.name = r.board_type)))
     LEFT JOIN ( SELECT x.board,
            range_agg(tstzrange(
                CASE
                    WHEN ((x.since < x.until) IS NOT FALSE) THEN x.since
                    ELSE NULL::timestamp with time zone
                END, x.until, '()'::text)) AS spans
           FROM public.board_doubt x
          WHERE (x.lifted_at IS NULL)
          GROUP BY x.board) d ON ((d.board = r.board)));
COMMENT ON VIEW read_model.run IS 'one boot of one kernel on one board';
COMMENT ON COLUMN read_model.run.plan IS 'null: started by hand';
COMMENT ON COLUMN read_model.run.seed IS 'seed of the small perturbation that makes each boot a separate observation';
COMMENT ON COLUMN read_model.run.observes IS 'what an extra boot observes; no comparison, history or prior uses it; null: a scored boot';
COMMENT ON COLUMN read_model.run.took_s IS 'host time from start to end; estimate_s is the estimate';
COMMENT ON COLUMN read_model.run.output IS 'raw output of the tool, below location; null: the run failed earlier';
COMMENT ON COLUMN read_model.run.reproduce IS 'command that reproduces it';
COMMENT ON COLUMN read_model.run.alarms IS 'number of kernel alarms on the console';
COMMENT ON COLUMN read_model.run.left_out IS 'reason why comparisons exclude it; null: it counts';
COMMENT ON COLUMN read_model.run.marked IS 'a kernel alarm occurred during setup or measurement; its figures count and are marked';
COMMENT ON COLUMN read_model.run.digest IS 'identity of the bundle: equal in every database';
CREATE VIEW read_model.run_environment AS
 SELECT r.id AS run,
    e.key AS name,
    e.value
   FROM public.run r,
    LATERAL jsonb_each_text(r.environment) e(key, value);
COMMENT ON VIEW read_model.run_environment IS 'environment of the board, one row per file or section';
CREATE VIEW read_model.run_health AS
 SELECT r.id AS run,
    (h.ord)::integer AS number,
    (h.value ->> 'kind'::text) AS kind,
    (h.value ->> 'text'::text) AS text,
    ((h.value ->> 'line'::text))::integer AS line,
    (h.value ->> 'phase'::text) AS phase
   FROM public.run r,
    LATERAL jsonb_array_elements(r.health) WITH ORDINALITY h(value, ord);
COMMENT ON VIEW read_model.run_health IS 'kernel alarms on the console of a run: warnings, oopses, stalls and taints';
CREATE VIEW read_model.run_value AS
 SELECT v.run,
    v.series,
    v.statistic,
    v.at,
    v.value
   FROM public.run_value v;
COMMENT ON VIEW read_model.run_value IS 'one number per boot, series and statistic, in the unit of the series';
CREATE VIEW read_model.sample AS
 SELECT x.run,
    x.series,
    p.instance,
    ((p.ord - 1))::integer AS place,
    p.value
   FROM (public.sample x
     CROSS JOIN LATERAL UNNEST(x."values", x.instances) WITH ORDINALITY p(value, instance, ord));
COMMENT ON VIEW read_model.sample IS 'each number that a tool printed, in the unit of the series; restrict run or series first';
COMMENT ON COLUMN read_model.sample.instance IS 'what the tool tells apart in one run, a thread or a CPU; empty: nothing';
COMMENT ON COLUMN read_model.sample.place IS 'order in which the tool printed them, from 0';
CREATE VIEW read_model.series AS
 SELECT s.id,
    s.benchmark,
    read_model.pairs(s.parameters) AS parameters,
    s.metric,
    s.unit,
    (s.direction)::text AS direction,
    s.tool,
    s.tool_version,
    s.board_type,
    ((s.benchmark || ' '::text) || s.metric) AS name,
    read_model.is_latency(s.unit, s.direction) AS latency
   FROM public.series s;
COMMENT ON VIEW read_model.series IS 'measured quantities; values are compared only within one series';
COMMENT ON COLUMN read_model.series.latency IS 'a time for which lower is better; false: throughput';
CREATE VIEW read_model.suspicion AS
 SELECT s.id,
    s.board_type,
    s.base_kernel,
    s.new_kernel,
    b.name AS base,
    n.name AS new,
    n.tree,
    n.branch,
    n.branch_name,
    n.ref,
    read_model.pairs(s.new_knobs) AS new_knobs,
    s.benchmark,
    read_model.pairs(s.parameters) AS parameters,
    s.metric,
    s.statistic,
    s.worse,
    s.hint,
    (s.stand)::text AS stand,
    s.boots,
    s.p,
    s.raised_by,
    s.decided_by,
    s.created_at,
    s.changed_at,
    (EXISTS ( SELECT
           FROM public.prediction p
          WHERE (p.comparison = s.raised_by))) AS predicted
   FROM ((public.suspicion s
     JOIN read_model.kernel b ON ((b.id = s.base_kernel)))
     JOIN read_model.kernel n ON ((n.id = s.new_kernel)));
COMMENT ON VIEW read_model.suspicion IS 'changes in first boots, and the decisions of reruns';
COMMENT ON COLUMN read_model.suspicion.predicted IS 'the comparison that raised it holds predictions: part of the self-proof';
INSERT INTO public._yoyo_log VALUES ('dd878d86-eb66-11f1-9b66-02fc00000001', 'dcbd49fa225d31ce273d4832b33c3cac67fde2ede8f1522b911c33fce4158d54', '0001_kernels_and_runs', 'apply', 'root', 'localhost', NULL, '2026-11-28 20:04:06.103866');
INSERT INTO public._yoyo_log VALUES ('dd914ae2-eb66-11f1-9b66-02fc00000001', '9ab8ff80a5f0a1ddab21100a9dabe94a7bcbcac1bbe552356c4a6da842848ace', '0002_comparisons', 'apply', 'root', 'localhost', NULL, '2026-11-28 20:04:06.167578');
INSERT INTO public._yoyo_log VALUES ('dd948482-eb66-11f1-9b66-02fc00000001', 'ca1be2e7ad576a02f6673eba898a7e9a4439c629df571f122e036674ef9863d3', '0003_patches', 'apply', 'root', 'localhost', NULL, '2026-11-28 20:04:06.188715');
INSERT INTO public._yoyo_log VALUES ('dd997794-eb66-11f1-9b66-02fc00000001', '2ef6af6429079555bdfb6828506f43a6e29b0755467af3b42e5df3f25c5fed27', '0004_comparison_scope', 'apply', 'root', 'localhost', NULL, '2026-11-28 20:04:06.221158');
INSERT INTO public._yoyo_log VALUES ('dd9d2466-eb66-11f1-9b66-02fc00000001', 'fcb4f5627c0085c1ea8781407c1315040659ad4df7a506e403a08950556e8030', '0005_catalogue', 'apply', 'root', 'localhost', NULL, '2026-11-28 20:04:06.245252');
INSERT INTO public._yoyo_log VALUES ('dda68cf4-eb66-11f1-9b66-02fc00000001', '664cb0489f6a86467cb0c5d2193d4ced989a3b5299fcbcb63edcd8c650e54859', '0006_statistics', 'apply', 'root', 'localhost', NULL, '2026-11-28 20:04:06.306924');
INSERT INTO public._yoyo_log VALUES ('ddb08114-eb66-11f1-9b66-02fc00000001', '7ca78b627238080980835c77e7b1470603ccc0dac98f558b27598f003d03b072', '0007_boards', 'apply', 'root', 'localhost', NULL, '2026-11-28 20:04:06.372152');
INSERT INTO public._yoyo_log VALUES ('ddbb3d70-eb66-11f1-9b66-02fc00000001', 'afdff3046a384202efc0b6c420ba25b01c29b81f8ae1dd34cc8c65efeb9cc942', '0008_shown', 'apply', 'root', 'localhost', NULL, '2026-11-28 20:04:06.442521');
INSERT INTO public._yoyo_log VALUES ('ddc4a4fa-eb66-11f1-9b66-02fc00000001', '42d03531878ab655594e9310c6d1b332364ae3c486f9c816d0ac70376184a28a', '0009_alerts', 'apply', 'root', 'localhost', NULL, '2026-11-28 20:04:06.504113');
INSERT INTO public._yoyo_log VALUES ('ddc81a22-eb66-11f1-9b66-02fc00000001', '8ec55fc8edb70ce6387af3766c407fe216e516bfd03a79c07b18ea4ec1b133b3', '0010_run_times', 'apply', 'root', 'localhost', NULL, '2026-11-28 20:04:06.526785');
INSERT INTO public._yoyo_log VALUES ('ddccff7e-eb66-11f1-9b66-02fc00000001', 'a9a07717a285b89c8497f4834d928b2d16d586e691a66154c72312bb0ec6d6db', '0011_levels', 'apply', 'root', 'localhost', NULL, '2026-11-28 20:04:06.558883');
INSERT INTO public._yoyo_log VALUES ('ddd1d62a-eb66-11f1-9b66-02fc00000001', '57589fe5b164abda127360828abe39f9f5e057283d6ac463771f7632d5917f21', '0012_multiple_testing', 'apply', 'root', 'localhost', NULL, '2026-11-28 20:04:06.590595');
INSERT INTO public._yoyo_log VALUES ('ddd52668-eb66-11f1-9b66-02fc00000001', 'cbc0415985a9af3e7eefa9317032b4400859b284ed52248c6468e8d27db998e5', '0013_observes', 'apply', 'root', 'localhost', NULL, '2026-11-28 20:04:06.612304');
INSERT INTO public._yoyo_log VALUES ('ddd8771e-eb66-11f1-9b66-02fc00000001', '3593d93c885efe777f3a631d4198ee6762402559247c329c9f8aaedf8dbb06e9', '0014_interval', 'apply', 'root', 'localhost', NULL, '2026-11-28 20:04:06.634009');
INSERT INTO public._yoyo_log VALUES ('dddb3d0a-eb66-11f1-9b66-02fc00000001', '551dc3a252f0396963a8dbb69bbdbf221c7131484e297ea16a63c69c833c0ff8', '0015_marginal', 'apply', 'root', 'localhost', NULL, '2026-11-28 20:04:06.652183');
INSERT INTO public._yoyo_log VALUES ('dde2aa36-eb66-11f1-9b66-02fc00000001', 'b7496f0785fc0b7aab20a147c74606838f124918df30cd2e8ce0d992fb1baf3f', '0016_refs_and_predictions', 'apply', 'root', 'localhost', NULL, '2026-11-28 20:04:06.700841');
INSERT INTO public._yoyo_log VALUES ('dde7d22c-eb66-11f1-9b66-02fc00000001', '6d843446ad6b781483a1f05490bc0792e90888cf49db469d639fd4459738d6cc', '0017_profiles', 'apply', 'root', 'localhost', NULL, '2026-11-28 20:04:06.734631');
INSERT INTO public._yoyo_migration VALUES ('dcbd49fa225d31ce273d4832b33c3cac67fde2ede8f1522b911c33fce4158d54', '0001_kernels_and_runs', '2026-11-28 20:04:06.112888');
INSERT INTO public._yoyo_migration VALUES ('9ab8ff80a5f0a1ddab21100a9dabe94a7bcbcac1bbe552356c4a6da842848ace', '0002_comparisons', '2026-11-28 20:04:06.171919');
INSERT INTO public._yoyo_migration VALUES ('ca1be2e7ad576a02f6673eba898a7e9a4439c629df571f122e036674ef9863d3', '0003_patches', '2026-11-28 20:04:06.19355');
INSERT INTO public._yoyo_migration VALUES ('2ef6af6429079555bdfb6828506f43a6e29b0755467af3b42e5df3f25c5fed27', '0004_comparison_scope', '2026-11-28 20:04:06.224866');
INSERT INTO public._yoyo_migration VALUES ('fcb4f5627c0085c1ea8781407c1315040659ad4df7a506e403a08950556e8030', '0005_catalogue', '2026-11-28 20:04:06.246695');
INSERT INTO public._yoyo_migration VALUES ('664cb0489f6a86467cb0c5d2193d4ced989a3b5299fcbcb63edcd8c650e54859', '0006_statistics', '2026-11-28 20:04:06.313346');
INSERT INTO public._yoyo_migration VALUES ('7ca78b627238080980835c77e7b1470603ccc0dac98f558b27598f003d03b072', '0007_boards', '2026-11-28 20:04:06.375767');
INSERT INTO public._yoyo_migration VALUES ('afdff3046a384202efc0b6c420ba25b01c29b81f8ae1dd34cc8c65efeb9cc942', '0008_shown', '2026-11-28 20:04:06.449075');
INSERT INTO public._yoyo_migration VALUES ('42d03531878ab655594e9310c6d1b332364ae3c486f9c816d0ac70376184a28a', '0009_alerts', '2026-11-28 20:04:06.505407');
INSERT INTO public._yoyo_migration VALUES ('8ec55fc8edb70ce6387af3766c407fe216e516bfd03a79c07b18ea4ec1b133b3', '0010_run_times', '2026-11-28 20:04:06.531948');
INSERT INTO public._yoyo_migration VALUES ('a9a07717a285b89c8497f4834d928b2d16d586e691a66154c72312bb0ec6d6db', '0011_levels', '2026-11-28 20:04:06.563098');
INSERT INTO public._yoyo_migration VALUES ('57589fe5b164abda127360828abe39f9f5e057283d6ac463771f7632d5917f21', '0012_multiple_testing', '2026-11-28 20:04:06.594046');
INSERT INTO public._yoyo_migration VALUES ('cbc0415985a9af3e7eefa9317032b4400859b284ed52248c6468e8d27db998e5', '0013_observes', '2026-11-28 20:04:06.613619');
INSERT INTO public._yoyo_migration VALUES ('3593d93c885efe777f3a631d4198ee6762402559247c329c9f8aaedf8dbb06e9', '0014_interval', '2026-11-28 20:04:06.63744');
INSERT INTO public._yoyo_migration VALUES ('551dc3a252f0396963a8dbb69bbdbf221c7131484e297ea16a63c69c833c0ff8', '0015_marginal', '2026-11-28 20:04:06.654962');
INSERT INTO public._yoyo_migration VALUES ('b7496f0785fc0b7aab20a147c74606838f124918df30cd2e8ce0d992fb1baf3f', '0016_refs_and_predictions', '2026-11-28 20:04:06.704713');
INSERT INTO public._yoyo_migration VALUES ('6d843446ad6b781483a1f05490bc0792e90888cf49db469d639fd4459738d6cc', '0017_profiles', '2026-11-28 20:04:06.738458');
INSERT INTO public._yoyo_version VALUES (2, '2026-11-28 20:04:05.629527');
INSERT INTO public.alert OVERRIDING SYSTEM VALUE VALUES (1, '958014d7ce1a211af7bc808578f4ac7c04d994352d0bd00c9ab9227f9ca7acae', 'regression', 'debian', 'linux-6.13', 'qemu-sim-2', NULL, 62, 78, NULL, 'parent', 0.11999999368619842, NULL, 'debian/linux-6.13: commit cd8ce82524ea: stress-ng-switch bogo-ops-rate 12.0 % worse', 'Commit cd8ce82524ea of debian/linux-6.13 is worse than its parent:
<script>alert(1)</script> "quoted" & ''more'' {{7*7}}
Seen against the baseline as well: comparison 6 (qemu-sim-2).
  stress-ng-switch bogo-ops-rate [1/s]
      443125 -> 389950  -12.0 % [-12.1, -11.9] worse, n 5 + 5, confirmed by
      a rerun (screen of the first boots: -12.0 %)
Toggles: no toggle was run
Comparison 5 on qemu-sim-2, plan nightly
  base: debian/6.12.3-1-vlag (debian 5ad2da1d06b6)
  new:  debian/6.12.4-1-vlag (debian cd8ce82524ea)
To see stress-ng-switch bogo-ops-rate again:
  vlag run --build builds/4d8f0174d295 stress-ng-switch --seed 6
  vlag run --build builds/3a9d7d43516f stress-ng-switch --seed 6', false, 'new', NULL, '2026-11-28 20:04:10.845874+00', '2026-11-28 20:04:10.845874+00', NULL, NULL, NULL);
INSERT INTO public.alert_event OVERRIDING SYSTEM VALUE VALUES (1, 1, '2026-11-28 20:04:10.93622+00', 'vlag', 'opened', NULL, 'debian/linux-6.13: commit cd8ce82524ea: stress-ng-switch bogo-ops-rate 12.0 % worse');
INSERT INTO public.alert_verdict VALUES (1, 25);
INSERT INTO public.alert_verdict VALUES (1, 30);
INSERT INTO public.board VALUES ('qemu-sim-2-1', 'qemu-sim-2');
INSERT INTO public.board_type VALUES ('qemu-sim-2', 'x86_64', true, 2, 'A virtual board whose clock counts instructions: it shows path length and scheduling decisions, not caches, memory or parallelism. Its CPUs take turns on one thread, so cross-CPU latencies are hints and confirm nothing.');
INSERT INTO public.build OVERRIDING SYSTEM VALUE VALUES (1, 1, '333de8b4b174a6ebd774fcfc906dcea1aba3453be0f5270a09c1e1c4fdac6798', 'complete', NULL, 'debian/6.1.170-1-vlag', 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'gcc 12.2.0', '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', '/srv/vlag/var/builds/c1803964900f', '{"kind": "build", "files": [{"path": "bzImage", "bytes": 70, "sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473"}, {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, {"path": "build.log", "bytes": 5, "sha256": "c117ade9ea8a00abe926dfed79297a9a3632defb97a3ffd1baf33fe92704aa0f"}], "image": {"path": "bzImage", "bytes": 70, "sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473"}, "config": {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "reproduce": "vlag build --tree debian --ref 5798758bbc833df09bceba3fb38dfa95dbe82d1a --board-type qemu-sim-2", "toolchain": "gcc 12.2.0", "started_at": "2026-03-01T10:00:00Z", "environment": {}, "finished_at": "2026-03-01T10:05:00Z"}');
INSERT INTO public.build OVERRIDING SYSTEM VALUE VALUES (2, 10, 'cefa47d305afb11b43678dfe7359fde4323de5434ab14c9fb8985fcb99a38cf0', 'complete', NULL, 'debian/6.12.170-1-vlag', '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'gcc 12.2.0', '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', '/srv/vlag/var/builds/c9009c103473', '{"kind": "build", "files": [{"path": "bzImage", "bytes": 70, "sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1"}, {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, {"path": "build.log", "bytes": 5, "sha256": "c117ade9ea8a00abe926dfed79297a9a3632defb97a3ffd1baf33fe92704aa0f"}], "image": {"path": "bzImage", "bytes": 70, "sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1"}, "config": {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "reproduce": "vlag build --tree debian --ref e4d86b820871b1f065479509c0993f2676311899 --board-type qemu-sim-2", "toolchain": "gcc 12.2.0", "started_at": "2026-03-01T10:00:00Z", "environment": {}, "finished_at": "2026-03-01T10:05:00Z"}');
INSERT INTO public.build OVERRIDING SYSTEM VALUE VALUES (4, 35, '894957c058b19678faa3ff85982006d534d5280f672e945b5b0d999d3464b898', 'complete', NULL, 'debian/6.12.2-1-vlag', '4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'gcc 12.2.0', '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', '/srv/vlag/var/qemu-sim-2/builds/8cc111d77b65', '{"kind": "build", "files": [{"path": "bzImage", "bytes": 70, "sha256": "4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389"}, {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, {"path": "build.log", "bytes": 5, "sha256": "c117ade9ea8a00abe926dfed79297a9a3632defb97a3ffd1baf33fe92704aa0f"}], "image": {"path": "bzImage", "bytes": 70, "sha256": "4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389"}, "config": {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "8cc111d77b65b60dd8b99ad8b8de5bda63cf6b5b3f427acde6130fb0962ca9d6", "series": "fair-fixes", "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [{"name": "0001-odd.patch", "sha256": "5555555555555555555555555555555555555555555555555555555555555555"}], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "solo(1)", "committed_at": "2026-03-02T00:00:00Z"}, "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "reproduce": "vlag build --tree debian --ref 51d2b5014469ab2c71b88b0751dace384fd24530 --board-type qemu-sim-2", "toolchain": "gcc 12.2.0", "started_at": "2026-03-01T10:00:00Z", "environment": {}, "finished_at": "2026-03-01T10:05:00Z"}');
INSERT INTO public.build OVERRIDING SYSTEM VALUE VALUES (5, 46, 'cff61ff468645e78aff047ec6182a201b59a260ecc42d19266e1ead85705d3d0', 'complete', NULL, 'debian/6.12.2-1-vlag', 'e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'gcc 12.2.0', '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', '/srv/vlag/var/qemu-sim-2/builds/1101c92f246c', '{"kind": "build", "files": [{"path": "bzImage", "bytes": 70, "sha256": "e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818"}, {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, {"path": "build.log", "bytes": 5, "sha256": "c117ade9ea8a00abe926dfed79297a9a3632defb97a3ffd1baf33fe92704aa0f"}], "image": {"path": "bzImage", "bytes": 70, "sha256": "e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818"}, "config": {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "1101c92f246c4c0be57b6e1b07514245eb7f80c7b0611458c7d1e2931bc7d077", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "none", "committed_at": "2026-03-02T00:00:00Z"}, "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "reproduce": "vlag build --tree debian --ref 51d2b5014469ab2c71b88b0751dace384fd24530 --board-type qemu-sim-2", "toolchain": "gcc 12.2.0", "started_at": "2026-03-01T10:00:00Z", "environment": {}, "finished_at": "2026-03-01T10:05:00Z"}');
INSERT INTO public.build OVERRIDING SYSTEM VALUE VALUES (6, 62, '4ed0f6296b2336b24aed5ea12905f0571ed3f5a3e573dcec804f3e82e766e312', 'complete', NULL, 'debian/6.12.3-1-vlag', '10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'gcc 12.2.0', '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', '/srv/vlag/var/qemu-sim-2/builds/4d8f0174d295', '{"kind": "build", "files": [{"path": "bzImage", "bytes": 70, "sha256": "10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9"}, {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, {"path": "build.log", "bytes": 5, "sha256": "c117ade9ea8a00abe926dfed79297a9a3632defb97a3ffd1baf33fe92704aa0f"}], "image": {"path": "bzImage", "bytes": 70, "sha256": "10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9"}, "config": {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf", "digest": "4d8f0174d295f2541d76144cc12410c9c4f2b3379b1a8bf6da6b965813cb952a", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.3-1", "application": "none", "committed_at": "2026-03-03T00:00:00Z"}, "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.3-1-vlag", "reproduce": "vlag build --tree debian --ref 5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf --board-type qemu-sim-2", "toolchain": "gcc 12.2.0", "started_at": "2026-03-01T10:00:00Z", "environment": {}, "finished_at": "2026-03-01T10:05:00Z"}');
INSERT INTO public.build OVERRIDING SYSTEM VALUE VALUES (7, 78, '57acae8ee8d7a7e834b7782d45f682154c1222283ea3a55cfd8b3ceec97194f0', 'complete', NULL, 'debian/6.12.4-1-vlag', 'a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'gcc 12.2.0', '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', '/srv/vlag/var/qemu-sim-2/builds/3a9d7d43516f', '{"kind": "build", "files": [{"path": "bzImage", "bytes": 70, "sha256": "a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386"}, {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, {"path": "build.log", "bytes": 5, "sha256": "c117ade9ea8a00abe926dfed79297a9a3632defb97a3ffd1baf33fe92704aa0f"}], "image": {"path": "bzImage", "bytes": 70, "sha256": "a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386"}, "config": {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "cd8ce82524eadd7f7e519f709b490f1171cc36f8", "digest": "3a9d7d43516fd141d7cefbb6498b79016edfe13e67931ab5cc99b0bf48f3457c", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.4-1", "application": "none", "committed_at": "2026-03-04T00:00:00Z"}, "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.4-1-vlag", "reproduce": "vlag build --tree debian --ref cd8ce82524eadd7f7e519f709b490f1171cc36f8 --board-type qemu-sim-2", "toolchain": "gcc 12.2.0", "started_at": "2026-03-01T10:00:00Z", "environment": {}, "finished_at": "2026-03-01T10:05:00Z"}');
INSERT INTO public.build OVERRIDING SYSTEM VALUE VALUES (8, 94, '519ccf0b9b8e0672da9f98572e2af3700b452a4660aef882624e380d772ccc0e', 'complete', NULL, 'debian/6.12.1-1-vlag', '9e1895ac05f4b270ad2365e0f70b68ea0b550d734f6f4d642d9a92b20ce91e39', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'gcc 12.2.0', '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', '/srv/vlag/var/broken-build', '{"kind": "build", "files": [{"path": "bzImage", "bytes": 70, "sha256": "9e1895ac05f4b270ad2365e0f70b68ea0b550d734f6f4d642d9a92b20ce91e39"}, {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, {"path": "build.log", "bytes": 5, "sha256": "c117ade9ea8a00abe926dfed79297a9a3632defb97a3ffd1baf33fe92704aa0f"}], "image": {"path": "bzImage", "bytes": 70, "sha256": "9e1895ac05f4b270ad2365e0f70b68ea0b550d734f6f4d642d9a92b20ce91e39"}, "config": {"path": "config", "bytes": 13, "sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}, "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "c89abd013f91b72113c4182ad608dde3a81090b5", "digest": "a911c5bc4563d90c897a841175d5c00c3a66706699aeccb3f3cc6801864c5ed4", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.1-1", "application": "none", "committed_at": "2026-03-01T00:00:00Z"}, "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.1-1-vlag", "reproduce": "vlag build --tree debian --ref c89abd013f91b72113c4182ad608dde3a81090b5 --board-type qemu-sim-2", "toolchain": "gcc 12.2.0", "started_at": "2026-03-01T10:00:00Z", "environment": {}, "finished_at": "2026-03-01T10:05:00Z"}');
INSERT INTO public.comparison OVERRIDING SYSTEM VALUE VALUES (1, '7a1130ff2941fb80da3b98431463adf5a9cffd8dfe9dde0b1982b11b9ebcafe3', 1, 10, 'qemu-sim-2', '{}', '{}', '{"kernel": {"new": "debian e4d86b820871 (debian/6.12.170-1)", "base": "debian 5798758bbc83 (debian/6.1.170-1)"}}', '{}', '{}', '{}', '2026-11-28 20:04:07.408201+00', NULL, NULL, '[]', NULL, NULL, false);
INSERT INTO public.comparison OVERRIDING SYSTEM VALUE VALUES (2, '32ad2b4f6504e6ea55c30c73504233c5804c0f5b0182d9ccb264f0911143d9f9', 1, 94, 'qemu-sim-2', '{}', '{}', '{"kernel": {"new": "debian c89abd013f91 (debian/6.12.1-1)", "base": "debian 5798758bbc83 (debian/6.1.170-1)"}}', '{}', '{87,88,89}', '{}', '2026-11-28 20:04:10.544626+00', 'nightly', 'screen', '[{"last": 5, "first": 1, "benchmark": "stress-ng-switch", "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}}, {"last": 5, "first": 1, "benchmark": "cyclictest-hackbench", "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}}]', NULL, 'baseline', false);
INSERT INTO public.comparison OVERRIDING SYSTEM VALUE VALUES (3, 'fc8fc374dcd0dd8a5a6eacae3c902baff9dd8d272fe698ff3fed9c13437e1ca8', 1, 46, 'qemu-sim-2', '{}', '{}', '{"kernel": {"new": "debian 51d2b5014469 (debian/6.12.2-1)", "base": "debian 5798758bbc83 (debian/6.1.170-1)"}}', '{}', '{}', '{}', '2026-11-28 20:04:10.593597+00', 'nightly', 'screen', '[{"last": 5, "first": 1, "benchmark": "stress-ng-switch", "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}}, {"last": 5, "first": 1, "benchmark": "cyclictest-hackbench", "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}}]', NULL, 'baseline', false);
INSERT INTO public.comparison OVERRIDING SYSTEM VALUE VALUES (4, 'f724f4b45dac7f26ccc6bcf77d18655c890fef46b933455037a226698adbb744', 46, 35, 'qemu-sim-2', '{}', '{}', '{"series": {"new": "fair-fixes", "base": null}, "application": {"new": "solo(1)", "base": "none"}}', '{}', '{}', '{}', '2026-11-28 20:04:10.638927+00', 'nightly', 'screen', '[{"last": 5, "first": 1, "benchmark": "stress-ng-switch", "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}}, {"last": 5, "first": 1, "benchmark": "cyclictest-hackbench", "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}}]', NULL, NULL, false);
INSERT INTO public.comparison OVERRIDING SYSTEM VALUE VALUES (5, '75d77118caa2b430e70d8fd3db4b3b143f97eac2e5d54e77d06069a8ea2bccbc', 62, 78, 'qemu-sim-2', '{}', '{}', '{"kernel": {"new": "debian cd8ce82524ea (debian/6.12.4-1)", "base": "debian 5ad2da1d06b6 (debian/6.12.3-1)"}}', '{}', '{}', '{}', '2026-11-28 20:04:10.695508+00', 'nightly', 'screen', '[{"last": 5, "first": 1, "benchmark": "stress-ng-switch", "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}}, {"last": 5, "first": 1, "benchmark": "cyclictest-hackbench", "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}}]', NULL, 'parent', false);
INSERT INTO public.comparison OVERRIDING SYSTEM VALUE VALUES (6, '5787a3ee4dd9220258d45c599782a65a58e71d66970760b6f8de9a8d04e65a1d', 1, 78, 'qemu-sim-2', '{}', '{}', '{"kernel": {"new": "debian cd8ce82524ea (debian/6.12.4-1)", "base": "debian 5798758bbc83 (debian/6.1.170-1)"}}', '{}', '{}', '{}', '2026-11-28 20:04:10.761713+00', 'nightly', 'screen', '[{"last": 5, "first": 1, "benchmark": "stress-ng-switch", "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}}, {"last": 5, "first": 1, "benchmark": "cyclictest-hackbench", "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}}]', NULL, 'baseline', false);
INSERT INTO public.comparison OVERRIDING SYSTEM VALUE VALUES (7, '112f3a17dbfdb99e7097984be32466ef32b3089d9be9320c594b1bc3f2bfc701', 62, 78, 'qemu-sim-2', '{}', '{}', '{"kernel": {"new": "debian cd8ce82524ea (debian/6.12.4-1)", "base": "debian 5ad2da1d06b6 (debian/6.12.3-1)"}}', '{}', '{}', '{}', '2026-11-28 20:04:10.800563+00', 'nightly', 'confirm', '[{"last": 10, "first": 6, "benchmark": "stress-ng-switch", "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}}, {"last": 10, "first": 6, "benchmark": "cyclictest-hackbench", "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}}]', 1, 'parent', false);
INSERT INTO public.comparison OVERRIDING SYSTEM VALUE VALUES (8, '85833d825025c2d64b6855e86ae680036aaaaa2ff5d6bd2d9d4d7db7d58725a0', 1, 78, 'qemu-sim-2', '{}', '{}', '{"kernel": {"new": "debian cd8ce82524ea (debian/6.12.4-1)", "base": "debian 5798758bbc83 (debian/6.1.170-1)"}}', '{}', '{}', '{}', '2026-11-28 20:04:10.832979+00', 'nightly', 'confirm', '[{"last": 10, "first": 6, "benchmark": "stress-ng-switch", "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}}, {"last": 10, "first": 6, "benchmark": "cyclictest-hackbench", "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}}]', 1, 'baseline', false);
INSERT INTO public.histogram VALUES (6, 11, '{18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,46,66,67}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{46,67}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (7, 11, '{19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,47,67,68}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{47,68}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (8, 11, '{18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,46,66,67}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{46,67}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (14, 11, '{18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,46,66,67}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{46,67}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (15, 11, '{19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,47,67,68}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{47,68}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (16, 11, '{18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,46,66,67}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{46,67}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (27, 11, '{18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,46,66,67}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{46,67}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (28, 11, '{19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,47,67,68}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{47,68}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (29, 11, '{18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,46,66,67}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{46,67}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (30, 11, '{19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,47,67,68}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{47,68}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (31, 11, '{18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,46,66,67}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{46,67}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (52, 11, '{18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,46,66,67}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{46,67}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (53, 11, '{19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,47,67,68}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{47,68}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (54, 11, '{18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,46,66,67}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{46,67}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (55, 11, '{19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,47,67,68}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{47,68}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (56, 11, '{18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,46,66,67}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{46,67}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (67, 11, '{18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,46,66,67}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{46,67}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (68, 11, '{19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,47,67,68}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{47,68}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (69, 11, '{18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,46,66,67}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{46,67}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (70, 11, '{19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,47,67,68}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{47,68}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (71, 11, '{18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,46,66,67}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{46,67}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (82, 11, '{108,109,110,111,112,113,114,115,116,117,118,119,120,121,122,123,124,125,126,127,128,129,136,156,157}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{136,157}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (83, 11, '{109,110,111,112,113,114,115,116,117,118,119,120,121,122,123,124,125,126,127,128,129,130,137,157,158}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{137,158}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (84, 11, '{108,109,110,111,112,113,114,115,116,117,118,119,120,121,122,123,124,125,126,127,128,129,136,156,157}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{136,157}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (85, 11, '{109,110,111,112,113,114,115,116,117,118,119,120,121,122,123,124,125,126,127,128,129,130,137,157,158}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{137,158}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.histogram VALUES (86, 11, '{108,109,110,111,112,113,114,115,116,117,118,119,120,121,122,123,124,125,126,127,128,129,136,156,157}', '{{16,146,201,62,34,11,11,9,5,1,1,1,0,0,0,1,0,0,0,0,0,0,1,0,0},{0,1,46,141,101,44,22,9,11,10,4,6,6,7,8,4,2,3,4,8,4,1,0,57,1}}', '{0,0}', 400, '{136,157}', '{0,1}', 1000, 1000, 1000);
INSERT INTO public.kernel OVERRIDING SYSTEM VALUE VALUES (1, 'c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451', 'debian', 'linux-6.1', '5798758bbc833df09bceba3fb38dfa95dbe82d1a', 'debian/6.1.170-1', 'linux-source-6.1 6.1.170-1', '2026-02-20 00:00:00+00', NULL, 'none', 'default', 'x86_64', '35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81', '[]');
INSERT INTO public.kernel OVERRIDING SYSTEM VALUE VALUES (10, 'c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad', 'debian', 'linux-6.12', 'e4d86b820871b1f065479509c0993f2676311899', 'debian/6.12.170-1', 'linux-source-6.12 6.12.170-1', '2026-02-20 00:00:00+00', NULL, 'none', 'default', 'x86_64', '35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81', '[]');
INSERT INTO public.kernel OVERRIDING SYSTEM VALUE VALUES (35, '8cc111d77b65b60dd8b99ad8b8de5bda63cf6b5b3f427acde6130fb0962ca9d6', 'debian', 'linux-6.13', '51d2b5014469ab2c71b88b0751dace384fd24530', 'debian/6.12.2-1', '<script>alert(1)</script> "quoted" & ''more'' {{7*7}}', '2026-03-02 00:00:00+00', 'fair-fixes', 'solo(1)', 'default', 'x86_64', '35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81', '[{"name": "0001-odd.patch", "sha256": "5555555555555555555555555555555555555555555555555555555555555555"}]');
INSERT INTO public.kernel OVERRIDING SYSTEM VALUE VALUES (46, '1101c92f246c4c0be57b6e1b07514245eb7f80c7b0611458c7d1e2931bc7d077', 'debian', 'linux-6.13', '51d2b5014469ab2c71b88b0751dace384fd24530', 'debian/6.12.2-1', '<script>alert(1)</script> "quoted" & ''more'' {{7*7}}', '2026-03-02 00:00:00+00', NULL, 'none', 'default', 'x86_64', '35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81', '[]');
INSERT INTO public.kernel OVERRIDING SYSTEM VALUE VALUES (62, '4d8f0174d295f2541d76144cc12410c9c4f2b3379b1a8bf6da6b965813cb952a', 'debian', 'linux-6.13', '5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf', 'debian/6.12.3-1', '<script>alert(1)</script> "quoted" & ''more'' {{7*7}}', '2026-03-03 00:00:00+00', NULL, 'none', 'default', 'x86_64', '35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81', '[]');
INSERT INTO public.kernel OVERRIDING SYSTEM VALUE VALUES (78, '3a9d7d43516fd141d7cefbb6498b79016edfe13e67931ab5cc99b0bf48f3457c', 'debian', 'linux-6.13', 'cd8ce82524eadd7f7e519f709b490f1171cc36f8', 'debian/6.12.4-1', '<script>alert(1)</script> "quoted" & ''more'' {{7*7}}', '2026-03-04 00:00:00+00', NULL, 'none', 'default', 'x86_64', '35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81', '[]');
INSERT INTO public.kernel OVERRIDING SYSTEM VALUE VALUES (94, 'a911c5bc4563d90c897a841175d5c00c3a66706699aeccb3f3cc6801864c5ed4', 'debian', 'linux-6.13', 'c89abd013f91b72113c4182ad608dde3a81090b5', 'debian/6.12.1-1', '<script>alert(1)</script> "quoted" & ''more'' {{7*7}}', '2026-03-01 00:00:00+00', NULL, 'none', 'default', 'x86_64', '35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81', '[]');
INSERT INTO public.kernel_ref OVERRIDING SYSTEM VALUE VALUES (1, 1, 'debian', 'linux-6.1', true);
INSERT INTO public.kernel_ref OVERRIDING SYSTEM VALUE VALUES (10, 10, 'debian', 'linux-6.12', true);
INSERT INTO public.kernel_ref OVERRIDING SYSTEM VALUE VALUES (35, 35, 'debian', 'linux-6.13', true);
INSERT INTO public.kernel_ref OVERRIDING SYSTEM VALUE VALUES (46, 46, 'debian', 'linux-6.13', true);
INSERT INTO public.kernel_ref OVERRIDING SYSTEM VALUE VALUES (62, 62, 'debian', 'linux-6.13', true);
INSERT INTO public.kernel_ref OVERRIDING SYSTEM VALUE VALUES (78, 78, 'debian', 'linux-6.13', true);
INSERT INTO public.kernel_ref OVERRIDING SYSTEM VALUE VALUES (94, 94, 'debian', 'linux-6.13', true);
INSERT INTO public.night OVERRIDING SYSTEM VALUE VALUES (1, '1', '2026-03-05 01:00:00+00', '2026-03-05 09:00:00+00', NULL, '{3,6}', '[{"tree": "debian", "branch": "linux-6.13", "board_types": ["qemu-sim-2"]}]', '{"the boots of <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}} did not run: the board was away"}', '{"<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', 'http://127.0.0.1:8010/buildbot/#/builders/1/builds/2', 'reports/night.txt');
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (1, '1b55b6a3d44abfce8ab504370af3933b06e035d34a74b856154554bde1b417ab', '4a6bc516215d6381d09653438e45e990acaee6a6515d77b7e3a4cec749705689', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 1, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/4be177964bf4/stress-ng-switch-1', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1b9262d3307984adaeb4b51092d3eaf7a22e791d0696492e39a1c9a83d877bb2"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "4a6bc516215d6381d09653438e45e990acaee6a6515d77b7e3a4cec749705689", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (2, '417025f4bb51138908c06c9d7866a5bbd5911c41cbc2fda6a88a74d653b6fde3', 'efca84aff33de9d11e9fd54f32b14f84f89104d49233383d440aa53a0d21376b', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 2, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/4be177964bf4/stress-ng-switch-2', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1bf65e6b14c2c8adb0833d10b69b9159c9a3a0ef1d72b5cf5ebd7dc5eaddeba0"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "efca84aff33de9d11e9fd54f32b14f84f89104d49233383d440aa53a0d21376b", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (3, 'e945b9dc393f0f89170d9c442fd681ee99206539d60a3295e46bbce7416ba6a0', '19d783da5d434f45445b9acbe80a7569aa6f3c00f598528ccf15427c560556e1', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 3, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/4be177964bf4/stress-ng-switch-3', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "82102eadbf79587098559a9a3f8f0923097a3654b3d829bda53aac0ff1894092"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "19d783da5d434f45445b9acbe80a7569aa6f3c00f598528ccf15427c560556e1", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (4, '59fc33f462070e095cb31a612a0a2588c22cf22bded5a3adc7e373785d18a0ab', '3827e9ecdc820a5c45dcaa0f1264c61718a909385bf6b94336f9e90a876e4338', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 4, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/4be177964bf4/stress-ng-switch-4', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 4, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "6964f542799a520091a7eafbe57d678715f9f130f7f63ca357a28773db898381"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "3827e9ecdc820a5c45dcaa0f1264c61718a909385bf6b94336f9e90a876e4338", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 4", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "2351aa422d6bdddf2c439428b9bdf8de2543b126eea823ed49c4fa4cdc9f0305", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (5, '0e0baca9e2696bad3bd499e4652e9905a73a487e063f972d89ad60e9ee6df534', '888780055f08f9003175fee0d7064ce285181270f6a3faa6aa20b09ceaedaae4', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 5, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/4be177964bf4/stress-ng-switch-5', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 5, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "8ea685258b5c14fc6a29867fa479b8eae890cc112e02c5457063d26e18e9de8a"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "888780055f08f9003175fee0d7064ce285181270f6a3faa6aa20b09ceaedaae4", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 5", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "7bc4956fdc9e23e961db83224792c179f11c35ec3f393a79fe5433968887e43e", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (6, 'd43def1c817cc3632e462bf966c02a32f2e6d05f74de46ca792649744bef337f', '9d78172c9f0b274dca3cbe973683de79720c8da5008041b9582731bb6d041c3b', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 1, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/4be177964bf4/cyclictest-hackbench-1', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "8215ca0b3edd89058daf3c04812ff6816c2fbb4ea2e01b7c4610faa81bdd0c81"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "9d78172c9f0b274dca3cbe973683de79720c8da5008041b9582731bb6d041c3b", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/c1803964900f cyclictest-hackbench --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (7, '1f3038ea102a76f2ab7c550cd9cae337be0ec659ae193fa08d2d2ae2d0095bce', '7c37bc41c9903c53009909566935e41f22b0b60e0b4d26251289f53d1fa7cd9c', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 2, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/4be177964bf4/cyclictest-hackbench-2', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "198c8817c2996b02cc8844a2ee3d9814893c8a65bc69240045a4bf1909d48aa2"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "7c37bc41c9903c53009909566935e41f22b0b60e0b4d26251289f53d1fa7cd9c", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/c1803964900f cyclictest-hackbench --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (8, 'd0096800dc8b433df4481379a16c2ba6a9ae0a24ad3d499859acaf74684dfca9', '9ca953a210052ea267de64ca3b146d4ab0b81c0cabbaaf5ca1dc7b6e52b835fb', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 3, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/4be177964bf4/cyclictest-hackbench-3', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "8215ca0b3edd89058daf3c04812ff6816c2fbb4ea2e01b7c4610faa81bdd0c81"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "9ca953a210052ea267de64ca3b146d4ab0b81c0cabbaaf5ca1dc7b6e52b835fb", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/c1803964900f cyclictest-hackbench --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (9, '067d9d6bd3b0f8c6d54abb49f16b420039786c027414b9d8e315395ead4dd8e7', 'abd7006132cac304a9261dbea63346748cbd1f0cc167985e2f41fe2ee9bdc74d', 10, '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 1, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/575e909cda31/stress-ng-switch-1', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "6d4ac7a6d0a86cf6aef2a5f2aeed80e0467b6c421926d9969c360cc259b9c99a"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "run_key": "abd7006132cac304a9261dbea63346748cbd1f0cc167985e2f41fe2ee9bdc74d", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c9009c103473 stress-ng-switch --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (10, '13f8e4af23f93bfdbb2246ec9f4cf0d0e32bdcb76ffa469056333ab2a68b497f', '036c1e7a50f51256cd10a617b336176831de3ddcaa12e19bfd68a6e0662b1582', 10, '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 2, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/575e909cda31/stress-ng-switch-2', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "c27fdd59cfb717194841997fd4c68eaff237ec474eec028c7c1db03370fd72e8"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "run_key": "036c1e7a50f51256cd10a617b336176831de3ddcaa12e19bfd68a6e0662b1582", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c9009c103473 stress-ng-switch --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (11, '8b9b2a1e5aa3f8e83cded0a84bb11a336f029cdf71f0a843460111e4531350bd', 'ec7e68c5603fd3c77102f5ce3f3ecd32e46da928871478eeb098e9bf94a5ce74', 10, '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 3, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/575e909cda31/stress-ng-switch-3', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "04f2baaabc908187d1d7118964785bc4c06877d2db7e75ba3d3f08bb176a5d48"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "run_key": "ec7e68c5603fd3c77102f5ce3f3ecd32e46da928871478eeb098e9bf94a5ce74", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c9009c103473 stress-ng-switch --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (12, '2c3d975df8a9c2fa4e3d0b2826d254e9456337f41ad99934555c0f8fad325ab7', 'c223d4998d17dc7359396e92b60500be9135aac813a8a17ba38bcf076370f692', 10, '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 4, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/575e909cda31/stress-ng-switch-4', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 4, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "37cba2b9a4e262659373023427c40da46aa34d9d09fae69ef110ccfb50324378"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "run_key": "c223d4998d17dc7359396e92b60500be9135aac813a8a17ba38bcf076370f692", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c9009c103473 stress-ng-switch --seed 4", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "2351aa422d6bdddf2c439428b9bdf8de2543b126eea823ed49c4fa4cdc9f0305", "image_sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (13, '7709d305266d0223928fcde02e3353c46df4f81b9dfd51b679916b657827f125', '22b79d5588060c200501341206c9679d0fc7181401fc4bf5975160615abfdab6', 10, '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 5, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/575e909cda31/stress-ng-switch-5', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 5, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "cf96cab2ce0b731e5108727ed929290ff02d038c4a7464e1f561013f1b5d01ea"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "run_key": "22b79d5588060c200501341206c9679d0fc7181401fc4bf5975160615abfdab6", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c9009c103473 stress-ng-switch --seed 5", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "7bc4956fdc9e23e961db83224792c179f11c35ec3f393a79fe5433968887e43e", "image_sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (14, 'abdab4abad49f1393550b63e8dda6dc90b6cbd7f204d0ca2c2fa6e4d6eafd7de', '2f34249755c8340a1f0ea5a958bb168f9e65da55a3c783d62ecd0ea8eb6343ad', 10, '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 1, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/575e909cda31/cyclictest-hackbench-1', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "8215ca0b3edd89058daf3c04812ff6816c2fbb4ea2e01b7c4610faa81bdd0c81"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "run_key": "2f34249755c8340a1f0ea5a958bb168f9e65da55a3c783d62ecd0ea8eb6343ad", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/c9009c103473 cyclictest-hackbench --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (15, '369995c3326e0d0d5066738efd7bf19971e5b49774221e555e732e188f202c81', '43b93f5b962efb8fded228681576395aeed5804fc529b2d6415b9f5effa34dc4', 10, '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 2, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/575e909cda31/cyclictest-hackbench-2', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "198c8817c2996b02cc8844a2ee3d9814893c8a65bc69240045a4bf1909d48aa2"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "run_key": "43b93f5b962efb8fded228681576395aeed5804fc529b2d6415b9f5effa34dc4", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/c9009c103473 cyclictest-hackbench --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (16, 'cddcf717a2ae7e340c9b3b0f3b83808795782d8b60c8624dbec203765484bdd5', '290a2d687f1d8181c50200cf6461b33d8e4c85b47712a3e0ff7dc724cdbb3a62', 10, '131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 3, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/runs/575e909cda31/cyclictest-hackbench-3', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "8215ca0b3edd89058daf3c04812ff6816c2fbb4ea2e01b7c4610faa81bdd0c81"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.12", "commit": "e4d86b820871b1f065479509c0993f2676311899", "digest": "c9009c103473db9f5dff2893b42277a1c2c69718be4df9aa6c3774ab1e71c5ad", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.12 6.12.170-1", "variant": "default", "describe": "debian/6.12.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.170-1-vlag", "run_key": "290a2d687f1d8181c50200cf6461b33d8e4c85b47712a3e0ff7dc724cdbb3a62", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/c9009c103473 cyclictest-hackbench --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "131747bcef764af5098e68731757df9bd6377dae0aed5a40ece62efca32676c1", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (17, '1447275941d1192edcc3c05597c1a89f0f8b13eaed1b963f391821c05d482c2c', '4a6bc516215d6381d09653438e45e990acaee6a6515d77b7e3a4cec749705689', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 1, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro quiet"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3f42e8953978/stress-ng-switch-1', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1b9262d3307984adaeb4b51092d3eaf7a22e791d0696492e39a1c9a83d877bb2"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "4a6bc516215d6381d09653438e45e990acaee6a6515d77b7e3a4cec749705689", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro quiet"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (18, '865408ade54548a9d68710ea6a36d2964f413e95589b12679124d33f60fa7201', 'efca84aff33de9d11e9fd54f32b14f84f89104d49233383d440aa53a0d21376b', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 2, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro quiet"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3f42e8953978/stress-ng-switch-2', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1bf65e6b14c2c8adb0833d10b69b9159c9a3a0ef1d72b5cf5ebd7dc5eaddeba0"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "efca84aff33de9d11e9fd54f32b14f84f89104d49233383d440aa53a0d21376b", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro quiet"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (19, '1fd1a24b29317c494fe0e31ddc96ba4a75978a1836807cb15332ac7a9210241c', '19d783da5d434f45445b9acbe80a7569aa6f3c00f598528ccf15427c560556e1', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 3, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro quiet"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3f42e8953978/stress-ng-switch-3', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "82102eadbf79587098559a9a3f8f0923097a3654b3d829bda53aac0ff1894092"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "19d783da5d434f45445b9acbe80a7569aa6f3c00f598528ccf15427c560556e1", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro quiet"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (20, '309421949218e72bb00800c1d2591eb0353dc2fb9b399ba86055e9418fda6a14', '3827e9ecdc820a5c45dcaa0f1264c61718a909385bf6b94336f9e90a876e4338', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 4, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro quiet"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3f42e8953978/stress-ng-switch-4', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 4, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "6964f542799a520091a7eafbe57d678715f9f130f7f63ca357a28773db898381"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "3827e9ecdc820a5c45dcaa0f1264c61718a909385bf6b94336f9e90a876e4338", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 4", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro quiet"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "2351aa422d6bdddf2c439428b9bdf8de2543b126eea823ed49c4fa4cdc9f0305", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (21, '26f81caa1c0babda21c93f480c32e6c79434b5767c14c248db7f0298cdc25534', '888780055f08f9003175fee0d7064ce285181270f6a3faa6aa20b09ceaedaae4', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 5, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro quiet"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3f42e8953978/stress-ng-switch-5', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 5, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "8ea685258b5c14fc6a29867fa479b8eae890cc112e02c5457063d26e18e9de8a"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "888780055f08f9003175fee0d7064ce285181270f6a3faa6aa20b09ceaedaae4", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 5", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro quiet"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "7bc4956fdc9e23e961db83224792c179f11c35ec3f393a79fe5433968887e43e", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (22, '46cc9d3288783e1543ef572beb6dc6aeaf53219aebb6221a28de802514873dbb', '047a1123dc281d5e0fade551ea33005818c1fedb0fb55beb1347aed480ba65ae', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 6, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro quiet"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3f42e8953978/stress-ng-switch-6', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 6, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1b9262d3307984adaeb4b51092d3eaf7a22e791d0696492e39a1c9a83d877bb2"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "047a1123dc281d5e0fade551ea33005818c1fedb0fb55beb1347aed480ba65ae", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 6", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro quiet"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "106c411261819e5a35192eab47324d72ae3caf362762d66613aa74cdc1c2a993", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (23, 'cec9e3bfba68488f8f4f2cd5c05fd1564b13123746a381b41fc9fb47d6020622', '11b87c9ad824713fbbf03f71ab200f1224323a30e611a07508abd9cfeccd1b2c', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 7, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro quiet"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3f42e8953978/stress-ng-switch-7', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 7, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1bf65e6b14c2c8adb0833d10b69b9159c9a3a0ef1d72b5cf5ebd7dc5eaddeba0"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "11b87c9ad824713fbbf03f71ab200f1224323a30e611a07508abd9cfeccd1b2c", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 7", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro quiet"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "1218017b88f3838d00aac097dcb8ebe897d403ab9ea4aea973389e0bd7cbabc5", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (24, '2c092d53749ca4fb334eb61591e22ae4661ca512b74e8511a9320f3e3728e285', '697698920e93a65144b0367457272fb5486cd2064db64e0650e8765851f2cf40', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 8, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro quiet"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3f42e8953978/stress-ng-switch-8', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 8, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "82102eadbf79587098559a9a3f8f0923097a3654b3d829bda53aac0ff1894092"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "697698920e93a65144b0367457272fb5486cd2064db64e0650e8765851f2cf40", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 8", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro quiet"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "d7610a0d3453a114870bffe1b3698348a4f9b3e4029c7af904901a0e94ba4b45", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (25, 'c29556244aac82ea20781ae4621fb12ba2646b10a0987afe9f8c9a1d81d11f70', '5daccf1b336ab5981b6d445700fce6f5cd3534e5862555165e46506244ab002d', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 9, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro quiet"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3f42e8953978/stress-ng-switch-9', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 9, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "6964f542799a520091a7eafbe57d678715f9f130f7f63ca357a28773db898381"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "5daccf1b336ab5981b6d445700fce6f5cd3534e5862555165e46506244ab002d", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 9", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro quiet"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "c3ef3248448be4e6aa3acca1db51b779e957dac1e87d9bcdb803af76b2027a74", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (26, '54f6b11cecd0ff6a75e2c1d4b59b0dfe867d2c4f7da462ca7d50034250f4207c', '53912b0872bea0fc7abd7b9d04ac7128da4ae476227ab8b078a495f87a91ca2a', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 10, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro quiet"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3f42e8953978/stress-ng-switch-10', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 10, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "8ea685258b5c14fc6a29867fa479b8eae890cc112e02c5457063d26e18e9de8a"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "53912b0872bea0fc7abd7b9d04ac7128da4ae476227ab8b078a495f87a91ca2a", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/c1803964900f stress-ng-switch --seed 10", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro quiet"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "bb61787a0dfba7c43b7397cac63bd8f908ee55a83e4bed28b915bd39528d6a78", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (27, '514afd0a3d08871f59bbdf0970f1440916f926f9465ae0ea09700f8291e2a7d1', '9d78172c9f0b274dca3cbe973683de79720c8da5008041b9582731bb6d041c3b', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 1, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro quiet"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3f42e8953978/cyclictest-hackbench-1', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "8215ca0b3edd89058daf3c04812ff6816c2fbb4ea2e01b7c4610faa81bdd0c81"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "9d78172c9f0b274dca3cbe973683de79720c8da5008041b9582731bb6d041c3b", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/c1803964900f cyclictest-hackbench --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro quiet"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (28, 'e3415c30961b5efce2ef9bed075157ee777417b5e53417537484fe0eb5d2c571', '7c37bc41c9903c53009909566935e41f22b0b60e0b4d26251289f53d1fa7cd9c', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 2, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro quiet"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3f42e8953978/cyclictest-hackbench-2', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "198c8817c2996b02cc8844a2ee3d9814893c8a65bc69240045a4bf1909d48aa2"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "7c37bc41c9903c53009909566935e41f22b0b60e0b4d26251289f53d1fa7cd9c", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/c1803964900f cyclictest-hackbench --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro quiet"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (29, '6b4fdcd48727ee007e4dbcd36d0836da8aa1f6464d62f82cffa0d99ca32845fa', '9ca953a210052ea267de64ca3b146d4ab0b81c0cabbaaf5ca1dc7b6e52b835fb', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 3, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro quiet"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3f42e8953978/cyclictest-hackbench-3', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "8215ca0b3edd89058daf3c04812ff6816c2fbb4ea2e01b7c4610faa81bdd0c81"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "9ca953a210052ea267de64ca3b146d4ab0b81c0cabbaaf5ca1dc7b6e52b835fb", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/c1803964900f cyclictest-hackbench --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro quiet"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (30, '9468add3d3956b41d089aa350ba8e5b443876d6a0c0ae795d9004b86acc595e8', '35631438f92152722c15494e7f9e08ea9f23c50c20c913e0baf3d0403684a046', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 4, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro quiet"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3f42e8953978/cyclictest-hackbench-4', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 4, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "198c8817c2996b02cc8844a2ee3d9814893c8a65bc69240045a4bf1909d48aa2"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "35631438f92152722c15494e7f9e08ea9f23c50c20c913e0baf3d0403684a046", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/c1803964900f cyclictest-hackbench --seed 4", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro quiet"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "2351aa422d6bdddf2c439428b9bdf8de2543b126eea823ed49c4fa4cdc9f0305", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (31, '8113f49333761592ac5bcd662cd0c13bd20c49a9e80347a293091a2d7a29149d', '3f96514ea863c8f3a1e9187c90374130e59ae69eadc78e821876ef43a7a4ed74', 1, 'cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 5, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro quiet"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3f42e8953978/cyclictest-hackbench-5', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 5, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "8215ca0b3edd89058daf3c04812ff6816c2fbb4ea2e01b7c4610faa81bdd0c81"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.1", "commit": "5798758bbc833df09bceba3fb38dfa95dbe82d1a", "digest": "c1803964900f998518052e1a550479fae13658169249ffc19b07ffe4b90b2451", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "linux-source-6.1 6.1.170-1", "variant": "default", "describe": "debian/6.1.170-1", "application": "none", "committed_at": "2026-02-20T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.1.170-1-vlag", "run_key": "3f96514ea863c8f3a1e9187c90374130e59ae69eadc78e821876ef43a7a4ed74", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/c1803964900f cyclictest-hackbench --seed 5", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro quiet"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "7bc4956fdc9e23e961db83224792c179f11c35ec3f393a79fe5433968887e43e", "image_sha256": "cc640e5d54149162fb152eee3888d18157e7e9166be4954fcd70b280d4406473", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (32, '7ff29621c95bea2d708cb9a24c88045828f5753d220d7e765e29d2349daea012', '4ec7017fd76facfdc81485763afd0c1d31660f13dfb8451b1076ab8b720b59db', 35, '4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 1, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/9dd46d051ff6/stress-ng-switch-1', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1b9262d3307984adaeb4b51092d3eaf7a22e791d0696492e39a1c9a83d877bb2"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "8cc111d77b65b60dd8b99ad8b8de5bda63cf6b5b3f427acde6130fb0962ca9d6", "series": "fair-fixes", "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [{"name": "0001-odd.patch", "sha256": "5555555555555555555555555555555555555555555555555555555555555555"}], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "solo(1)", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "4ec7017fd76facfdc81485763afd0c1d31660f13dfb8451b1076ab8b720b59db", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/8cc111d77b65 stress-ng-switch --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (33, '5e734b1e5e51d0bc4adf42e0128137187443f3ef308b25f9a92d1cfe2db641b1', '4deab5c3b0a847981e64c8831a01a8ad2440280f3d2189600144c55742b5cff4', 35, '4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 2, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/9dd46d051ff6/stress-ng-switch-2', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1bf65e6b14c2c8adb0833d10b69b9159c9a3a0ef1d72b5cf5ebd7dc5eaddeba0"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "8cc111d77b65b60dd8b99ad8b8de5bda63cf6b5b3f427acde6130fb0962ca9d6", "series": "fair-fixes", "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [{"name": "0001-odd.patch", "sha256": "5555555555555555555555555555555555555555555555555555555555555555"}], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "solo(1)", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "4deab5c3b0a847981e64c8831a01a8ad2440280f3d2189600144c55742b5cff4", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/8cc111d77b65 stress-ng-switch --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (34, '3b0851f944281175c26bf1d0fa87ea57cec4d4e177a9c6c4fbc7dd4ff7453773', '4a51af49408c0cb50c7046349ce9bd05b265e07c42e90d420aac96a4c487cc26', 35, '4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 3, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/9dd46d051ff6/stress-ng-switch-3', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "82102eadbf79587098559a9a3f8f0923097a3654b3d829bda53aac0ff1894092"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "8cc111d77b65b60dd8b99ad8b8de5bda63cf6b5b3f427acde6130fb0962ca9d6", "series": "fair-fixes", "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [{"name": "0001-odd.patch", "sha256": "5555555555555555555555555555555555555555555555555555555555555555"}], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "solo(1)", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "4a51af49408c0cb50c7046349ce9bd05b265e07c42e90d420aac96a4c487cc26", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/8cc111d77b65 stress-ng-switch --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (35, '6fa1ad2bbd280fb625d954f01dfa638731ee2f3176bb5c44af49602d8614c527', '000ebbf15eaacec9c77fe27553e98653dac208503c1b495a4527e7e06ebca66f', 35, '4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 4, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/9dd46d051ff6/stress-ng-switch-4', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 4, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "6964f542799a520091a7eafbe57d678715f9f130f7f63ca357a28773db898381"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "8cc111d77b65b60dd8b99ad8b8de5bda63cf6b5b3f427acde6130fb0962ca9d6", "series": "fair-fixes", "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [{"name": "0001-odd.patch", "sha256": "5555555555555555555555555555555555555555555555555555555555555555"}], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "solo(1)", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "000ebbf15eaacec9c77fe27553e98653dac208503c1b495a4527e7e06ebca66f", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/8cc111d77b65 stress-ng-switch --seed 4", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "2351aa422d6bdddf2c439428b9bdf8de2543b126eea823ed49c4fa4cdc9f0305", "image_sha256": "4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (36, '8872b555a107ad59f7dac5c25f0dc9da4dbbcefe0ca8e8430c296fe113803333', '2058df311ccffcd5c028e281e50b33b14828f74c6676e434e1d5e5c338cbae39', 35, '4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 5, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/9dd46d051ff6/stress-ng-switch-5', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 5, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "8ea685258b5c14fc6a29867fa479b8eae890cc112e02c5457063d26e18e9de8a"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "8cc111d77b65b60dd8b99ad8b8de5bda63cf6b5b3f427acde6130fb0962ca9d6", "series": "fair-fixes", "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [{"name": "0001-odd.patch", "sha256": "5555555555555555555555555555555555555555555555555555555555555555"}], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "solo(1)", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "2058df311ccffcd5c028e281e50b33b14828f74c6676e434e1d5e5c338cbae39", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/8cc111d77b65 stress-ng-switch --seed 5", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "7bc4956fdc9e23e961db83224792c179f11c35ec3f393a79fe5433968887e43e", "image_sha256": "4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (37, '83df01d58d45a712b40b624ec398efcda304130316fa80ceb1a214cbff33e683', 'e1012df7054ffb450c8b0bcdcdcbf9cef65fd53cdfb932c4cfed9b3f7502ee2e', 35, '4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 6, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/9dd46d051ff6/stress-ng-switch-6', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 6, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1b9262d3307984adaeb4b51092d3eaf7a22e791d0696492e39a1c9a83d877bb2"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "8cc111d77b65b60dd8b99ad8b8de5bda63cf6b5b3f427acde6130fb0962ca9d6", "series": "fair-fixes", "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [{"name": "0001-odd.patch", "sha256": "5555555555555555555555555555555555555555555555555555555555555555"}], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "solo(1)", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "e1012df7054ffb450c8b0bcdcdcbf9cef65fd53cdfb932c4cfed9b3f7502ee2e", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/8cc111d77b65 stress-ng-switch --seed 6", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "106c411261819e5a35192eab47324d72ae3caf362762d66613aa74cdc1c2a993", "image_sha256": "4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (38, 'd46711c796cab886896ec3457f01cabeb46bd5574be815a3129a7c03610ee1cb', '8a0297e27b6b6dd2dbc1a757baf359c0ab76b064f6ae570f4ff2c3423e4eada8', 35, '4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 7, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/9dd46d051ff6/stress-ng-switch-7', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 7, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1bf65e6b14c2c8adb0833d10b69b9159c9a3a0ef1d72b5cf5ebd7dc5eaddeba0"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "8cc111d77b65b60dd8b99ad8b8de5bda63cf6b5b3f427acde6130fb0962ca9d6", "series": "fair-fixes", "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [{"name": "0001-odd.patch", "sha256": "5555555555555555555555555555555555555555555555555555555555555555"}], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "solo(1)", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "8a0297e27b6b6dd2dbc1a757baf359c0ab76b064f6ae570f4ff2c3423e4eada8", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/8cc111d77b65 stress-ng-switch --seed 7", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "1218017b88f3838d00aac097dcb8ebe897d403ab9ea4aea973389e0bd7cbabc5", "image_sha256": "4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (39, 'c4070bef3b29355aaa150b953a68a15011a5c75414c9b7c73831104c5867bdd3', 'b1359566a3ad0e14f8d02b6e0f0dd4c25be5a98cdda9f9eb00c12b1c29a23ff9', 35, '4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 8, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/9dd46d051ff6/stress-ng-switch-8', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 8, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "82102eadbf79587098559a9a3f8f0923097a3654b3d829bda53aac0ff1894092"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "8cc111d77b65b60dd8b99ad8b8de5bda63cf6b5b3f427acde6130fb0962ca9d6", "series": "fair-fixes", "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [{"name": "0001-odd.patch", "sha256": "5555555555555555555555555555555555555555555555555555555555555555"}], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "solo(1)", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "b1359566a3ad0e14f8d02b6e0f0dd4c25be5a98cdda9f9eb00c12b1c29a23ff9", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/8cc111d77b65 stress-ng-switch --seed 8", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "d7610a0d3453a114870bffe1b3698348a4f9b3e4029c7af904901a0e94ba4b45", "image_sha256": "4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (40, '6a38e9e70d71f1c1216d006bedbcdc153002a3a686d7333d479ecb0ea4d2bb1e', '6fa58964ac21808c3fa7c845a8dc2f6e139d725455c1c19c577fcb5b28ca4263', 35, '4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 9, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/9dd46d051ff6/stress-ng-switch-9', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 9, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "6964f542799a520091a7eafbe57d678715f9f130f7f63ca357a28773db898381"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "8cc111d77b65b60dd8b99ad8b8de5bda63cf6b5b3f427acde6130fb0962ca9d6", "series": "fair-fixes", "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [{"name": "0001-odd.patch", "sha256": "5555555555555555555555555555555555555555555555555555555555555555"}], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "solo(1)", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "6fa58964ac21808c3fa7c845a8dc2f6e139d725455c1c19c577fcb5b28ca4263", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/8cc111d77b65 stress-ng-switch --seed 9", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "c3ef3248448be4e6aa3acca1db51b779e957dac1e87d9bcdb803af76b2027a74", "image_sha256": "4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (41, '1d8401e777cb2ecfc4e0d11dcbe1b7e70d894e551bdaba13429fc6ec686cdf68', '11daadba64e1603c90dfa111fcd696da27f6353a99d51b7e3040dcde18dc0add', 35, '4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 10, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/9dd46d051ff6/stress-ng-switch-10', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 10, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "8ea685258b5c14fc6a29867fa479b8eae890cc112e02c5457063d26e18e9de8a"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "8cc111d77b65b60dd8b99ad8b8de5bda63cf6b5b3f427acde6130fb0962ca9d6", "series": "fair-fixes", "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [{"name": "0001-odd.patch", "sha256": "5555555555555555555555555555555555555555555555555555555555555555"}], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "solo(1)", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "11daadba64e1603c90dfa111fcd696da27f6353a99d51b7e3040dcde18dc0add", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/8cc111d77b65 stress-ng-switch --seed 10", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "bb61787a0dfba7c43b7397cac63bd8f908ee55a83e4bed28b915bd39528d6a78", "image_sha256": "4f20b6eb2381d0e5253aaa777c57fc82eafdfae08a7c09c77b619d12013c8389", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (42, 'a4e6fc81825a51b92156c16440be006a06020715efcf326734dc2a796b02fcba', '76e1216513e34b609cbbfcbc8deddc63215da3f338bd2232db79cf44fb93bfd1', 46, 'e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 1, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/4a5a4f44927c/stress-ng-switch-1', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1b9262d3307984adaeb4b51092d3eaf7a22e791d0696492e39a1c9a83d877bb2"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "1101c92f246c4c0be57b6e1b07514245eb7f80c7b0611458c7d1e2931bc7d077", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "none", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "76e1216513e34b609cbbfcbc8deddc63215da3f338bd2232db79cf44fb93bfd1", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/1101c92f246c stress-ng-switch --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (43, '91e0ed369856c3dcaa75ee2cee0b7db181a093f510acf6625bf9241b0d0157fe', '87af7641b04d01b042ad554cfd40904a1305d46dcb5bb5754955d08ca6a06a1c', 46, 'e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 2, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/4a5a4f44927c/stress-ng-switch-2', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1bf65e6b14c2c8adb0833d10b69b9159c9a3a0ef1d72b5cf5ebd7dc5eaddeba0"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "1101c92f246c4c0be57b6e1b07514245eb7f80c7b0611458c7d1e2931bc7d077", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "none", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "87af7641b04d01b042ad554cfd40904a1305d46dcb5bb5754955d08ca6a06a1c", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/1101c92f246c stress-ng-switch --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (44, '234e5a4c4f1b1eddd411bcf6fba9e20617216934f1fe537538053de4caea4880', 'd3dfcc1137d4518061a834ce9047774d88ce53e73e8c5d300c82ed78f7a04481', 46, 'e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 3, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/4a5a4f44927c/stress-ng-switch-3', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "82102eadbf79587098559a9a3f8f0923097a3654b3d829bda53aac0ff1894092"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "1101c92f246c4c0be57b6e1b07514245eb7f80c7b0611458c7d1e2931bc7d077", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "none", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "d3dfcc1137d4518061a834ce9047774d88ce53e73e8c5d300c82ed78f7a04481", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/1101c92f246c stress-ng-switch --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (45, '32257f1bae7bbd11aba0a2106fff43908132282c5bf7fa2e32945c101f580330', '3aff24606f0e5317e2c5a01b4b4bb00e5c56f4ad2aa873d10b53b5c73656b37a', 46, 'e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 4, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/4a5a4f44927c/stress-ng-switch-4', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 4, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "6964f542799a520091a7eafbe57d678715f9f130f7f63ca357a28773db898381"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "1101c92f246c4c0be57b6e1b07514245eb7f80c7b0611458c7d1e2931bc7d077", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "none", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "3aff24606f0e5317e2c5a01b4b4bb00e5c56f4ad2aa873d10b53b5c73656b37a", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/1101c92f246c stress-ng-switch --seed 4", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "2351aa422d6bdddf2c439428b9bdf8de2543b126eea823ed49c4fa4cdc9f0305", "image_sha256": "e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (46, '079808af7bb89831d3673d0014e29b04d691cf832f9beb73a3666e42698e9166', 'be2e928205f56746bfae61aecb2f9180d14b1afe712bb76f0dde4baaec0e4b0a', 46, 'e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 5, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/4a5a4f44927c/stress-ng-switch-5', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 5, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "8ea685258b5c14fc6a29867fa479b8eae890cc112e02c5457063d26e18e9de8a"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "1101c92f246c4c0be57b6e1b07514245eb7f80c7b0611458c7d1e2931bc7d077", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "none", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "be2e928205f56746bfae61aecb2f9180d14b1afe712bb76f0dde4baaec0e4b0a", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/1101c92f246c stress-ng-switch --seed 5", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "7bc4956fdc9e23e961db83224792c179f11c35ec3f393a79fe5433968887e43e", "image_sha256": "e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (47, '7f2d67ed8e43bf75c37990a4ef9951b723d89d46be90edd07fbae3bb9962271f', '4c4e1beb51b65d5fc1a0fc98f4aba8973708b7e904d3a1f3c6ad3270db4d579b', 46, 'e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 6, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/4a5a4f44927c/stress-ng-switch-6', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 6, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1b9262d3307984adaeb4b51092d3eaf7a22e791d0696492e39a1c9a83d877bb2"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "1101c92f246c4c0be57b6e1b07514245eb7f80c7b0611458c7d1e2931bc7d077", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "none", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "4c4e1beb51b65d5fc1a0fc98f4aba8973708b7e904d3a1f3c6ad3270db4d579b", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/1101c92f246c stress-ng-switch --seed 6", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "106c411261819e5a35192eab47324d72ae3caf362762d66613aa74cdc1c2a993", "image_sha256": "e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (48, '043bc152b3b04b51f85cbbbb8992af5b25625c4b175dae21da4c6e972e075a75', '7533c8a8695021bd5a31846494b49d92f25a9a78a7ce3c95c04cd804b3ad4418', 46, 'e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 7, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/4a5a4f44927c/stress-ng-switch-7', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 7, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1bf65e6b14c2c8adb0833d10b69b9159c9a3a0ef1d72b5cf5ebd7dc5eaddeba0"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "1101c92f246c4c0be57b6e1b07514245eb7f80c7b0611458c7d1e2931bc7d077", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "none", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "7533c8a8695021bd5a31846494b49d92f25a9a78a7ce3c95c04cd804b3ad4418", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/1101c92f246c stress-ng-switch --seed 7", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "1218017b88f3838d00aac097dcb8ebe897d403ab9ea4aea973389e0bd7cbabc5", "image_sha256": "e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (49, '8492bf824b48cdec395589f94f78b4734c2a31b30ec1446f1dba96def1dea74f', '88208d484b8860b7cccb4cf1af2bf9d10b7152454c45c433074915b969718d56', 46, 'e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 8, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/4a5a4f44927c/stress-ng-switch-8', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 8, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "82102eadbf79587098559a9a3f8f0923097a3654b3d829bda53aac0ff1894092"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "1101c92f246c4c0be57b6e1b07514245eb7f80c7b0611458c7d1e2931bc7d077", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "none", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "88208d484b8860b7cccb4cf1af2bf9d10b7152454c45c433074915b969718d56", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/1101c92f246c stress-ng-switch --seed 8", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "d7610a0d3453a114870bffe1b3698348a4f9b3e4029c7af904901a0e94ba4b45", "image_sha256": "e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (89, '38684c63fd03057001235184abd33ba670cf9c2038f11af3cd7659bba3580f7c', '55568f82f7fc6d6a96791dad030ada7736dce59403c4ceff1405b11d3a806bea', 94, '9e1895ac05f4b270ad2365e0f70b68ea0b550d734f6f4d642d9a92b20ce91e39', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 3, '{}', 'panic', 'Kernel panic - not syncing: <script>alert(1)</script> "quoted" & ''more'' {{7*7}}', '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/broken-3', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "c89abd013f91b72113c4182ad608dde3a81090b5", "digest": "a911c5bc4563d90c897a841175d5c00c3a66706699aeccb3f3cc6801864c5ed4", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.1-1", "application": "none", "committed_at": "2026-03-01T00:00:00Z"}, "output": null, "reason": "Kernel panic - not syncing: <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "schema": 1, "outcome": "panic", "release": "debian/6.12.1-1-vlag", "run_key": "55568f82f7fc6d6a96791dad030ada7736dce59403c4ceff1405b11d3a806bea", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/a911c5bc4563 stress-ng-switch --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "9e1895ac05f4b270ad2365e0f70b68ea0b550d734f6f4d642d9a92b20ce91e39", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', NULL, NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (50, '8b1207eefc06a8a3337f45ee0c91565710286d4a96c6c4926e45049bde542592', 'f8fffd37d2902ffb3e4f6b482a9b63c7b386e8b9b7efc50f3e839c8c2c6335e4', 46, 'e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 9, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/4a5a4f44927c/stress-ng-switch-9', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 9, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "6964f542799a520091a7eafbe57d678715f9f130f7f63ca357a28773db898381"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "1101c92f246c4c0be57b6e1b07514245eb7f80c7b0611458c7d1e2931bc7d077", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "none", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "f8fffd37d2902ffb3e4f6b482a9b63c7b386e8b9b7efc50f3e839c8c2c6335e4", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/1101c92f246c stress-ng-switch --seed 9", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "c3ef3248448be4e6aa3acca1db51b779e957dac1e87d9bcdb803af76b2027a74", "image_sha256": "e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (51, '623d61e46cd48c85566053da814e965877b7b7e960b943912c08fae822a0710d', 'bd054d5855c0388755a1418a967693d3c7f059bc2922d04dd376256bec8a0906', 46, 'e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 10, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/4a5a4f44927c/stress-ng-switch-10', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 10, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "8ea685258b5c14fc6a29867fa479b8eae890cc112e02c5457063d26e18e9de8a"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "1101c92f246c4c0be57b6e1b07514245eb7f80c7b0611458c7d1e2931bc7d077", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "none", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "bd054d5855c0388755a1418a967693d3c7f059bc2922d04dd376256bec8a0906", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/1101c92f246c stress-ng-switch --seed 10", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "bb61787a0dfba7c43b7397cac63bd8f908ee55a83e4bed28b915bd39528d6a78", "image_sha256": "e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (52, '864a6aa7be613490924df508bcbd84f6ca53929d3c381d2a1b33ac63440b72ab', '5618e53655f00c56047ce6e60c091c3aa941e8960476978600a3db837857d12e', 46, 'e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 1, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/4a5a4f44927c/cyclictest-hackbench-1', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "8215ca0b3edd89058daf3c04812ff6816c2fbb4ea2e01b7c4610faa81bdd0c81"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "1101c92f246c4c0be57b6e1b07514245eb7f80c7b0611458c7d1e2931bc7d077", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "none", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "5618e53655f00c56047ce6e60c091c3aa941e8960476978600a3db837857d12e", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/1101c92f246c cyclictest-hackbench --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (53, '3a90aa2ca472aad760a488751732620429c0a16e6325501b4be5fe89af4ea797', '4b51320a1be3887e9cd6be32dc7a5d127cee5d92642d29c631db12588ff7ccc3', 46, 'e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 2, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/4a5a4f44927c/cyclictest-hackbench-2', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "198c8817c2996b02cc8844a2ee3d9814893c8a65bc69240045a4bf1909d48aa2"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "1101c92f246c4c0be57b6e1b07514245eb7f80c7b0611458c7d1e2931bc7d077", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "none", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "4b51320a1be3887e9cd6be32dc7a5d127cee5d92642d29c631db12588ff7ccc3", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/1101c92f246c cyclictest-hackbench --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (54, 'cddb2d4c57237059c405026e0c00ec8aa64fc775431f01d7b2e5eb3fda973129', '791b7bdd2794164a8f63827591cc446753b3b64a7bc4b6c458050e592a7b965a', 46, 'e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 3, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/4a5a4f44927c/cyclictest-hackbench-3', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "8215ca0b3edd89058daf3c04812ff6816c2fbb4ea2e01b7c4610faa81bdd0c81"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "1101c92f246c4c0be57b6e1b07514245eb7f80c7b0611458c7d1e2931bc7d077", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "none", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "791b7bdd2794164a8f63827591cc446753b3b64a7bc4b6c458050e592a7b965a", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/1101c92f246c cyclictest-hackbench --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (55, 'ef7b779ae824b5b3c39480fb4c039122f67958d2fc688bfc5f86c6efdba45950', 'c1256abef73610419731acb1ea4e4f03cdce0bcbe0d68266a357ae6c0dc65bf7', 46, 'e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 4, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/4a5a4f44927c/cyclictest-hackbench-4', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 4, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "198c8817c2996b02cc8844a2ee3d9814893c8a65bc69240045a4bf1909d48aa2"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "1101c92f246c4c0be57b6e1b07514245eb7f80c7b0611458c7d1e2931bc7d077", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "none", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "c1256abef73610419731acb1ea4e4f03cdce0bcbe0d68266a357ae6c0dc65bf7", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/1101c92f246c cyclictest-hackbench --seed 4", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "2351aa422d6bdddf2c439428b9bdf8de2543b126eea823ed49c4fa4cdc9f0305", "image_sha256": "e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (56, '29b8c503d7c28baf32aebe2ccf4771571866f2804e3f25d5942f65c5933dde76', '6b502c66052f7bac61b0c284f7e116aea27748fc1a827c93650a77bd5ac3e822', 46, 'e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 5, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/4a5a4f44927c/cyclictest-hackbench-5', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 5, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "8215ca0b3edd89058daf3c04812ff6816c2fbb4ea2e01b7c4610faa81bdd0c81"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "51d2b5014469ab2c71b88b0751dace384fd24530", "digest": "1101c92f246c4c0be57b6e1b07514245eb7f80c7b0611458c7d1e2931bc7d077", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.2-1", "application": "none", "committed_at": "2026-03-02T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.2-1-vlag", "run_key": "6b502c66052f7bac61b0c284f7e116aea27748fc1a827c93650a77bd5ac3e822", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/1101c92f246c cyclictest-hackbench --seed 5", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "7bc4956fdc9e23e961db83224792c179f11c35ec3f393a79fe5433968887e43e", "image_sha256": "e8ea88a0abfefadcade485c61c4daff3b4a8617a95875d1ef8916f36beada818", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (57, '5c749898f527d6321d1a5dcd6e00d4f613cff23406ef178cd9c9fa7462d39dd3', '8c8b397501ff24c4fa7a2910ea5884f74608ae9fe7ba0f83a56eeabd6919668d', 62, '10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 1, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/b8b6d2ac5d4e/stress-ng-switch-1', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1b9262d3307984adaeb4b51092d3eaf7a22e791d0696492e39a1c9a83d877bb2"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf", "digest": "4d8f0174d295f2541d76144cc12410c9c4f2b3379b1a8bf6da6b965813cb952a", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.3-1", "application": "none", "committed_at": "2026-03-03T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.3-1-vlag", "run_key": "8c8b397501ff24c4fa7a2910ea5884f74608ae9fe7ba0f83a56eeabd6919668d", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/4d8f0174d295 stress-ng-switch --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (58, '3f693336e6aebf8e7b42678b05b3501734282b4c211d3bd27a559a8877b45f5f', 'c45d33b22df297f0f41cbf35364d7b9a19534d5f53e051cb549f926947e342c0', 62, '10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 2, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/b8b6d2ac5d4e/stress-ng-switch-2', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1bf65e6b14c2c8adb0833d10b69b9159c9a3a0ef1d72b5cf5ebd7dc5eaddeba0"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf", "digest": "4d8f0174d295f2541d76144cc12410c9c4f2b3379b1a8bf6da6b965813cb952a", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.3-1", "application": "none", "committed_at": "2026-03-03T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.3-1-vlag", "run_key": "c45d33b22df297f0f41cbf35364d7b9a19534d5f53e051cb549f926947e342c0", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/4d8f0174d295 stress-ng-switch --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (59, 'd15669bbd043c2c744e5cab1d1a778f86cf3c5d59f4f89539207340d81f672b5', '610fea76c699f3c708b1e712f1a3532e3276df0d2b420c59600f8e1e96c3d345', 62, '10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 3, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/b8b6d2ac5d4e/stress-ng-switch-3', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "82102eadbf79587098559a9a3f8f0923097a3654b3d829bda53aac0ff1894092"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf", "digest": "4d8f0174d295f2541d76144cc12410c9c4f2b3379b1a8bf6da6b965813cb952a", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.3-1", "application": "none", "committed_at": "2026-03-03T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.3-1-vlag", "run_key": "610fea76c699f3c708b1e712f1a3532e3276df0d2b420c59600f8e1e96c3d345", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/4d8f0174d295 stress-ng-switch --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (60, '936a8fa125cb3b1c791fd7f00c51a83eb797b37b9b435217930184379c1078ca', 'ecb86204e997ecd83d875d8bf29d051fc25281a70aa5976389fcb5c00720740c', 62, '10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 4, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/b8b6d2ac5d4e/stress-ng-switch-4', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 4, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "6964f542799a520091a7eafbe57d678715f9f130f7f63ca357a28773db898381"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf", "digest": "4d8f0174d295f2541d76144cc12410c9c4f2b3379b1a8bf6da6b965813cb952a", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.3-1", "application": "none", "committed_at": "2026-03-03T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.3-1-vlag", "run_key": "ecb86204e997ecd83d875d8bf29d051fc25281a70aa5976389fcb5c00720740c", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/4d8f0174d295 stress-ng-switch --seed 4", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "2351aa422d6bdddf2c439428b9bdf8de2543b126eea823ed49c4fa4cdc9f0305", "image_sha256": "10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (61, '674834c3af02f3b3a2ec93c24013a7afa554c85543b0ba62e810f0daa42521e9', 'aa34c0ef64046362f0ac99ddf8345191b36bbf4476a3c3019a06c48a3f21fcca', 62, '10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 5, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/b8b6d2ac5d4e/stress-ng-switch-5', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 5, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "8ea685258b5c14fc6a29867fa479b8eae890cc112e02c5457063d26e18e9de8a"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf", "digest": "4d8f0174d295f2541d76144cc12410c9c4f2b3379b1a8bf6da6b965813cb952a", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.3-1", "application": "none", "committed_at": "2026-03-03T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.3-1-vlag", "run_key": "aa34c0ef64046362f0ac99ddf8345191b36bbf4476a3c3019a06c48a3f21fcca", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/4d8f0174d295 stress-ng-switch --seed 5", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "7bc4956fdc9e23e961db83224792c179f11c35ec3f393a79fe5433968887e43e", "image_sha256": "10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (62, 'b5b9cc4cb0b16a853ca1541e5b0268820c888d767d722b7692f60cea451d0d68', '39ab11413b48f38ffe696a8cd1bcb89d4d580b93915a57a7d8ade29b26f060fd', 62, '10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 6, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/b8b6d2ac5d4e/stress-ng-switch-6', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 6, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1b9262d3307984adaeb4b51092d3eaf7a22e791d0696492e39a1c9a83d877bb2"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf", "digest": "4d8f0174d295f2541d76144cc12410c9c4f2b3379b1a8bf6da6b965813cb952a", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.3-1", "application": "none", "committed_at": "2026-03-03T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.3-1-vlag", "run_key": "39ab11413b48f38ffe696a8cd1bcb89d4d580b93915a57a7d8ade29b26f060fd", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/4d8f0174d295 stress-ng-switch --seed 6", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "106c411261819e5a35192eab47324d72ae3caf362762d66613aa74cdc1c2a993", "image_sha256": "10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (63, '88c6fcf58794d5ac5b74d12b6fc92a4113bd165cb73036fdbee04b834a43cc4d', '98d18dc8c73cb808ce45f8a3ad572793dae7c8f5ba24006df872ec15c63d0918', 62, '10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 7, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/b8b6d2ac5d4e/stress-ng-switch-7', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 7, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "1bf65e6b14c2c8adb0833d10b69b9159c9a3a0ef1d72b5cf5ebd7dc5eaddeba0"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf", "digest": "4d8f0174d295f2541d76144cc12410c9c4f2b3379b1a8bf6da6b965813cb952a", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.3-1", "application": "none", "committed_at": "2026-03-03T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.3-1-vlag", "run_key": "98d18dc8c73cb808ce45f8a3ad572793dae7c8f5ba24006df872ec15c63d0918", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/4d8f0174d295 stress-ng-switch --seed 7", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "1218017b88f3838d00aac097dcb8ebe897d403ab9ea4aea973389e0bd7cbabc5", "image_sha256": "10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (64, '4eadc83135f8ddaec3dba57d25952bf598c827ef45810abee8cee3f5044a6523', 'e2010d7b183763d14fd50c772eed18b511c694a11ba5675bf11840d1f255a1b5', 62, '10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 8, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/b8b6d2ac5d4e/stress-ng-switch-8', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 8, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "82102eadbf79587098559a9a3f8f0923097a3654b3d829bda53aac0ff1894092"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf", "digest": "4d8f0174d295f2541d76144cc12410c9c4f2b3379b1a8bf6da6b965813cb952a", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.3-1", "application": "none", "committed_at": "2026-03-03T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.3-1-vlag", "run_key": "e2010d7b183763d14fd50c772eed18b511c694a11ba5675bf11840d1f255a1b5", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/4d8f0174d295 stress-ng-switch --seed 8", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "d7610a0d3453a114870bffe1b3698348a4f9b3e4029c7af904901a0e94ba4b45", "image_sha256": "10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (65, 'ec632443d929d5d2b3500cff33a39ba5b72309647cc08292c18546c7ee314be5', '934b9c5521f79e026837a7a7d0025ab19ad660fc30e60a1e7f63424db8ff5d4e', 62, '10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 9, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/b8b6d2ac5d4e/stress-ng-switch-9', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 9, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "6964f542799a520091a7eafbe57d678715f9f130f7f63ca357a28773db898381"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf", "digest": "4d8f0174d295f2541d76144cc12410c9c4f2b3379b1a8bf6da6b965813cb952a", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.3-1", "application": "none", "committed_at": "2026-03-03T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.3-1-vlag", "run_key": "934b9c5521f79e026837a7a7d0025ab19ad660fc30e60a1e7f63424db8ff5d4e", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/4d8f0174d295 stress-ng-switch --seed 9", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "c3ef3248448be4e6aa3acca1db51b779e957dac1e87d9bcdb803af76b2027a74", "image_sha256": "10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (66, 'fe6760d82990c89c756877eb132f80903585f9ab9e5370cecb2d969d7ff35e5a', 'e6471ca1509ea9e7386ecec592b7a3a7c293d55e6e64039ba445895649d2cfa9', 62, '10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 10, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/b8b6d2ac5d4e/stress-ng-switch-10', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 10, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "8ea685258b5c14fc6a29867fa479b8eae890cc112e02c5457063d26e18e9de8a"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf", "digest": "4d8f0174d295f2541d76144cc12410c9c4f2b3379b1a8bf6da6b965813cb952a", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.3-1", "application": "none", "committed_at": "2026-03-03T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.3-1-vlag", "run_key": "e6471ca1509ea9e7386ecec592b7a3a7c293d55e6e64039ba445895649d2cfa9", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/4d8f0174d295 stress-ng-switch --seed 10", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "bb61787a0dfba7c43b7397cac63bd8f908ee55a83e4bed28b915bd39528d6a78", "image_sha256": "10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (67, '9e2e5f72f79f8a8e24c00878939af8d077ac9dd33f1296b5f1772b619d79c60e', 'af1c825c0e8c64b48685edfc1ffacb986bf03fffb73676aff1f23da461c6bef7', 62, '10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 1, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/b8b6d2ac5d4e/cyclictest-hackbench-1', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "8215ca0b3edd89058daf3c04812ff6816c2fbb4ea2e01b7c4610faa81bdd0c81"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf", "digest": "4d8f0174d295f2541d76144cc12410c9c4f2b3379b1a8bf6da6b965813cb952a", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.3-1", "application": "none", "committed_at": "2026-03-03T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.3-1-vlag", "run_key": "af1c825c0e8c64b48685edfc1ffacb986bf03fffb73676aff1f23da461c6bef7", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/4d8f0174d295 cyclictest-hackbench --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (68, 'dd9f4a65cdca487aa934d566d37af3c656eb0e00c7957a8d8f2452e8ae8062c4', '833520e6e34cc5e2539efe9473b238bb27960b9c906835653de7a2499afa7991', 62, '10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 2, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/b8b6d2ac5d4e/cyclictest-hackbench-2', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "198c8817c2996b02cc8844a2ee3d9814893c8a65bc69240045a4bf1909d48aa2"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf", "digest": "4d8f0174d295f2541d76144cc12410c9c4f2b3379b1a8bf6da6b965813cb952a", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.3-1", "application": "none", "committed_at": "2026-03-03T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.3-1-vlag", "run_key": "833520e6e34cc5e2539efe9473b238bb27960b9c906835653de7a2499afa7991", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/4d8f0174d295 cyclictest-hackbench --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (69, '62afde2f2a7c85a3c5cec5516d4d62a6ff3265c5e9f67268c97255f8e77929e8', '243520472315d3dbe78c3451578d86e1a00ac0ce59ad4f06ef3b9a900bc50ae6', 62, '10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 3, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/b8b6d2ac5d4e/cyclictest-hackbench-3', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "8215ca0b3edd89058daf3c04812ff6816c2fbb4ea2e01b7c4610faa81bdd0c81"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf", "digest": "4d8f0174d295f2541d76144cc12410c9c4f2b3379b1a8bf6da6b965813cb952a", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.3-1", "application": "none", "committed_at": "2026-03-03T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.3-1-vlag", "run_key": "243520472315d3dbe78c3451578d86e1a00ac0ce59ad4f06ef3b9a900bc50ae6", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/4d8f0174d295 cyclictest-hackbench --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (70, 'bff54f13fcacf38d9d07bf8ef7c8a7c7e2cc2719d62b76d01f777f45b9410bce', '00787f70564df27283783b265eac766b55e991a433c18d1b4e705010b6e1ceab', 62, '10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 4, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/b8b6d2ac5d4e/cyclictest-hackbench-4', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 4, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "198c8817c2996b02cc8844a2ee3d9814893c8a65bc69240045a4bf1909d48aa2"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf", "digest": "4d8f0174d295f2541d76144cc12410c9c4f2b3379b1a8bf6da6b965813cb952a", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.3-1", "application": "none", "committed_at": "2026-03-03T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.3-1-vlag", "run_key": "00787f70564df27283783b265eac766b55e991a433c18d1b4e705010b6e1ceab", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/4d8f0174d295 cyclictest-hackbench --seed 4", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "2351aa422d6bdddf2c439428b9bdf8de2543b126eea823ed49c4fa4cdc9f0305", "image_sha256": "10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (71, 'ff6d343244ebc0eaac99e8b551384bef0ecb1851c9431af6d376eb035c4bf0df', '02dbe72a730ae09d7822d671c20cd1cdc7369e27934b6c804d7c19c97fec8bd6', 62, '10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 5, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/b8b6d2ac5d4e/cyclictest-hackbench-5', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 5, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1466, "sha256": "8215ca0b3edd89058daf3c04812ff6816c2fbb4ea2e01b7c4610faa81bdd0c81"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "5ad2da1d06b63c4c729d1f84d764b74a4bdf7daf", "digest": "4d8f0174d295f2541d76144cc12410c9c4f2b3379b1a8bf6da6b965813cb952a", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.3-1", "application": "none", "committed_at": "2026-03-03T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.3-1-vlag", "run_key": "02dbe72a730ae09d7822d671c20cd1cdc7369e27934b6c804d7c19c97fec8bd6", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/4d8f0174d295 cyclictest-hackbench --seed 5", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "7bc4956fdc9e23e961db83224792c179f11c35ec3f393a79fe5433968887e43e", "image_sha256": "10e48992771007f4a4ac1cb9504e1295789005ef73fad46bf627bf163dfd16d9", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (72, '99443a99128d62cfb28b4dc10f10ae27a987891e95145f4bcf0b17d0b0226e14', '403ebc192f69af497b366a7c9fed3c4e89b0cfa5d605f373076e3945921838ff', 78, 'a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 1, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3105fe5c966f/stress-ng-switch-1', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "dd068cbdcd102234553daac9c48eda9b730b314a7ebb9e74f0678153d6087f6e"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "cd8ce82524eadd7f7e519f709b490f1171cc36f8", "digest": "3a9d7d43516fd141d7cefbb6498b79016edfe13e67931ab5cc99b0bf48f3457c", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.4-1", "application": "none", "committed_at": "2026-03-04T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.4-1-vlag", "run_key": "403ebc192f69af497b366a7c9fed3c4e89b0cfa5d605f373076e3945921838ff", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/3a9d7d43516f stress-ng-switch --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (73, 'd121d086cf15365b423b5d19c68f8367fbf430aa0caf54a8ec8a29593679fc72', '5a76d4094f5716912dddd6175e86931c4e96911b8454d883b074170e0c35b769', 78, 'a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 2, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3105fe5c966f/stress-ng-switch-2', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "5c8f4da3862a33dd88c40998f10185b270329a82952be60661bf8be6a47daccc"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "cd8ce82524eadd7f7e519f709b490f1171cc36f8", "digest": "3a9d7d43516fd141d7cefbb6498b79016edfe13e67931ab5cc99b0bf48f3457c", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.4-1", "application": "none", "committed_at": "2026-03-04T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.4-1-vlag", "run_key": "5a76d4094f5716912dddd6175e86931c4e96911b8454d883b074170e0c35b769", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/3a9d7d43516f stress-ng-switch --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (74, '9dc2a74f82dc802e39e25d99815a89f688e74d6eb9543f23aac791d531de82b0', '21c94de18b8b9e5ed837b940ed92ddcbcbd92efec33511059037b35d7f1bd501', 78, 'a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 3, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3105fe5c966f/stress-ng-switch-3', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "9507be8c86d66042d35dce828ff1c16acc2636d463bb0b5c18eea019a9e0eabb"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "cd8ce82524eadd7f7e519f709b490f1171cc36f8", "digest": "3a9d7d43516fd141d7cefbb6498b79016edfe13e67931ab5cc99b0bf48f3457c", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.4-1", "application": "none", "committed_at": "2026-03-04T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.4-1-vlag", "run_key": "21c94de18b8b9e5ed837b940ed92ddcbcbd92efec33511059037b35d7f1bd501", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/3a9d7d43516f stress-ng-switch --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (75, '0811492df08a69bb8ebabb012b1ecd826ecb64300add5b9b8e76d8325be226ac', 'b3b851136fed63429a72b79dca9de772ce5a3ad12dee5806dbbcb7e6ace0c5d4', 78, 'a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 4, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3105fe5c966f/stress-ng-switch-4', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 4, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "3aec281f74e8357b551fa4fb1a393da36d86945b2357d3b3fb6b66a263423247"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "cd8ce82524eadd7f7e519f709b490f1171cc36f8", "digest": "3a9d7d43516fd141d7cefbb6498b79016edfe13e67931ab5cc99b0bf48f3457c", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.4-1", "application": "none", "committed_at": "2026-03-04T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.4-1-vlag", "run_key": "b3b851136fed63429a72b79dca9de772ce5a3ad12dee5806dbbcb7e6ace0c5d4", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/3a9d7d43516f stress-ng-switch --seed 4", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "2351aa422d6bdddf2c439428b9bdf8de2543b126eea823ed49c4fa4cdc9f0305", "image_sha256": "a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (76, '82f1547e8e0093331a10ad2a53b911db17512aa58613361e4079a57175201b02', 'e792208c5c96105917d8ae92533cd294b7f12d658050b7e0f38d1381a1c5a67d', 78, 'a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 5, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3105fe5c966f/stress-ng-switch-5', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 5, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "25bf468f9c1b202648e3c22b6f830f280add90e3ab0aba17301b4c8cf1fa2e00"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "cd8ce82524eadd7f7e519f709b490f1171cc36f8", "digest": "3a9d7d43516fd141d7cefbb6498b79016edfe13e67931ab5cc99b0bf48f3457c", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.4-1", "application": "none", "committed_at": "2026-03-04T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.4-1-vlag", "run_key": "e792208c5c96105917d8ae92533cd294b7f12d658050b7e0f38d1381a1c5a67d", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/3a9d7d43516f stress-ng-switch --seed 5", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "7bc4956fdc9e23e961db83224792c179f11c35ec3f393a79fe5433968887e43e", "image_sha256": "a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (77, 'b1d4418f4ce080c76dd01b80151e832a370964f80d5bcccf4d4667f449a41e6f', 'c1cb8047169e30c4dcd05983d1652824242fe31511638b73c9430f9b8f6f7ba1', 78, 'a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 6, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3105fe5c966f/stress-ng-switch-6', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 6, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "dd068cbdcd102234553daac9c48eda9b730b314a7ebb9e74f0678153d6087f6e"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "cd8ce82524eadd7f7e519f709b490f1171cc36f8", "digest": "3a9d7d43516fd141d7cefbb6498b79016edfe13e67931ab5cc99b0bf48f3457c", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.4-1", "application": "none", "committed_at": "2026-03-04T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.4-1-vlag", "run_key": "c1cb8047169e30c4dcd05983d1652824242fe31511638b73c9430f9b8f6f7ba1", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/3a9d7d43516f stress-ng-switch --seed 6", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "106c411261819e5a35192eab47324d72ae3caf362762d66613aa74cdc1c2a993", "image_sha256": "a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (78, '6c8c10d1e74ec64242c8169389f31b7a62d8ef4582b723a8f16de37107f46ba7', 'b2d33460fad4ccfbd1c2bce9a99e758a4b5c2461aeb1df7c5ce05605cb8303cd', 78, 'a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 7, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3105fe5c966f/stress-ng-switch-7', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 7, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "5c8f4da3862a33dd88c40998f10185b270329a82952be60661bf8be6a47daccc"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "cd8ce82524eadd7f7e519f709b490f1171cc36f8", "digest": "3a9d7d43516fd141d7cefbb6498b79016edfe13e67931ab5cc99b0bf48f3457c", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.4-1", "application": "none", "committed_at": "2026-03-04T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.4-1-vlag", "run_key": "b2d33460fad4ccfbd1c2bce9a99e758a4b5c2461aeb1df7c5ce05605cb8303cd", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/3a9d7d43516f stress-ng-switch --seed 7", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "1218017b88f3838d00aac097dcb8ebe897d403ab9ea4aea973389e0bd7cbabc5", "image_sha256": "a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (79, '994747d0f6e4703b63bb27fd42559cfa3dfe976829608f8d1cecd0842b61d098', 'b8b4d225e85d4087dc8a2a443e96aac588a227862b2eb9c622be8077c4c19ce1', 78, 'a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 8, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3105fe5c966f/stress-ng-switch-8', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 8, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "9507be8c86d66042d35dce828ff1c16acc2636d463bb0b5c18eea019a9e0eabb"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "cd8ce82524eadd7f7e519f709b490f1171cc36f8", "digest": "3a9d7d43516fd141d7cefbb6498b79016edfe13e67931ab5cc99b0bf48f3457c", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.4-1", "application": "none", "committed_at": "2026-03-04T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.4-1-vlag", "run_key": "b8b4d225e85d4087dc8a2a443e96aac588a227862b2eb9c622be8077c4c19ce1", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/3a9d7d43516f stress-ng-switch --seed 8", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "d7610a0d3453a114870bffe1b3698348a4f9b3e4029c7af904901a0e94ba4b45", "image_sha256": "a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (80, '4a445f3f8c6bd711e0079ed9bceb63adea69da62b8195ca2204144f341fc3129', 'd90e98f0310c36a146bed70d8b0cccf48e8304572ff66d9a473add2b5e56b573', 78, 'a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 9, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3105fe5c966f/stress-ng-switch-9', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 9, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "3aec281f74e8357b551fa4fb1a393da36d86945b2357d3b3fb6b66a263423247"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "cd8ce82524eadd7f7e519f709b490f1171cc36f8", "digest": "3a9d7d43516fd141d7cefbb6498b79016edfe13e67931ab5cc99b0bf48f3457c", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.4-1", "application": "none", "committed_at": "2026-03-04T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.4-1-vlag", "run_key": "d90e98f0310c36a146bed70d8b0cccf48e8304572ff66d9a473add2b5e56b573", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/3a9d7d43516f stress-ng-switch --seed 9", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "c3ef3248448be4e6aa3acca1db51b779e957dac1e87d9bcdb803af76b2027a74", "image_sha256": "a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (81, '82744bb8e31f8d3a42621c9354d906ba763bfb4472ff21bb64425d02afe9affa', '10dbce411d958b778f98dcbaa87b32503a7045a2f8fbc1ed2efb5658be2159cf', 78, 'a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 10, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3105fe5c966f/stress-ng-switch-10', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 10, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/stress-ng.txt", "bytes": 842, "sha256": "25bf468f9c1b202648e3c22b6f830f280add90e3ab0aba17301b4c8cf1fa2e00"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "cd8ce82524eadd7f7e519f709b490f1171cc36f8", "digest": "3a9d7d43516fd141d7cefbb6498b79016edfe13e67931ab5cc99b0bf48f3457c", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.4-1", "application": "none", "committed_at": "2026-03-04T00:00:00Z"}, "output": "raw/stress-ng.txt", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.4-1-vlag", "run_key": "10dbce411d958b778f98dcbaa87b32503a7045a2f8fbc1ed2efb5658be2159cf", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/3a9d7d43516f stress-ng-switch --seed 10", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "bb61787a0dfba7c43b7397cac63bd8f908ee55a83e4bed28b915bd39528d6a78", "image_sha256": "a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '0.15.06', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (82, '3dc9de65a82fef8c0634919fca46a635680dbf86725baeb4f711aef49ecb9dac', 'd9c9dcae7dfad5092beae3c97dd04a730fc56ab5d5855f82f033fa9c7e644353', 78, 'a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 1, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3105fe5c966f/cyclictest-hackbench-1', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1509, "sha256": "41c552154bebc0d8ce14f127c9189d27ee63d092d6c3b90f0c29cc8e00ebad66"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "cd8ce82524eadd7f7e519f709b490f1171cc36f8", "digest": "3a9d7d43516fd141d7cefbb6498b79016edfe13e67931ab5cc99b0bf48f3457c", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.4-1", "application": "none", "committed_at": "2026-03-04T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.4-1-vlag", "run_key": "d9c9dcae7dfad5092beae3c97dd04a730fc56ab5d5855f82f033fa9c7e644353", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/3a9d7d43516f cyclictest-hackbench --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (83, '80dfa407f1e07245a7d4a889b420bdad8583e26c3ef685dcd880fb35114dc430', '294ba006b8eb3ef62ed5c4d6559019992f075f40d4ee4c72dc704ece719ecf7c', 78, 'a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 2, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3105fe5c966f/cyclictest-hackbench-2', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1509, "sha256": "7f3d59bb7703f70ebb05a5c496a45fe6513a981743d3e8e3bc16eaba50856a13"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "cd8ce82524eadd7f7e519f709b490f1171cc36f8", "digest": "3a9d7d43516fd141d7cefbb6498b79016edfe13e67931ab5cc99b0bf48f3457c", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.4-1", "application": "none", "committed_at": "2026-03-04T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.4-1-vlag", "run_key": "294ba006b8eb3ef62ed5c4d6559019992f075f40d4ee4c72dc704ece719ecf7c", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/3a9d7d43516f cyclictest-hackbench --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (84, '0e90a662dadf09d6a9ad2ee41e37704d47fe24e2cbe1d9e19b543590c824f886', '8ff9547b8fb658bd8a00707724ac86a6192f555204868a156598dd187864ff7f', 78, 'a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 3, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3105fe5c966f/cyclictest-hackbench-3', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 3, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1509, "sha256": "41c552154bebc0d8ce14f127c9189d27ee63d092d6c3b90f0c29cc8e00ebad66"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "cd8ce82524eadd7f7e519f709b490f1171cc36f8", "digest": "3a9d7d43516fd141d7cefbb6498b79016edfe13e67931ab5cc99b0bf48f3457c", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.4-1", "application": "none", "committed_at": "2026-03-04T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.4-1-vlag", "run_key": "8ff9547b8fb658bd8a00707724ac86a6192f555204868a156598dd187864ff7f", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/3a9d7d43516f cyclictest-hackbench --seed 3", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "40093ead2c5f20a05dfd08796e7f24d7b8ccf0b2345f71d0fdb80c493e331a07", "image_sha256": "a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (85, 'c77398a0a5b66292e53bf907977889e8a64f40d85b7e5a4f677c5e22c09a4495', 'f465993afef43cdfd11a0e4dd9c66005b2afae0f7f0d4c2a91205cd95e3e61b4', 78, 'a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 4, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3105fe5c966f/cyclictest-hackbench-4', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 4, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1509, "sha256": "7f3d59bb7703f70ebb05a5c496a45fe6513a981743d3e8e3bc16eaba50856a13"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "cd8ce82524eadd7f7e519f709b490f1171cc36f8", "digest": "3a9d7d43516fd141d7cefbb6498b79016edfe13e67931ab5cc99b0bf48f3457c", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.4-1", "application": "none", "committed_at": "2026-03-04T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.4-1-vlag", "run_key": "f465993afef43cdfd11a0e4dd9c66005b2afae0f7f0d4c2a91205cd95e3e61b4", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/3a9d7d43516f cyclictest-hackbench --seed 4", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "2351aa422d6bdddf2c439428b9bdf8de2543b126eea823ed49c4fa4cdc9f0305", "image_sha256": "a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (86, '985d0cd3b7c384ae7cd645035e7a44c8a1510ae55806e5cef0b9e6dead55edf2', '72198ca27dc0b5641f9efa18d1a1ae7e3b7b4c41d60ffbe60832f23af99c9386', 78, 'a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 5, '{}', 'complete', NULL, '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}', '[{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/qemu-sim-2/runs/3105fe5c966f/cyclictest-hackbench-5', '{"job": "77", "lab": "east", "program": "lava-server"}', false, '{"argv": {"main": ["cyclictest"]}, "kind": "run", "plan": "nightly", "seed": 5, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}, {"path": "raw/cyclictest.json", "bytes": 1509, "sha256": "41c552154bebc0d8ce14f127c9189d27ee63d092d6c3b90f0c29cc8e00ebad66"}], "knobs": {}, "health": [{"kind": "warning", "line": 1, "text": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "phase": "benchmark"}], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "cd8ce82524eadd7f7e519f709b490f1171cc36f8", "digest": "3a9d7d43516fd141d7cefbb6498b79016edfe13e67931ab5cc99b0bf48f3457c", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.4-1", "application": "none", "committed_at": "2026-03-04T00:00:00Z"}, "output": "raw/cyclictest.json", "reason": null, "schema": 1, "outcome": "complete", "release": "debian/6.12.4-1-vlag", "run_key": "72198ca27dc0b5641f9efa18d1a1ae7e3b7b4c41d60ffbe60832f23af99c9386", "executor": {"job": "77", "lab": "east", "program": "lava-server"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "cyclictest-hackbench", "reproduce": "vlag run --build builds/3a9d7d43516f cyclictest-hackbench --seed 5", "synthetic": false, "estimate_s": 30.5, "parameters": {"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"same": "1", "cmdline": "ro <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "7bc4956fdc9e23e961db83224792c179f11c35ec3f393a79fe5433968887e43e", "image_sha256": "a91e7559617bb0b7e2080f3e0534abc58158d1de701bd83fa0b1a0e2193a3386", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', '2.40', NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (87, 'a3a73e8fcde7986a598fcaf8d94e7dec78d9349bb7fbdbc9f17ab95fa00926db', 'd848c8b53986c818f99bc37bacccad0f1f86908c4b952ffecbf6ec262d30ba94', 94, '9e1895ac05f4b270ad2365e0f70b68ea0b550d734f6f4d642d9a92b20ce91e39', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 1, '{}', 'panic', 'Kernel panic - not syncing: <script>alert(1)</script> "quoted" & ''more'' {{7*7}}', '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/broken-1', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 1, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "c89abd013f91b72113c4182ad608dde3a81090b5", "digest": "a911c5bc4563d90c897a841175d5c00c3a66706699aeccb3f3cc6801864c5ed4", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.1-1", "application": "none", "committed_at": "2026-03-01T00:00:00Z"}, "output": null, "reason": "Kernel panic - not syncing: <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "schema": 1, "outcome": "panic", "release": "debian/6.12.1-1-vlag", "run_key": "d848c8b53986c818f99bc37bacccad0f1f86908c4b952ffecbf6ec262d30ba94", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/a911c5bc4563 stress-ng-switch --seed 1", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "a8e1776584a85cc42b07c3852ba3991dcc68651c69ee859907e12ffe5bf0467a", "image_sha256": "9e1895ac05f4b270ad2365e0f70b68ea0b550d734f6f4d642d9a92b20ce91e39", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', NULL, NULL);
INSERT INTO public.run OVERRIDING SYSTEM VALUE VALUES (88, '0507e5fec14200407663a13c08497ce8af9f16b484e8325389cebab29fce9576', '981bdda0364a3d37105b41a5da373a28ad369ece9184e587050c803baadd08ca', 94, '9e1895ac05f4b270ad2365e0f70b68ea0b550d734f6f4d642d9a92b20ce91e39', 'a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be', 'qemu-sim-2-1', 'qemu-sim-2', 'nightly', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 2, '{}', 'panic', 'Kernel panic - not syncing: <script>alert(1)</script> "quoted" & ''more'' {{7*7}}', '2026-03-01 10:00:00+00', '2026-03-01 10:05:00+00', 30.5, '{"/proc/version": "Linux version"}', '[]', '{"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}', NULL, '/srv/vlag/var/broken-2', '{"job": "1", "program": "lava-run"}', false, '{"argv": {"main": ["stress-ng"]}, "kind": "run", "plan": "nightly", "seed": 2, "board": {"cpus": 2, "name": "qemu-sim-2-1", "setup": "8fb6d5f37e8055ce720bd0b1d56587f88c0071f285966ba17e72b2b12672aa73", "emulator": {"sha256": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "program": "qemu-system-x86_64", "version": "10.0.2"}, "board_type": "qemu-sim-2", "deterministic": true}, "files": [{"path": "console.log", "bytes": 29, "sha256": "020cfd3a0512c51752ba9399dd0300da0fc7b11846fafbce3091579da3926bb6"}, {"path": "job.yaml", "bytes": 22, "sha256": "6ba06794866678354157c22a2fc3c4675339c2850645db8b72fe65e918b2fc07"}], "knobs": {}, "health": [], "kernel": {"arch": "x86_64", "tree": "debian", "branch": "linux-6.13", "commit": "c89abd013f91b72113c4182ad608dde3a81090b5", "digest": "a911c5bc4563d90c897a841175d5c00c3a66706699aeccb3f3cc6801864c5ed4", "series": null, "kconfig": "35f2e4fb9df4e713538818598a5d87b0383ed25573ebab835d44211d94471b81", "patches": [], "subject": "<script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "variant": "default", "describe": "debian/6.12.1-1", "application": "none", "committed_at": "2026-03-01T00:00:00Z"}, "output": null, "reason": "Kernel panic - not syncing: <script>alert(1)</script> \"quoted\" & ''more'' {{7*7}}", "schema": 1, "outcome": "panic", "release": "debian/6.12.1-1-vlag", "run_key": "981bdda0364a3d37105b41a5da373a28ad369ece9184e587050c803baadd08ca", "executor": {"job": "1", "program": "lava-run"}, "userland": {"sha256": "cf49b580db95e5260e4e661d2da8961041e457fe674756ebeb0401df918b9440", "packages": {"rt-tests": "2.4-2", "stress-ng": "0.15.06-2"}}, "benchmark": "stress-ng-switch", "reproduce": "vlag run --build builds/a911c5bc4563 stress-ng-switch --seed 2", "synthetic": false, "estimate_s": 30.5, "parameters": {"method": "pipe", "instances": 2, "duration_s": 1}, "started_at": "2026-03-01T10:00:00Z", "environment": {"/proc/version": "Linux version"}, "finished_at": "2026-03-01T10:05:00Z", "entry_sha256": "690396b0e760bb1a655c81fe146dd04fdd7ed9686a1916cf90e4c223914ae917", "image_sha256": "9e1895ac05f4b270ad2365e0f70b68ea0b550d734f6f4d642d9a92b20ce91e39", "config_sha256": "a384e9448a2fdde1dee37eb5da09dada1708d7b64fb8f347a3f2a1fbc1d940be"}', NULL, NULL);
INSERT INTO public.run_value VALUES (1, 2, 'median', '2026-03-01 10:05:00+00', 2255.82);
INSERT INTO public.run_value VALUES (1, 1, 'median', '2026-03-01 10:05:00+00', 443124.79);
INSERT INTO public.run_value VALUES (2, 2, 'median', '2026-03-01 10:05:00+00', 2253.57);
INSERT INTO public.run_value VALUES (2, 1, 'median', '2026-03-01 10:05:00+00', 443567.91);
INSERT INTO public.run_value VALUES (3, 2, 'median', '2026-03-01 10:05:00+00', 2258.08);
INSERT INTO public.run_value VALUES (3, 1, 'median', '2026-03-01 10:05:00+00', 442681.67);
INSERT INTO public.run_value VALUES (4, 2, 'median', '2026-03-01 10:05:00+00', 2254.69);
INSERT INTO public.run_value VALUES (4, 1, 'median', '2026-03-01 10:05:00+00', 443346.35);
INSERT INTO public.run_value VALUES (5, 2, 'median', '2026-03-01 10:05:00+00', 2256.95);
INSERT INTO public.run_value VALUES (5, 1, 'median', '2026-03-01 10:05:00+00', 442903.23);
INSERT INTO public.run_value VALUES (6, 11, 'max', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (6, 11, 'p99', '2026-03-01 10:05:00+00', 66);
INSERT INTO public.run_value VALUES (6, 11, 'p90', '2026-03-01 10:05:00+00', 31);
INSERT INTO public.run_value VALUES (6, 11, 'p50', '2026-03-01 10:05:00+00', 21);
INSERT INTO public.run_value VALUES (7, 11, 'max', '2026-03-01 10:05:00+00', 68);
INSERT INTO public.run_value VALUES (7, 11, 'p99', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (7, 11, 'p90', '2026-03-01 10:05:00+00', 32);
INSERT INTO public.run_value VALUES (7, 11, 'p50', '2026-03-01 10:05:00+00', 22);
INSERT INTO public.run_value VALUES (8, 11, 'max', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (8, 11, 'p99', '2026-03-01 10:05:00+00', 66);
INSERT INTO public.run_value VALUES (8, 11, 'p90', '2026-03-01 10:05:00+00', 31);
INSERT INTO public.run_value VALUES (8, 11, 'p50', '2026-03-01 10:05:00+00', 21);
INSERT INTO public.run_value VALUES (9, 2, 'median', '2026-03-01 10:05:00+00', 2506.47);
INSERT INTO public.run_value VALUES (9, 1, 'median', '2026-03-01 10:05:00+00', 398812.31);
INSERT INTO public.run_value VALUES (10, 2, 'median', '2026-03-01 10:05:00+00', 2503.96);
INSERT INTO public.run_value VALUES (10, 1, 'median', '2026-03-01 10:05:00+00', 399211.12);
INSERT INTO public.run_value VALUES (11, 2, 'median', '2026-03-01 10:05:00+00', 2508.98);
INSERT INTO public.run_value VALUES (11, 1, 'median', '2026-03-01 10:05:00+00', 398413.5);
INSERT INTO public.run_value VALUES (12, 2, 'median', '2026-03-01 10:05:00+00', 2505.21);
INSERT INTO public.run_value VALUES (12, 1, 'median', '2026-03-01 10:05:00+00', 399011.72);
INSERT INTO public.run_value VALUES (13, 2, 'median', '2026-03-01 10:05:00+00', 2507.72);
INSERT INTO public.run_value VALUES (13, 1, 'median', '2026-03-01 10:05:00+00', 398612.9);
INSERT INTO public.run_value VALUES (14, 11, 'max', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (14, 11, 'p99', '2026-03-01 10:05:00+00', 66);
INSERT INTO public.run_value VALUES (14, 11, 'p90', '2026-03-01 10:05:00+00', 31);
INSERT INTO public.run_value VALUES (14, 11, 'p50', '2026-03-01 10:05:00+00', 21);
INSERT INTO public.run_value VALUES (15, 11, 'max', '2026-03-01 10:05:00+00', 68);
INSERT INTO public.run_value VALUES (15, 11, 'p99', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (15, 11, 'p90', '2026-03-01 10:05:00+00', 32);
INSERT INTO public.run_value VALUES (15, 11, 'p50', '2026-03-01 10:05:00+00', 22);
INSERT INTO public.run_value VALUES (16, 11, 'max', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (16, 11, 'p99', '2026-03-01 10:05:00+00', 66);
INSERT INTO public.run_value VALUES (16, 11, 'p90', '2026-03-01 10:05:00+00', 31);
INSERT INTO public.run_value VALUES (16, 11, 'p50', '2026-03-01 10:05:00+00', 21);
INSERT INTO public.run_value VALUES (17, 2, 'median', '2026-03-01 10:05:00+00', 2255.82);
INSERT INTO public.run_value VALUES (17, 1, 'median', '2026-03-01 10:05:00+00', 443124.79);
INSERT INTO public.run_value VALUES (18, 2, 'median', '2026-03-01 10:05:00+00', 2253.57);
INSERT INTO public.run_value VALUES (18, 1, 'median', '2026-03-01 10:05:00+00', 443567.91);
INSERT INTO public.run_value VALUES (19, 2, 'median', '2026-03-01 10:05:00+00', 2258.08);
INSERT INTO public.run_value VALUES (19, 1, 'median', '2026-03-01 10:05:00+00', 442681.67);
INSERT INTO public.run_value VALUES (20, 2, 'median', '2026-03-01 10:05:00+00', 2254.69);
INSERT INTO public.run_value VALUES (20, 1, 'median', '2026-03-01 10:05:00+00', 443346.35);
INSERT INTO public.run_value VALUES (21, 2, 'median', '2026-03-01 10:05:00+00', 2256.95);
INSERT INTO public.run_value VALUES (21, 1, 'median', '2026-03-01 10:05:00+00', 442903.23);
INSERT INTO public.run_value VALUES (22, 2, 'median', '2026-03-01 10:05:00+00', 2255.82);
INSERT INTO public.run_value VALUES (22, 1, 'median', '2026-03-01 10:05:00+00', 443124.79);
INSERT INTO public.run_value VALUES (23, 2, 'median', '2026-03-01 10:05:00+00', 2253.57);
INSERT INTO public.run_value VALUES (23, 1, 'median', '2026-03-01 10:05:00+00', 443567.91);
INSERT INTO public.run_value VALUES (24, 2, 'median', '2026-03-01 10:05:00+00', 2258.08);
INSERT INTO public.run_value VALUES (24, 1, 'median', '2026-03-01 10:05:00+00', 442681.67);
INSERT INTO public.run_value VALUES (25, 2, 'median', '2026-03-01 10:05:00+00', 2254.69);
INSERT INTO public.run_value VALUES (25, 1, 'median', '2026-03-01 10:05:00+00', 443346.35);
INSERT INTO public.run_value VALUES (26, 2, 'median', '2026-03-01 10:05:00+00', 2256.95);
INSERT INTO public.run_value VALUES (26, 1, 'median', '2026-03-01 10:05:00+00', 442903.23);
INSERT INTO public.run_value VALUES (27, 11, 'max', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (27, 11, 'p99', '2026-03-01 10:05:00+00', 66);
INSERT INTO public.run_value VALUES (27, 11, 'p90', '2026-03-01 10:05:00+00', 31);
INSERT INTO public.run_value VALUES (27, 11, 'p50', '2026-03-01 10:05:00+00', 21);
INSERT INTO public.run_value VALUES (28, 11, 'max', '2026-03-01 10:05:00+00', 68);
INSERT INTO public.run_value VALUES (28, 11, 'p99', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (28, 11, 'p90', '2026-03-01 10:05:00+00', 32);
INSERT INTO public.run_value VALUES (28, 11, 'p50', '2026-03-01 10:05:00+00', 22);
INSERT INTO public.run_value VALUES (29, 11, 'max', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (29, 11, 'p99', '2026-03-01 10:05:00+00', 66);
INSERT INTO public.run_value VALUES (29, 11, 'p90', '2026-03-01 10:05:00+00', 31);
INSERT INTO public.run_value VALUES (29, 11, 'p50', '2026-03-01 10:05:00+00', 21);
INSERT INTO public.run_value VALUES (30, 11, 'max', '2026-03-01 10:05:00+00', 68);
INSERT INTO public.run_value VALUES (30, 11, 'p99', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (30, 11, 'p90', '2026-03-01 10:05:00+00', 32);
INSERT INTO public.run_value VALUES (30, 11, 'p50', '2026-03-01 10:05:00+00', 22);
INSERT INTO public.run_value VALUES (31, 11, 'max', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (31, 11, 'p99', '2026-03-01 10:05:00+00', 66);
INSERT INTO public.run_value VALUES (31, 11, 'p90', '2026-03-01 10:05:00+00', 31);
INSERT INTO public.run_value VALUES (31, 11, 'p50', '2026-03-01 10:05:00+00', 21);
INSERT INTO public.run_value VALUES (32, 2, 'median', '2026-03-01 10:05:00+00', 2255.82);
INSERT INTO public.run_value VALUES (32, 1, 'median', '2026-03-01 10:05:00+00', 443124.79);
INSERT INTO public.run_value VALUES (33, 2, 'median', '2026-03-01 10:05:00+00', 2253.57);
INSERT INTO public.run_value VALUES (33, 1, 'median', '2026-03-01 10:05:00+00', 443567.91);
INSERT INTO public.run_value VALUES (34, 2, 'median', '2026-03-01 10:05:00+00', 2258.08);
INSERT INTO public.run_value VALUES (34, 1, 'median', '2026-03-01 10:05:00+00', 442681.67);
INSERT INTO public.run_value VALUES (35, 2, 'median', '2026-03-01 10:05:00+00', 2254.69);
INSERT INTO public.run_value VALUES (35, 1, 'median', '2026-03-01 10:05:00+00', 443346.35);
INSERT INTO public.run_value VALUES (36, 2, 'median', '2026-03-01 10:05:00+00', 2256.95);
INSERT INTO public.run_value VALUES (36, 1, 'median', '2026-03-01 10:05:00+00', 442903.23);
INSERT INTO public.run_value VALUES (37, 2, 'median', '2026-03-01 10:05:00+00', 2255.82);
INSERT INTO public.run_value VALUES (37, 1, 'median', '2026-03-01 10:05:00+00', 443124.79);
INSERT INTO public.run_value VALUES (38, 2, 'median', '2026-03-01 10:05:00+00', 2253.57);
INSERT INTO public.run_value VALUES (38, 1, 'median', '2026-03-01 10:05:00+00', 443567.91);
INSERT INTO public.run_value VALUES (39, 2, 'median', '2026-03-01 10:05:00+00', 2258.08);
INSERT INTO public.run_value VALUES (39, 1, 'median', '2026-03-01 10:05:00+00', 442681.67);
INSERT INTO public.run_value VALUES (40, 2, 'median', '2026-03-01 10:05:00+00', 2254.69);
INSERT INTO public.run_value VALUES (40, 1, 'median', '2026-03-01 10:05:00+00', 443346.35);
INSERT INTO public.run_value VALUES (41, 2, 'median', '2026-03-01 10:05:00+00', 2256.95);
INSERT INTO public.run_value VALUES (41, 1, 'median', '2026-03-01 10:05:00+00', 442903.23);
INSERT INTO public.run_value VALUES (42, 2, 'median', '2026-03-01 10:05:00+00', 2255.82);
INSERT INTO public.run_value VALUES (42, 1, 'median', '2026-03-01 10:05:00+00', 443124.79);
INSERT INTO public.run_value VALUES (43, 2, 'median', '2026-03-01 10:05:00+00', 2253.57);
INSERT INTO public.run_value VALUES (43, 1, 'median', '2026-03-01 10:05:00+00', 443567.91);
INSERT INTO public.run_value VALUES (44, 2, 'median', '2026-03-01 10:05:00+00', 2258.08);
INSERT INTO public.run_value VALUES (44, 1, 'median', '2026-03-01 10:05:00+00', 442681.67);
INSERT INTO public.run_value VALUES (45, 2, 'median', '2026-03-01 10:05:00+00', 2254.69);
INSERT INTO public.run_value VALUES (45, 1, 'median', '2026-03-01 10:05:00+00', 443346.35);
INSERT INTO public.run_value VALUES (46, 2, 'median', '2026-03-01 10:05:00+00', 2256.95);
INSERT INTO public.run_value VALUES (46, 1, 'median', '2026-03-01 10:05:00+00', 442903.23);
INSERT INTO public.run_value VALUES (47, 2, 'median', '2026-03-01 10:05:00+00', 2255.82);
INSERT INTO public.run_value VALUES (47, 1, 'median', '2026-03-01 10:05:00+00', 443124.79);
INSERT INTO public.run_value VALUES (48, 2, 'median', '2026-03-01 10:05:00+00', 2253.57);
INSERT INTO public.run_value VALUES (48, 1, 'median', '2026-03-01 10:05:00+00', 443567.91);
INSERT INTO public.run_value VALUES (49, 2, 'median', '2026-03-01 10:05:00+00', 2258.08);
INSERT INTO public.run_value VALUES (49, 1, 'median', '2026-03-01 10:05:00+00', 442681.67);
INSERT INTO public.run_value VALUES (50, 2, 'median', '2026-03-01 10:05:00+00', 2254.69);
INSERT INTO public.run_value VALUES (50, 1, 'median', '2026-03-01 10:05:00+00', 443346.35);
INSERT INTO public.run_value VALUES (51, 2, 'median', '2026-03-01 10:05:00+00', 2256.95);
INSERT INTO public.run_value VALUES (51, 1, 'median', '2026-03-01 10:05:00+00', 442903.23);
INSERT INTO public.run_value VALUES (52, 11, 'max', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (52, 11, 'p99', '2026-03-01 10:05:00+00', 66);
INSERT INTO public.run_value VALUES (52, 11, 'p90', '2026-03-01 10:05:00+00', 31);
INSERT INTO public.run_value VALUES (52, 11, 'p50', '2026-03-01 10:05:00+00', 21);
INSERT INTO public.run_value VALUES (53, 11, 'max', '2026-03-01 10:05:00+00', 68);
INSERT INTO public.run_value VALUES (53, 11, 'p99', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (53, 11, 'p90', '2026-03-01 10:05:00+00', 32);
INSERT INTO public.run_value VALUES (53, 11, 'p50', '2026-03-01 10:05:00+00', 22);
INSERT INTO public.run_value VALUES (54, 11, 'max', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (54, 11, 'p99', '2026-03-01 10:05:00+00', 66);
INSERT INTO public.run_value VALUES (54, 11, 'p90', '2026-03-01 10:05:00+00', 31);
INSERT INTO public.run_value VALUES (54, 11, 'p50', '2026-03-01 10:05:00+00', 21);
INSERT INTO public.run_value VALUES (55, 11, 'max', '2026-03-01 10:05:00+00', 68);
INSERT INTO public.run_value VALUES (55, 11, 'p99', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (55, 11, 'p90', '2026-03-01 10:05:00+00', 32);
INSERT INTO public.run_value VALUES (55, 11, 'p50', '2026-03-01 10:05:00+00', 22);
INSERT INTO public.run_value VALUES (56, 11, 'max', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (56, 11, 'p99', '2026-03-01 10:05:00+00', 66);
INSERT INTO public.run_value VALUES (56, 11, 'p90', '2026-03-01 10:05:00+00', 31);
INSERT INTO public.run_value VALUES (56, 11, 'p50', '2026-03-01 10:05:00+00', 21);
INSERT INTO public.run_value VALUES (57, 2, 'median', '2026-03-01 10:05:00+00', 2255.82);
INSERT INTO public.run_value VALUES (57, 1, 'median', '2026-03-01 10:05:00+00', 443124.79);
INSERT INTO public.run_value VALUES (58, 2, 'median', '2026-03-01 10:05:00+00', 2253.57);
INSERT INTO public.run_value VALUES (58, 1, 'median', '2026-03-01 10:05:00+00', 443567.91);
INSERT INTO public.run_value VALUES (59, 2, 'median', '2026-03-01 10:05:00+00', 2258.08);
INSERT INTO public.run_value VALUES (59, 1, 'median', '2026-03-01 10:05:00+00', 442681.67);
INSERT INTO public.run_value VALUES (60, 2, 'median', '2026-03-01 10:05:00+00', 2254.69);
INSERT INTO public.run_value VALUES (60, 1, 'median', '2026-03-01 10:05:00+00', 443346.35);
INSERT INTO public.run_value VALUES (61, 2, 'median', '2026-03-01 10:05:00+00', 2256.95);
INSERT INTO public.run_value VALUES (61, 1, 'median', '2026-03-01 10:05:00+00', 442903.23);
INSERT INTO public.run_value VALUES (62, 2, 'median', '2026-03-01 10:05:00+00', 2255.82);
INSERT INTO public.run_value VALUES (62, 1, 'median', '2026-03-01 10:05:00+00', 443124.79);
INSERT INTO public.run_value VALUES (63, 2, 'median', '2026-03-01 10:05:00+00', 2253.57);
INSERT INTO public.run_value VALUES (63, 1, 'median', '2026-03-01 10:05:00+00', 443567.91);
INSERT INTO public.run_value VALUES (64, 2, 'median', '2026-03-01 10:05:00+00', 2258.08);
INSERT INTO public.run_value VALUES (64, 1, 'median', '2026-03-01 10:05:00+00', 442681.67);
INSERT INTO public.run_value VALUES (65, 2, 'median', '2026-03-01 10:05:00+00', 2254.69);
INSERT INTO public.run_value VALUES (65, 1, 'median', '2026-03-01 10:05:00+00', 443346.35);
INSERT INTO public.run_value VALUES (66, 2, 'median', '2026-03-01 10:05:00+00', 2256.95);
INSERT INTO public.run_value VALUES (66, 1, 'median', '2026-03-01 10:05:00+00', 442903.23);
INSERT INTO public.run_value VALUES (67, 11, 'max', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (67, 11, 'p99', '2026-03-01 10:05:00+00', 66);
INSERT INTO public.run_value VALUES (67, 11, 'p90', '2026-03-01 10:05:00+00', 31);
INSERT INTO public.run_value VALUES (67, 11, 'p50', '2026-03-01 10:05:00+00', 21);
INSERT INTO public.run_value VALUES (68, 11, 'max', '2026-03-01 10:05:00+00', 68);
INSERT INTO public.run_value VALUES (68, 11, 'p99', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (68, 11, 'p90', '2026-03-01 10:05:00+00', 32);
INSERT INTO public.run_value VALUES (68, 11, 'p50', '2026-03-01 10:05:00+00', 22);
INSERT INTO public.run_value VALUES (69, 11, 'max', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (69, 11, 'p99', '2026-03-01 10:05:00+00', 66);
INSERT INTO public.run_value VALUES (69, 11, 'p90', '2026-03-01 10:05:00+00', 31);
INSERT INTO public.run_value VALUES (69, 11, 'p50', '2026-03-01 10:05:00+00', 21);
INSERT INTO public.run_value VALUES (70, 11, 'max', '2026-03-01 10:05:00+00', 68);
INSERT INTO public.run_value VALUES (70, 11, 'p99', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (70, 11, 'p90', '2026-03-01 10:05:00+00', 32);
INSERT INTO public.run_value VALUES (70, 11, 'p50', '2026-03-01 10:05:00+00', 22);
INSERT INTO public.run_value VALUES (71, 11, 'max', '2026-03-01 10:05:00+00', 67);
INSERT INTO public.run_value VALUES (71, 11, 'p99', '2026-03-01 10:05:00+00', 66);
INSERT INTO public.run_value VALUES (71, 11, 'p90', '2026-03-01 10:05:00+00', 31);
INSERT INTO public.run_value VALUES (71, 11, 'p50', '2026-03-01 10:05:00+00', 21);
INSERT INTO public.run_value VALUES (72, 2, 'median', '2026-03-01 10:05:00+00', 2563.43);
INSERT INTO public.run_value VALUES (72, 1, 'median', '2026-03-01 10:05:00+00', 389949.82);
INSERT INTO public.run_value VALUES (73, 2, 'median', '2026-03-01 10:05:00+00', 2560.87);
INSERT INTO public.run_value VALUES (73, 1, 'median', '2026-03-01 10:05:00+00', 390339.77);
INSERT INTO public.run_value VALUES (74, 2, 'median', '2026-03-01 10:05:00+00', 2566);
INSERT INTO public.run_value VALUES (74, 1, 'median', '2026-03-01 10:05:00+00', 389559.87);
INSERT INTO public.run_value VALUES (75, 2, 'median', '2026-03-01 10:05:00+00', 2562.15);
INSERT INTO public.run_value VALUES (75, 1, 'median', '2026-03-01 10:05:00+00', 390144.79);
INSERT INTO public.run_value VALUES (76, 2, 'median', '2026-03-01 10:05:00+00', 2564.71);
INSERT INTO public.run_value VALUES (76, 1, 'median', '2026-03-01 10:05:00+00', 389754.84);
INSERT INTO public.run_value VALUES (77, 2, 'median', '2026-03-01 10:05:00+00', 2563.43);
INSERT INTO public.run_value VALUES (77, 1, 'median', '2026-03-01 10:05:00+00', 389949.82);
INSERT INTO public.run_value VALUES (78, 2, 'median', '2026-03-01 10:05:00+00', 2560.87);
INSERT INTO public.run_value VALUES (78, 1, 'median', '2026-03-01 10:05:00+00', 390339.77);
INSERT INTO public.run_value VALUES (79, 2, 'median', '2026-03-01 10:05:00+00', 2566);
INSERT INTO public.run_value VALUES (79, 1, 'median', '2026-03-01 10:05:00+00', 389559.87);
INSERT INTO public.run_value VALUES (80, 2, 'median', '2026-03-01 10:05:00+00', 2562.15);
INSERT INTO public.run_value VALUES (80, 1, 'median', '2026-03-01 10:05:00+00', 390144.79);
INSERT INTO public.run_value VALUES (81, 2, 'median', '2026-03-01 10:05:00+00', 2564.71);
INSERT INTO public.run_value VALUES (81, 1, 'median', '2026-03-01 10:05:00+00', 389754.84);
INSERT INTO public.run_value VALUES (82, 11, 'max', '2026-03-01 10:05:00+00', 157);
INSERT INTO public.run_value VALUES (82, 11, 'p99', '2026-03-01 10:05:00+00', 156);
INSERT INTO public.run_value VALUES (82, 11, 'p90', '2026-03-01 10:05:00+00', 121);
INSERT INTO public.run_value VALUES (82, 11, 'p50', '2026-03-01 10:05:00+00', 111);
INSERT INTO public.run_value VALUES (83, 11, 'max', '2026-03-01 10:05:00+00', 158);
INSERT INTO public.run_value VALUES (83, 11, 'p99', '2026-03-01 10:05:00+00', 157);
INSERT INTO public.run_value VALUES (83, 11, 'p90', '2026-03-01 10:05:00+00', 122);
INSERT INTO public.run_value VALUES (83, 11, 'p50', '2026-03-01 10:05:00+00', 112);
INSERT INTO public.run_value VALUES (84, 11, 'max', '2026-03-01 10:05:00+00', 157);
INSERT INTO public.run_value VALUES (84, 11, 'p99', '2026-03-01 10:05:00+00', 156);
INSERT INTO public.run_value VALUES (84, 11, 'p90', '2026-03-01 10:05:00+00', 121);
INSERT INTO public.run_value VALUES (84, 11, 'p50', '2026-03-01 10:05:00+00', 111);
INSERT INTO public.run_value VALUES (85, 11, 'max', '2026-03-01 10:05:00+00', 158);
INSERT INTO public.run_value VALUES (85, 11, 'p99', '2026-03-01 10:05:00+00', 157);
INSERT INTO public.run_value VALUES (85, 11, 'p90', '2026-03-01 10:05:00+00', 122);
INSERT INTO public.run_value VALUES (85, 11, 'p50', '2026-03-01 10:05:00+00', 112);
INSERT INTO public.run_value VALUES (86, 11, 'max', '2026-03-01 10:05:00+00', 157);
INSERT INTO public.run_value VALUES (86, 11, 'p99', '2026-03-01 10:05:00+00', 156);
INSERT INTO public.run_value VALUES (86, 11, 'p90', '2026-03-01 10:05:00+00', 121);
INSERT INTO public.run_value VALUES (86, 11, 'p50', '2026-03-01 10:05:00+00', 111);
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
INSERT INTO public.sample VALUES (17, 1, '{443124.79}', '{""}', '{}');
INSERT INTO public.sample VALUES (17, 2, '{2255.82}', '{""}', '{}');
INSERT INTO public.sample VALUES (18, 1, '{443567.91}', '{""}', '{}');
INSERT INTO public.sample VALUES (18, 2, '{2253.57}', '{""}', '{}');
INSERT INTO public.sample VALUES (19, 1, '{442681.67}', '{""}', '{}');
INSERT INTO public.sample VALUES (19, 2, '{2258.08}', '{""}', '{}');
INSERT INTO public.sample VALUES (20, 1, '{443346.35}', '{""}', '{}');
INSERT INTO public.sample VALUES (20, 2, '{2254.69}', '{""}', '{}');
INSERT INTO public.sample VALUES (21, 1, '{442903.23}', '{""}', '{}');
INSERT INTO public.sample VALUES (21, 2, '{2256.95}', '{""}', '{}');
INSERT INTO public.sample VALUES (22, 1, '{443124.79}', '{""}', '{}');
INSERT INTO public.sample VALUES (22, 2, '{2255.82}', '{""}', '{}');
INSERT INTO public.sample VALUES (23, 1, '{443567.91}', '{""}', '{}');
INSERT INTO public.sample VALUES (23, 2, '{2253.57}', '{""}', '{}');
INSERT INTO public.sample VALUES (24, 1, '{442681.67}', '{""}', '{}');
INSERT INTO public.sample VALUES (24, 2, '{2258.08}', '{""}', '{}');
INSERT INTO public.sample VALUES (25, 1, '{443346.35}', '{""}', '{}');
INSERT INTO public.sample VALUES (25, 2, '{2254.69}', '{""}', '{}');
INSERT INTO public.sample VALUES (26, 1, '{442903.23}', '{""}', '{}');
INSERT INTO public.sample VALUES (26, 2, '{2256.95}', '{""}', '{}');
INSERT INTO public.sample VALUES (32, 1, '{443124.79}', '{""}', '{}');
INSERT INTO public.sample VALUES (32, 2, '{2255.82}', '{""}', '{}');
INSERT INTO public.sample VALUES (33, 1, '{443567.91}', '{""}', '{}');
INSERT INTO public.sample VALUES (33, 2, '{2253.57}', '{""}', '{}');
INSERT INTO public.sample VALUES (34, 1, '{442681.67}', '{""}', '{}');
INSERT INTO public.sample VALUES (34, 2, '{2258.08}', '{""}', '{}');
INSERT INTO public.sample VALUES (35, 1, '{443346.35}', '{""}', '{}');
INSERT INTO public.sample VALUES (35, 2, '{2254.69}', '{""}', '{}');
INSERT INTO public.sample VALUES (36, 1, '{442903.23}', '{""}', '{}');
INSERT INTO public.sample VALUES (36, 2, '{2256.95}', '{""}', '{}');
INSERT INTO public.sample VALUES (37, 1, '{443124.79}', '{""}', '{}');
INSERT INTO public.sample VALUES (37, 2, '{2255.82}', '{""}', '{}');
INSERT INTO public.sample VALUES (38, 1, '{443567.91}', '{""}', '{}');
INSERT INTO public.sample VALUES (38, 2, '{2253.57}', '{""}', '{}');
INSERT INTO public.sample VALUES (39, 1, '{442681.67}', '{""}', '{}');
INSERT INTO public.sample VALUES (39, 2, '{2258.08}', '{""}', '{}');
INSERT INTO public.sample VALUES (40, 1, '{443346.35}', '{""}', '{}');
INSERT INTO public.sample VALUES (40, 2, '{2254.69}', '{""}', '{}');
INSERT INTO public.sample VALUES (41, 1, '{442903.23}', '{""}', '{}');
INSERT INTO public.sample VALUES (41, 2, '{2256.95}', '{""}', '{}');
INSERT INTO public.sample VALUES (42, 1, '{443124.79}', '{""}', '{}');
INSERT INTO public.sample VALUES (42, 2, '{2255.82}', '{""}', '{}');
INSERT INTO public.sample VALUES (43, 1, '{443567.91}', '{""}', '{}');
INSERT INTO public.sample VALUES (43, 2, '{2253.57}', '{""}', '{}');
INSERT INTO public.sample VALUES (44, 1, '{442681.67}', '{""}', '{}');
INSERT INTO public.sample VALUES (44, 2, '{2258.08}', '{""}', '{}');
INSERT INTO public.sample VALUES (45, 1, '{443346.35}', '{""}', '{}');
INSERT INTO public.sample VALUES (45, 2, '{2254.69}', '{""}', '{}');
INSERT INTO public.sample VALUES (46, 1, '{442903.23}', '{""}', '{}');
INSERT INTO public.sample VALUES (46, 2, '{2256.95}', '{""}', '{}');
INSERT INTO public.sample VALUES (47, 1, '{443124.79}', '{""}', '{}');
INSERT INTO public.sample VALUES (47, 2, '{2255.82}', '{""}', '{}');
INSERT INTO public.sample VALUES (48, 1, '{443567.91}', '{""}', '{}');
INSERT INTO public.sample VALUES (48, 2, '{2253.57}', '{""}', '{}');
INSERT INTO public.sample VALUES (49, 1, '{442681.67}', '{""}', '{}');
INSERT INTO public.sample VALUES (49, 2, '{2258.08}', '{""}', '{}');
INSERT INTO public.sample VALUES (50, 1, '{443346.35}', '{""}', '{}');
INSERT INTO public.sample VALUES (50, 2, '{2254.69}', '{""}', '{}');
INSERT INTO public.sample VALUES (51, 1, '{442903.23}', '{""}', '{}');
INSERT INTO public.sample VALUES (51, 2, '{2256.95}', '{""}', '{}');
INSERT INTO public.sample VALUES (57, 1, '{443124.79}', '{""}', '{}');
INSERT INTO public.sample VALUES (57, 2, '{2255.82}', '{""}', '{}');
INSERT INTO public.sample VALUES (58, 1, '{443567.91}', '{""}', '{}');
INSERT INTO public.sample VALUES (58, 2, '{2253.57}', '{""}', '{}');
INSERT INTO public.sample VALUES (59, 1, '{442681.67}', '{""}', '{}');
INSERT INTO public.sample VALUES (59, 2, '{2258.08}', '{""}', '{}');
INSERT INTO public.sample VALUES (60, 1, '{443346.35}', '{""}', '{}');
INSERT INTO public.sample VALUES (60, 2, '{2254.69}', '{""}', '{}');
INSERT INTO public.sample VALUES (61, 1, '{442903.23}', '{""}', '{}');
INSERT INTO public.sample VALUES (61, 2, '{2256.95}', '{""}', '{}');
INSERT INTO public.sample VALUES (62, 1, '{443124.79}', '{""}', '{}');
INSERT INTO public.sample VALUES (62, 2, '{2255.82}', '{""}', '{}');
INSERT INTO public.sample VALUES (63, 1, '{443567.91}', '{""}', '{}');
INSERT INTO public.sample VALUES (63, 2, '{2253.57}', '{""}', '{}');
INSERT INTO public.sample VALUES (64, 1, '{442681.67}', '{""}', '{}');
INSERT INTO public.sample VALUES (64, 2, '{2258.08}', '{""}', '{}');
INSERT INTO public.sample VALUES (65, 1, '{443346.35}', '{""}', '{}');
INSERT INTO public.sample VALUES (65, 2, '{2254.69}', '{""}', '{}');
INSERT INTO public.sample VALUES (66, 1, '{442903.23}', '{""}', '{}');
INSERT INTO public.sample VALUES (66, 2, '{2256.95}', '{""}', '{}');
INSERT INTO public.sample VALUES (72, 1, '{389949.82}', '{""}', '{}');
INSERT INTO public.sample VALUES (72, 2, '{2563.43}', '{""}', '{}');
INSERT INTO public.sample VALUES (73, 1, '{390339.77}', '{""}', '{}');
INSERT INTO public.sample VALUES (73, 2, '{2560.87}', '{""}', '{}');
INSERT INTO public.sample VALUES (74, 1, '{389559.87}', '{""}', '{}');
INSERT INTO public.sample VALUES (74, 2, '{2566}', '{""}', '{}');
INSERT INTO public.sample VALUES (75, 1, '{390144.79}', '{""}', '{}');
INSERT INTO public.sample VALUES (75, 2, '{2562.15}', '{""}', '{}');
INSERT INTO public.sample VALUES (76, 1, '{389754.84}', '{""}', '{}');
INSERT INTO public.sample VALUES (76, 2, '{2564.71}', '{""}', '{}');
INSERT INTO public.sample VALUES (77, 1, '{389949.82}', '{""}', '{}');
INSERT INTO public.sample VALUES (77, 2, '{2563.43}', '{""}', '{}');
INSERT INTO public.sample VALUES (78, 1, '{390339.77}', '{""}', '{}');
INSERT INTO public.sample VALUES (78, 2, '{2560.87}', '{""}', '{}');
INSERT INTO public.sample VALUES (79, 1, '{389559.87}', '{""}', '{}');
INSERT INTO public.sample VALUES (79, 2, '{2566}', '{""}', '{}');
INSERT INTO public.sample VALUES (80, 1, '{390144.79}', '{""}', '{}');
INSERT INTO public.sample VALUES (80, 2, '{2562.15}', '{""}', '{}');
INSERT INTO public.sample VALUES (81, 1, '{389754.84}', '{""}', '{}');
INSERT INTO public.sample VALUES (81, 2, '{2564.71}', '{""}', '{}');
INSERT INTO public.series OVERRIDING SYSTEM VALUE VALUES (1, '600455be869e4cb0027a2244a8c1f2a90c825de587ab2b20067f89e850fc371a', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'bogo-ops-rate', '1/s', 'higher', 'stress-ng', '0.15.06+', '{"mean": "geometric", "method": "pipe"}', 'qemu-sim-2');
INSERT INTO public.series OVERRIDING SYSTEM VALUE VALUES (2, '9ed472aee2a16be083d9b6af2f4cb1716172c5992fa9350fe2b0b98e66843e89', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'time-per-switch', 'ns', 'lower', 'stress-ng', '0.15.06+', '{"mean": "geometric", "method": "pipe"}', 'qemu-sim-2');
INSERT INTO public.series OVERRIDING SYSTEM VALUE VALUES (11, 'd0d0e62357183c42972e43f41e698b752d3e3db03dbb3b15a638cbe4b29461d8', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'us', 'lower', 'cyclictest', '2.40+', '{"policy": "fifo", "priority": "90"}', 'qemu-sim-2');
INSERT INTO public.shift VALUES (1, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'us', 1, false, false, false, 'no quantile moved; P99.9 and P99.99 are not known', '[{"p": 1.0, "low": null, "new": 21.328178007757796, "base": 21.328178007757796, "high": null, "name": "p50", "moved": false, "effect": 0.0}, {"p": 1.0, "low": null, "new": 31.329811987957108, "base": 31.329811987957108, "high": null, "name": "p90", "moved": false, "effect": 0.0}, {"p": 1.0, "low": null, "new": 66.33166386097103, "base": 66.33166386097103, "high": null, "name": "p99", "moved": false, "effect": 0.0}, {"p": 1.0, "low": null, "new": 67.33168857422962, "base": 67.33168857422962, "high": null, "name": "max", "moved": false, "effect": 0.0}]', '{p99.9,p99.99}', 1, 1);
INSERT INTO public.shift VALUES (3, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'us', 1, false, false, false, 'no quantile moved; P99.9 and P99.99 are not known', '[{"p": 1.0, "low": -0.020177699276111734, "new": 21.39442649564017, "base": 21.39442649564017, "high": 0.020593223139751506, "name": "p50", "moved": false, "effect": 0.0}, {"p": 1.0, "low": -0.013815263692324812, "new": 31.396194264808127, "base": 31.396194264808127, "high": 0.014008798943745415, "name": "p90", "moved": false, "effect": 0.0}, {"p": 1.0, "low": -0.006567606099289408, "new": 66.39819636742293, "base": 66.39819636742293, "high": 0.006611024705467591, "name": "p99", "moved": false, "effect": 0.0}, {"p": 1.0, "low": -0.006470620131769904, "new": 67.39822307545137, "base": 67.39822307545137, "high": 0.0065127617389916445, "name": "max", "moved": false, "effect": 0.0}]', '{p99.9,p99.99}', 1, 1);
INSERT INTO public.shift VALUES (5, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'us', 0.007936507936507936, true, true, false, 'the whole distribution 134 % to 421 % higher; P99.9 and P99.99 are not known', '[{"p": 0.007936507936507936, "low": 3.974403970772299, "new": 111.39892408308087, "base": 21.39442649564017, "high": 4.450290402361981, "name": "p50", "moved": true, "effect": 4.206913310145617}, {"p": 0.007936507936507936, "low": 2.747323269519996, "new": 121.39901261240574, "base": 31.396194264808127, "high": 2.9898368189767464, "name": "p90", "moved": true, "effect": 2.8666792410722666}, {"p": 0.007936507936507936, "low": 1.3322625352868944, "new": 156.3992333881722, "base": 66.39819636742293, "high": 1.3789167224383063, "name": "p99", "moved": true, "effect": 1.3554741234643937}, {"p": 0.007936507936507936, "low": 1.3126579735955632, "new": 157.3992382545434, "base": 67.39822307545137, "high": 1.3582885952095456, "name": "max", "moved": true, "effect": 1.3353618400048493}]', '{p99.9,p99.99}', 1, 1);
INSERT INTO public.shift VALUES (6, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'us', 0.007936507936507936, true, true, false, 'the whole distribution 134 % to 421 % higher; P99.9 and P99.99 are not known', '[{"p": 0.007936507936507936, "low": 3.974403970772299, "new": 111.39892408308087, "base": 21.39442649564017, "high": 4.450290402361981, "name": "p50", "moved": true, "effect": 4.206913310145617}, {"p": 0.007936507936507936, "low": 2.747323269519996, "new": 121.39901261240574, "base": 31.396194264808127, "high": 2.9898368189767464, "name": "p90", "moved": true, "effect": 2.8666792410722666}, {"p": 0.007936507936507936, "low": 1.3322625352868944, "new": 156.3992333881722, "base": 66.39819636742293, "high": 1.3789167224383063, "name": "p99", "moved": true, "effect": 1.3554741234643937}, {"p": 0.007936507936507936, "low": 1.3126579735955632, "new": 157.3992382545434, "base": 67.39822307545137, "high": 1.3582885952095456, "name": "max", "moved": true, "effect": 1.3353618400048493}]', '{p99.9,p99.99}', 1, 1);
INSERT INTO public.suspicion OVERRIDING SYSTEM VALUE VALUES (1, 1, 10, '{}', '{}', 'qemu-sim-2', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'bogo-ops-rate', 'median', true, false, 'open', 0, NULL, 1, NULL, '2026-11-28 20:04:07.408201+00', '2026-11-28 20:04:07.408201+00');
INSERT INTO public.suspicion OVERRIDING SYSTEM VALUE VALUES (2, 62, 78, '{}', '{}', 'qemu-sim-2', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p50', true, true, 'open', 0, NULL, 5, NULL, '2026-11-28 20:04:10.695508+00', '2026-11-28 20:04:10.695508+00');
INSERT INTO public.suspicion OVERRIDING SYSTEM VALUE VALUES (3, 62, 78, '{}', '{}', 'qemu-sim-2', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p90', true, true, 'open', 0, NULL, 5, NULL, '2026-11-28 20:04:10.695508+00', '2026-11-28 20:04:10.695508+00');
INSERT INTO public.suspicion OVERRIDING SYSTEM VALUE VALUES (4, 62, 78, '{}', '{}', 'qemu-sim-2', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p99', true, true, 'open', 0, NULL, 5, NULL, '2026-11-28 20:04:10.695508+00', '2026-11-28 20:04:10.695508+00');
INSERT INTO public.suspicion OVERRIDING SYSTEM VALUE VALUES (5, 62, 78, '{}', '{}', 'qemu-sim-2', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'max', true, true, 'open', 0, NULL, 5, NULL, '2026-11-28 20:04:10.695508+00', '2026-11-28 20:04:10.695508+00');
INSERT INTO public.suspicion OVERRIDING SYSTEM VALUE VALUES (7, 1, 78, '{}', '{}', 'qemu-sim-2', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p50', true, true, 'open', 0, NULL, 6, NULL, '2026-11-28 20:04:10.761713+00', '2026-11-28 20:04:10.761713+00');
INSERT INTO public.suspicion OVERRIDING SYSTEM VALUE VALUES (8, 1, 78, '{}', '{}', 'qemu-sim-2', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p90', true, true, 'open', 0, NULL, 6, NULL, '2026-11-28 20:04:10.761713+00', '2026-11-28 20:04:10.761713+00');
INSERT INTO public.suspicion OVERRIDING SYSTEM VALUE VALUES (9, 1, 78, '{}', '{}', 'qemu-sim-2', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p99', true, true, 'open', 0, NULL, 6, NULL, '2026-11-28 20:04:10.761713+00', '2026-11-28 20:04:10.761713+00');
INSERT INTO public.suspicion OVERRIDING SYSTEM VALUE VALUES (10, 1, 78, '{}', '{}', 'qemu-sim-2', 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'max', true, true, 'open', 0, NULL, 6, NULL, '2026-11-28 20:04:10.761713+00', '2026-11-28 20:04:10.761713+00');
INSERT INTO public.suspicion OVERRIDING SYSTEM VALUE VALUES (6, 62, 78, '{}', '{}', 'qemu-sim-2', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'bogo-ops-rate', 'median', true, false, 'confirmed', 5, 1.2264395002278133e-16, 5, 7, '2026-11-28 20:04:10.695508+00', '2026-11-28 20:04:10.800563+00');
INSERT INTO public.suspicion OVERRIDING SYSTEM VALUE VALUES (11, 1, 78, '{}', '{}', 'qemu-sim-2', 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'bogo-ops-rate', 'median', true, false, 'confirmed', 5, 1.2264395002278133e-16, 6, 8, '2026-11-28 20:04:10.761713+00', '2026-11-28 20:04:10.832979+00');
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (1, 1, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p50', 11, 11, 'us', 'lower', 21.328178007757796, 21.328178007757796, 0, -0.05907019188666601, 0.06277853180686042, 3, 3, 1, 'INCONCLUSIVE', 'no change [-5.91, 6.28]; a change outside [-2.91, +3] % is not excluded; about 12 boots a side would decide', true, '{6,7,8}', '{14,15,16}', 3000, 3000, 3000, 3000, 0, 0, 1, 12, false, NULL, false);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (2, 1, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p90', 11, 11, 'us', 'lower', 31.329811987957108, 31.329811987957108, 0, -0.0407020939031137, 0.0424290448717011, 3, 3, 1, 'INCONCLUSIVE', 'no change [-4.07, 4.24]; a change outside [-2.91, +3] % is not excluded; about 6 boots a side would decide', true, '{6,7,8}', '{14,15,16}', 3000, 3000, 3000, 3000, 0, 0, 1, 6, false, NULL, false);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (3, 1, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p99', 11, 11, 'us', 'lower', 66.33166386097103, 66.33166386097103, 0, -0.01948958041983639, 0.019876974309137346, 3, 3, 1, 'UNCHANGED', 'no change [-1.95, 1.99]; a change outside [-2.91, +3] % is rejected (p = 0.007)', true, '{6,7,8}', '{14,15,16}', 3000, 3000, 3000, 3000, 0, 0, 1, NULL, false, NULL, false);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (4, 1, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'max', 11, 11, 'us', 'lower', 67.33168857422962, 67.33168857422962, 0, -0.01920362578472354, 0.019579625587511106, 3, 3, 1, 'UNCHANGED', 'no change [-1.92, 1.96]; a change outside [-2.91, +3] % is rejected (p = 0.0067)', true, '{6,7,8}', '{14,15,16}', 3000, 3000, 3000, 3000, 0, 0, 1, NULL, false, NULL, false);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (5, 1, 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'bogo-ops-rate', 'median', 1, 1, '1/s', 'higher', 443124.6792211643, 398812.21029704815, -0.10000000226121404, -0.10103710044723525, -0.09896170761575275, 5, 5, 2.9634578959968045e-16, 'REGRESSION', 'worse by 10.00 % [9.90, 10.10]; a decrease of 0.299 % or less is rejected (p < 0.0001)', false, '{1,2,3,4,5}', '{9,10,11,12,13}', NULL, NULL, NULL, NULL, 0, 0, 2.8790832881968396e-16, NULL, true, NULL, false);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (6, 2, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p50', 11, NULL, 'us', 'lower', 21.394426495640182, NULL, NULL, NULL, NULL, 5, 0, NULL, 'INCONCLUSIVE', 'the new has no complete run', true, '{6,7,8,30,31}', '{}', 5000, 5000, NULL, NULL, 0, 0, NULL, NULL, false, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (7, 2, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p90', 11, NULL, 'us', 'lower', 31.396194264808127, NULL, NULL, NULL, NULL, 5, 0, NULL, 'INCONCLUSIVE', 'the new has no complete run', true, '{6,7,8,30,31}', '{}', 5000, 5000, NULL, NULL, 0, 0, NULL, NULL, false, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (8, 2, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p99', 11, NULL, 'us', 'lower', 66.39819636742287, NULL, NULL, NULL, NULL, 5, 0, NULL, 'INCONCLUSIVE', 'the new has no complete run', true, '{6,7,8,30,31}', '{}', 5000, 5000, NULL, NULL, 0, 0, NULL, NULL, false, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (9, 2, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'max', 11, NULL, 'us', 'lower', 67.39822307545137, NULL, NULL, NULL, NULL, 5, 0, NULL, 'INCONCLUSIVE', 'the new has no complete run', true, '{6,7,8,30,31}', '{}', 5000, 5000, NULL, NULL, 0, 0, NULL, NULL, false, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (10, 2, 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'bogo-ops-rate', 'median', 1, NULL, '1/s', 'higher', 443124.6792211643, NULL, NULL, NULL, NULL, 5, 0, NULL, 'INCONCLUSIVE', 'the new has no complete run (failed: panic)', false, '{1,2,3,4,5}', '{}', NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, false, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (11, 3, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p50', 11, 11, 'us', 'lower', 21.394426495640182, 21.394426495640182, 0, -0.036479264916028376, 0.037860383889765675, 5, 5, 1, 'INCONCLUSIVE', 'no change [-3.65, 3.79]; a change outside [-2.91, +3] % is not excluded; about 11 boots a side would decide', true, '{6,7,8,30,31}', '{52,53,54,55,56}', 5000, 5000, 5000, 5000, 0, 5, 1, 11, false, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (12, 3, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p90', 11, 11, 'us', 'lower', 31.396194264808127, 31.396194264808127, 0, -0.025042695154212008, 0.025685940327585, 5, 5, 1, 'UNCHANGED', 'no change [-2.50, 2.57]; a change outside [-2.91, +3] % is rejected (p = 0.014)', true, '{6,7,8,30,31}', '{52,53,54,55,56}', 5000, 5000, 5000, 5000, 0, 5, 1, NULL, false, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (13, 3, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p99', 11, 11, 'us', 'lower', 66.39819636742287, 66.39819636742287, 0, -0.011940742981986397, 0.012085047427240187, 5, 5, 1, 'UNCHANGED', 'no change [-1.19, 1.21]; a change outside [-2.91, +3] % is rejected (p = 0.00023)', true, '{6,7,8,30,31}', '{52,53,54,55,56}', 5000, 5000, 5000, 5000, 0, 5, 1, NULL, false, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (14, 3, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'max', 11, 11, 'us', 'lower', 67.39822307545137, 67.39822307545137, 0, -0.011764881343577884, 0.011904941568533915, 5, 5, 1, 'UNCHANGED', 'no change [-1.18, 1.19]; a change outside [-2.91, +3] % is rejected (p = 0.00021)', true, '{6,7,8,30,31}', '{52,53,54,55,56}', 5000, 5000, 5000, 5000, 0, 5, 1, NULL, false, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (15, 3, 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'bogo-ops-rate', 'median', 1, 1, '1/s', 'higher', 443124.6792211643, 443124.6792211643, 0, -0.0011523255436704024, 0.0011536549297144936, 5, 5, 1, 'UNCHANGED', 'no change [-0.12, 0.12]; a change outside [-0.892, +0.9] % is rejected (p < 0.0001)', false, '{1,2,3,4,5}', '{42,43,44,45,46}', NULL, NULL, NULL, NULL, 0, 5, 1, NULL, false, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (16, 4, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p50', 11, NULL, 'us', 'lower', 21.394426495640182, NULL, NULL, NULL, NULL, 5, 0, NULL, 'INCONCLUSIVE', 'the new has no complete run', true, '{52,53,54,55,56}', '{}', 5000, 5000, NULL, NULL, 5, 0, NULL, NULL, false, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (17, 4, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p90', 11, NULL, 'us', 'lower', 31.396194264808127, NULL, NULL, NULL, NULL, 5, 0, NULL, 'INCONCLUSIVE', 'the new has no complete run', true, '{52,53,54,55,56}', '{}', 5000, 5000, NULL, NULL, 5, 0, NULL, NULL, false, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (18, 4, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p99', 11, NULL, 'us', 'lower', 66.39819636742287, NULL, NULL, NULL, NULL, 5, 0, NULL, 'INCONCLUSIVE', 'the new has no complete run', true, '{52,53,54,55,56}', '{}', 5000, 5000, NULL, NULL, 5, 0, NULL, NULL, false, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (19, 4, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'max', 11, NULL, 'us', 'lower', 67.39822307545137, NULL, NULL, NULL, NULL, 5, 0, NULL, 'INCONCLUSIVE', 'the new has no complete run', true, '{52,53,54,55,56}', '{}', 5000, 5000, NULL, NULL, 5, 0, NULL, NULL, false, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (20, 4, 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'bogo-ops-rate', 'median', 1, 1, '1/s', 'higher', 443124.6792211643, 443124.6792211643, 0, -0.0011523255436704024, 0.0011536549297144936, 5, 5, 1, 'UNCHANGED', 'no change [-0.12, 0.12]; a change outside [-0.892, +0.9] % is rejected (p < 0.0001)', false, '{42,43,44,45,46}', '{32,33,34,35,36}', NULL, NULL, NULL, NULL, 5, 0, 1, NULL, false, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (21, 5, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p50', 11, 11, 'us', 'lower', 21.394426495640182, 111.39892408308087, 4.206913310145617, 4.04615391642019, 4.372794145487573, 5, 5, 4.69272930134807e-09, 'REGRESSION', 'worse by 420.69 % [404.62, 437.28]; an increase of 3 % or less is rejected (p < 0.0001); a change above 50 % is more often a fault of the set-up: check tools and config first', true, '{67,68,69,70,71}', '{82,83,84,85,86}', 5000, 5000, 5000, 5000, 5, 5, 4.675638159662687e-09, NULL, true, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (22, 5, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p90', 11, 11, 'us', 'lower', 31.396194264808127, 121.39901261240564, 2.8666792410722666, 2.7851715318638806, 2.949942090465047, 5, 5, 8.811494333286202e-10, 'REGRESSION', 'worse by 286.67 % [278.52, 294.99]; an increase of 3 % or less is rejected (p < 0.0001); a change above 50 % is more often a fault of the set-up: check tools and config first', true, '{67,68,69,70,71}', '{82,83,84,85,86}', 5000, 5000, 5000, 5000, 5, 5, 8.758887609484368e-10, NULL, true, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (23, 5, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p99', 11, 11, 'us', 'lower', 66.39819636742287, 156.39923338817206, 1.3554741234643937, 1.3318882588139629, 1.379298547149206, 5, 5, 8.301470827220094e-12, 'REGRESSION', 'worse by 135.55 % [133.19, 137.93]; an increase of 3 % or less is rejected (p < 0.0001); a change above 50 % is more often a fault of the set-up: check tools and config first', true, '{67,68,69,70,71}', '{82,83,84,85,86}', 5000, 5000, 5000, 5000, 5, 5, 8.133246762424211e-12, NULL, true, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (24, 5, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'max', 11, 11, 'us', 'lower', 67.39822307545137, 157.3992382545434, 1.3353618400048493, 1.312318081388653, 1.3586352447131795, 5, 5, 7.426417309121962e-12, 'REGRESSION', 'worse by 133.54 % [131.23, 135.86]; an increase of 3 % or less is rejected (p < 0.0001); a change above 50 % is more often a fault of the set-up: check tools and config first', true, '{67,68,69,70,71}', '{82,83,84,85,86}', 5000, 5000, 5000, 5000, 5, 5, 7.271744650882194e-12, NULL, true, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (25, 5, 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'bogo-ops-rate', 'median', 1, 1, '1/s', 'higher', 443124.6792211643, 389949.72051242593, -0.11999999368619842, -0.12101404588414144, -0.11898477161534064, 5, 5, 6.25400010752654e-17, 'REGRESSION', 'worse by 12.00 % [11.90, 12.10]; a decrease of 0.299 % or less is rejected (p < 0.0001)', false, '{57,58,59,60,61}', '{72,73,74,75,76}', NULL, NULL, NULL, NULL, 5, 5, 6.132197501139066e-17, NULL, true, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (26, 6, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p50', 11, 11, 'us', 'lower', 21.394426495640182, 111.39892408308087, 4.206913310145617, 4.04615391642019, 4.372794145487573, 5, 5, 4.69272930134807e-09, 'REGRESSION', 'worse by 420.69 % [404.62, 437.28]; an increase of 3 % or less is rejected (p < 0.0001); a change above 50 % is more often a fault of the set-up: check tools and config first', true, '{6,7,8,30,31}', '{82,83,84,85,86}', 5000, 5000, 5000, 5000, 0, 5, 4.675638159662687e-09, NULL, true, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (27, 6, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p90', 11, 11, 'us', 'lower', 31.396194264808127, 121.39901261240564, 2.8666792410722666, 2.7851715318638806, 2.949942090465047, 5, 5, 8.811494333286202e-10, 'REGRESSION', 'worse by 286.67 % [278.52, 294.99]; an increase of 3 % or less is rejected (p < 0.0001); a change above 50 % is more often a fault of the set-up: check tools and config first', true, '{6,7,8,30,31}', '{82,83,84,85,86}', 5000, 5000, 5000, 5000, 0, 5, 8.758887609484368e-10, NULL, true, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (28, 6, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p99', 11, 11, 'us', 'lower', 66.39819636742287, 156.39923338817206, 1.3554741234643937, 1.3318882588139629, 1.379298547149206, 5, 5, 8.301470827220094e-12, 'REGRESSION', 'worse by 135.55 % [133.19, 137.93]; an increase of 3 % or less is rejected (p < 0.0001); a change above 50 % is more often a fault of the set-up: check tools and config first', true, '{6,7,8,30,31}', '{82,83,84,85,86}', 5000, 5000, 5000, 5000, 0, 5, 8.133246762424211e-12, NULL, true, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (29, 6, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'max', 11, 11, 'us', 'lower', 67.39822307545137, 157.3992382545434, 1.3353618400048493, 1.312318081388653, 1.3586352447131795, 5, 5, 7.426417309121962e-12, 'REGRESSION', 'worse by 133.54 % [131.23, 135.86]; an increase of 3 % or less is rejected (p < 0.0001); a change above 50 % is more often a fault of the set-up: check tools and config first', true, '{6,7,8,30,31}', '{82,83,84,85,86}', 5000, 5000, 5000, 5000, 0, 5, 7.271744650882194e-12, NULL, true, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (30, 6, 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'bogo-ops-rate', 'median', 1, 1, '1/s', 'higher', 443124.6792211643, 389949.72051242593, -0.11999999368619842, -0.12101404588414144, -0.11898477161534064, 5, 5, 6.25400010752654e-17, 'REGRESSION', 'worse by 12.00 % [11.90, 12.10]; a decrease of 0.299 % or less is rejected (p < 0.0001)', false, '{1,2,3,4,5}', '{72,73,74,75,76}', NULL, NULL, NULL, NULL, 0, 5, 6.132197501139066e-17, NULL, true, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (31, 7, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p99', NULL, NULL, 'us', 'lower', NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, 'INCONCLUSIVE', 'the base has no complete run; the new has no complete run', true, '{}', '{}', NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, false, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (32, 7, 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'bogo-ops-rate', 'median', 1, 1, '1/s', 'higher', 443124.6792211643, 389949.72051242593, -0.11999999368619842, -0.12101404588414144, -0.11898477161534064, 5, 5, 6.25400010752654e-17, 'REGRESSION', 'a rerun of 5 boots a side confirms it: worse by 12.00 % [11.90, 12.10]; a decrease of 0.299 % or less is rejected (p < 0.0001)', false, '{62,63,64,65,66}', '{77,78,79,80,81}', NULL, NULL, NULL, NULL, 5, 5, 1.2264395002278133e-16, NULL, false, 'confirmed', true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (33, 8, 'cyclictest-hackbench', '{"fds": 4, "form": "S", "loops": 1000000, "groups": 1, "duration_s": 4, "interval_us": 500, "histogram_us": 30000, "timerslack_ns": 1}', 'latency', 'p99', NULL, NULL, 'us', 'lower', NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, 'INCONCLUSIVE', 'the base has no complete run; the new has no complete run', true, '{}', '{}', NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, false, NULL, true);
INSERT INTO public.verdict OVERRIDING SYSTEM VALUE VALUES (34, 8, 'stress-ng-switch', '{"method": "pipe", "instances": 2, "duration_s": 1}', 'bogo-ops-rate', 'median', 1, 1, '1/s', 'higher', 443124.6792211643, 389949.72051242593, -0.11999999368619842, -0.12101404588414144, -0.11898477161534064, 5, 5, 6.25400010752654e-17, 'REGRESSION', 'a rerun of 5 boots a side confirms it: worse by 12.00 % [11.90, 12.10]; a decrease of 0.299 % or less is rejected (p < 0.0001)', false, '{22,23,24,25,26}', '{77,78,79,80,81}', NULL, NULL, NULL, NULL, 0, 5, 1.2264395002278133e-16, NULL, false, 'confirmed', true);
SELECT pg_catalog.setval('public.alert_event_id_seq', 1, true);
SELECT pg_catalog.setval('public.alert_id_seq', 1, true);
SELECT pg_catalog.setval('public.board_check_id_seq', 1, false);
SELECT pg_catalog.setval('public.board_doubt_id_seq', 1, false);
SELECT pg_catalog.setval('public.board_state_id_seq', 1, false);
SELECT pg_catalog.setval('public.build_id_seq', 8, true);
SELECT pg_catalog.setval('public.change_point_id_seq', 1, false);
SELECT pg_catalog.setval('public.comparison_id_seq', 8, true);
SELECT pg_catalog.setval('public.family_id_seq', 1, false);
SELECT pg_catalog.setval('public.kernel_id_seq', 97, true);
SELECT pg_catalog.setval('public.kernel_ref_id_seq', 97, true);
SELECT pg_catalog.setval('public.message_id_seq', 1, false);
SELECT pg_catalog.setval('public.night_id_seq', 1, true);
SELECT pg_catalog.setval('public.profile_id_seq', 1, false);
SELECT pg_catalog.setval('public.run_id_seq', 89, true);
SELECT pg_catalog.setval('public.series_id_seq', 146, true);
SELECT pg_catalog.setval('public.suspicion_id_seq', 11, true);
SELECT pg_catalog.setval('public.verdict_id_seq', 34, true);
ALTER TABLE ONLY public._yoyo_log
    ADD CONSTRAINT _yoyo_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public._yoyo_migration
    ADD CONSTRAINT _yoyo_migration_pkey PRIMARY KEY (migration_hash);
ALTER TABLE ONLY public._yoyo_version
    ADD CONSTRAINT _yoyo_version_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.alert_event
    ADD CONSTRAINT alert_event_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.alert
    ADD CONSTRAINT alert_key_key UNIQUE (key);
ALTER TABLE ONLY public.alert
    ADD CONSTRAINT alert_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.alert_verdict
    ADD CONSTRAINT alert_verdict_pkey PRIMARY KEY (alert, verdict);
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
ALTER TABLE ONLY public.multiple_testing
    ADD CONSTRAINT family_key_key UNIQUE (key);
ALTER TABLE ONLY public.multiple_testing
    ADD CONSTRAINT family_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.multiple_testing_verdict
    ADD CONSTRAINT family_verdict_pkey PRIMARY KEY (multiple_testing, verdict);
ALTER TABLE ONLY public.histogram
    ADD CONSTRAINT histogram_pkey PRIMARY KEY (run, series);
ALTER TABLE ONLY public.kernel
    ADD CONSTRAINT kernel_digest_key UNIQUE (digest);
ALTER TABLE ONLY public.kernel
    ADD CONSTRAINT kernel_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kernel_ref
    ADD CONSTRAINT kernel_ref_kernel_name_key UNIQUE (kernel, name);
ALTER TABLE ONLY public.kernel_ref
    ADD CONSTRAINT kernel_ref_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.message
    ADD CONSTRAINT message_key_key UNIQUE (key);
ALTER TABLE ONLY public.message
    ADD CONSTRAINT message_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.night
    ADD CONSTRAINT night_key_key UNIQUE (key);
ALTER TABLE ONLY public.night
    ADD CONSTRAINT night_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.prediction
    ADD CONSTRAINT prediction_pkey PRIMARY KEY (comparison);
ALTER TABLE ONLY public.profile
    ADD CONSTRAINT profile_base_kernel_new_kernel_base_knobs_new_knobs_board_t_key UNIQUE (base_kernel, new_kernel, base_knobs, new_knobs, board_type, benchmark, parameters);
ALTER TABLE ONLY public.profile_function
    ADD CONSTRAINT profile_function_pkey PRIMARY KEY (profile, number);
ALTER TABLE ONLY public.profile
    ADD CONSTRAINT profile_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_bundle_digest_key UNIQUE (bundle_digest);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.run_value
    ADD CONSTRAINT run_value_pkey PRIMARY KEY (run, series, statistic);
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
CREATE INDEX alert_event_alert ON public.alert_event USING btree (alert, id);
CREATE INDEX alert_open ON public.alert USING btree (branch, board_type) WHERE (withdrawn_at IS NULL);
CREATE INDEX board_check_board ON public.board_check USING btree (board);
CREATE INDEX board_doubt_board ON public.board_doubt USING btree (board) WHERE (lifted_at IS NULL);
CREATE UNIQUE INDEX board_doubt_open ON public.board_doubt USING btree (board) WHERE (until IS NULL);
CREATE INDEX board_state_board ON public.board_state USING btree (board, id);
CREATE INDEX build_finished_at ON public.build USING btree (finished_at);
CREATE INDEX build_image ON public.build USING btree (image_sha256, config_sha256);
CREATE INDEX build_kernel ON public.build USING btree (kernel);
CREATE INDEX comparison_created_at ON public.comparison USING btree (created_at);
CREATE INDEX comparison_kernels ON public.comparison USING btree (new_kernel, base_kernel);
CREATE INDEX comparison_latest ON public.comparison USING btree (board_type, new_kernel, id);
CREATE INDEX histogram_series ON public.histogram USING btree (series);
CREATE INDEX kernel_commit ON public.kernel USING btree (commit);
CREATE INDEX kernel_ref_branch ON public.kernel_ref USING btree (tree, name) WHERE is_branch;
CREATE INDEX kernel_ref_branch_name ON public.kernel_ref USING btree ((((tree || '/'::text) || name))) WHERE is_branch;
CREATE INDEX message_due ON public.message USING btree (next_at) WHERE (state = ANY (ARRAY['queued'::text, 'handing over'::text]));
CREATE INDEX multiple_testing_verdict_verdict ON public.multiple_testing_verdict USING btree (verdict);
CREATE INDEX night_finished_at ON public.night USING btree (finished_at);
CREATE INDEX profile_new_kernel ON public.profile USING btree (new_kernel);
CREATE INDEX run_board ON public.run USING btree (board, finished_at) INCLUDE (board_type, started_at, outcome, synthetic);
CREATE INDEX run_board_type ON public.run USING btree (board_type, kernel, benchmark);
CREATE INDEX run_finished_at ON public.run USING btree (finished_at);
CREATE INDEX run_image ON public.run USING btree (image_sha256, config_sha256);
CREATE INDEX run_kernel ON public.run USING btree (kernel);
CREATE INDEX run_run_key ON public.run USING btree (run_key);
CREATE INDEX run_suspect ON public.run USING btree (finished_at) WHERE (suspect IS NOT NULL);
CREATE INDEX run_took ON public.run USING btree (date_part('epoch'::text, (finished_at - started_at)));
CREATE INDEX run_value_history ON public.run_value USING btree (series, statistic, at) INCLUDE (value, run);
CREATE INDEX sample_series ON public.sample USING btree (series);
CREATE INDEX series_board_type ON public.series USING btree (board_type, benchmark);
ALTER TABLE ONLY public.alert
    ADD CONSTRAINT alert_base_kernel_fkey FOREIGN KEY (base_kernel) REFERENCES public.kernel(id);
ALTER TABLE ONLY public.alert
    ADD CONSTRAINT alert_board_fkey FOREIGN KEY (board) REFERENCES public.board(name);
ALTER TABLE ONLY public.alert
    ADD CONSTRAINT alert_board_type_fkey FOREIGN KEY (board_type) REFERENCES public.board_type(name);
ALTER TABLE ONLY public.alert
    ADD CONSTRAINT alert_change_point_fkey FOREIGN KEY (change_point) REFERENCES public.change_point(id);
ALTER TABLE ONLY public.alert_event
    ADD CONSTRAINT alert_event_alert_fkey FOREIGN KEY (alert) REFERENCES public.alert(id);
ALTER TABLE ONLY public.alert
    ADD CONSTRAINT alert_new_kernel_fkey FOREIGN KEY (new_kernel) REFERENCES public.kernel(id);
ALTER TABLE ONLY public.alert_verdict
    ADD CONSTRAINT alert_verdict_alert_fkey FOREIGN KEY (alert) REFERENCES public.alert(id);
ALTER TABLE ONLY public.alert_verdict
    ADD CONSTRAINT alert_verdict_verdict_fkey FOREIGN KEY (verdict) REFERENCES public.verdict(id);
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
ALTER TABLE ONLY public.multiple_testing_verdict
    ADD CONSTRAINT family_verdict_family_fkey FOREIGN KEY (multiple_testing) REFERENCES public.multiple_testing(id);
ALTER TABLE ONLY public.multiple_testing_verdict
    ADD CONSTRAINT family_verdict_verdict_fkey FOREIGN KEY (verdict) REFERENCES public.verdict(id);
ALTER TABLE ONLY public.histogram
    ADD CONSTRAINT histogram_run_fkey FOREIGN KEY (run) REFERENCES public.run(id);
ALTER TABLE ONLY public.histogram
    ADD CONSTRAINT histogram_series_fkey FOREIGN KEY (series) REFERENCES public.series(id);
ALTER TABLE ONLY public.kernel_ref
    ADD CONSTRAINT kernel_ref_kernel_fkey FOREIGN KEY (kernel) REFERENCES public.kernel(id);
ALTER TABLE ONLY public.message
    ADD CONSTRAINT message_night_fkey FOREIGN KEY (night) REFERENCES public.night(id);
ALTER TABLE ONLY public.night
    ADD CONSTRAINT night_family_fkey FOREIGN KEY (multiple_testing) REFERENCES public.multiple_testing(id);
ALTER TABLE ONLY public.prediction
    ADD CONSTRAINT prediction_comparison_fkey FOREIGN KEY (comparison) REFERENCES public.comparison(id);
ALTER TABLE ONLY public.profile
    ADD CONSTRAINT profile_base_kernel_fkey FOREIGN KEY (base_kernel) REFERENCES public.kernel(id);
ALTER TABLE ONLY public.profile_function
    ADD CONSTRAINT profile_function_profile_fkey FOREIGN KEY (profile) REFERENCES public.profile(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.profile
    ADD CONSTRAINT profile_new_kernel_fkey FOREIGN KEY (new_kernel) REFERENCES public.kernel(id);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_board_fkey FOREIGN KEY (board) REFERENCES public.board(name);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_board_type_fkey FOREIGN KEY (board_type) REFERENCES public.board_type(name);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_kernel_fkey FOREIGN KEY (kernel) REFERENCES public.kernel(id);
ALTER TABLE ONLY public.run_value
    ADD CONSTRAINT run_value_run_fkey FOREIGN KEY (run) REFERENCES public.run(id);
ALTER TABLE ONLY public.run_value
    ADD CONSTRAINT run_value_series_fkey FOREIGN KEY (series) REFERENCES public.series(id);
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
