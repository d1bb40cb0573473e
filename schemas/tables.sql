-- The tables that all of `migrations/` make, to read; nothing runs this file.
-- Made by tests.integration.table_file.

CREATE TYPE direction_kind AS ENUM (
    'higher',
    'lower'
);

COMMENT ON TYPE direction_kind IS 'which way a metric gets better';

CREATE TYPE lane_outcome_kind AS ENUM (
    'builds',
    'breaks',
    'not_applicable'
);

CREATE TYPE outcome_kind AS ENUM (
    'complete',
    'patch_failed',
    'build_failed',
    'panic',
    'hang',
    'benchmark_failed'
);

COMMENT ON TYPE outcome_kind IS 'what became of a build or a run; all but complete are the failure of the kernel itself';

CREATE TYPE stand_kind AS ENUM (
    'open',
    'confirmed',
    'refuted',
    'undecided'
);

COMMENT ON TYPE stand_kind IS 'what became of a suspicion: open, more fresh boots are due; confirmed; refuted; undecided, the bound of fresh boots was reached';

CREATE TYPE triage_kind AS ENUM (
    'new',
    'acknowledged',
    'investigating',
    'fixed',
    'invalid',
    'wont_fix'
);

COMMENT ON TYPE triage_kind IS 'where people are with an alert; new: nobody has looked';

CREATE TYPE try_state_kind AS ENUM (
    'waiting',
    'running',
    'done',
    'failed'
);

CREATE TYPE verdict_kind AS ENUM (
    'REGRESSION',
    'IMPROVEMENT',
    'UNCHANGED',
    'MARGINAL',
    'INCONCLUSIVE',
    'NOT_COMPARABLE'
);

COMMENT ON TYPE verdict_kind IS 'answer of one comparison of one statistic of one series';

CREATE FUNCTION below_state(path text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT CASE WHEN starts_with(path, current_setting('vlag.state', true) || '/')
    THEN substr(path, length(current_setting('vlag.state')) + 2) ELSE path END
$$;

COMMENT ON FUNCTION below_state(path text) IS 'a path as tables keep it: relative to the state folder that vlag.state names, if it lies there';

CREATE FUNCTION in_state(path text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT CASE WHEN path LIKE '/%' OR coalesce(current_setting('vlag.state', true), '') = '' THEN path
    ELSE current_setting('vlag.state') || '/' || path END
$$;

COMMENT ON FUNCTION in_state(path text) IS 'where a path of a table is now: below the state folder that vlag.state names, unless it is absolute';

CREATE FUNCTION portable(document jsonb) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT CASE WHEN strpos(document ->> 'reproduce', nullif(current_setting('vlag.state', true), '') || '/') > 0
    THEN jsonb_set(document, '{reproduce}', to_jsonb(replace(document ->> 'reproduce', current_setting('vlag.state') || '/', '')))
    ELSE document END
$$;

COMMENT ON FUNCTION portable(document jsonb) IS 'a run.json or build.json whose command names no path of the state folder that vlag.state names';

CREATE FUNCTION refuse_older_code() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF coalesce(current_setting('vlag.refuses_newer', true), '') = '' AND (
    SELECT count(*) FROM pg_settings
    WHERE name IN ('jit', 'from_collapse_limit') AND source = 'session') = 2
  THEN
    RAISE EXCEPTION 'the database is newer than this code: update the checkout, or name another database';

  END IF;

  RETURN NULL;

END
$$;

CREATE FUNCTION refuse_rewriting() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION 'what was said stays: % of table % is refused', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'integrity_constraint_violation', HINT = 'compare again: that adds rows, and they say what they replace';

END $$;

CREATE TABLE alert (
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
    triage triage_kind DEFAULT 'new'::triage_kind NOT NULL,
    owner text,
    opened_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    withdrawn_at timestamp with time zone,
    muted_until timestamp with time zone,
    told_at timestamp with time zone,
    muted_at jsonb,
    due date,
    CONSTRAINT alert_check CHECK (((kind = ANY (ARRAY['regression'::text, 'slow loss'::text])) = (new_kernel IS NOT NULL))),
    CONSTRAINT alert_check1 CHECK (((kind = 'board'::text) = (board IS NOT NULL))),
    CONSTRAINT alert_kind_check CHECK ((kind = ANY (ARRAY['regression'::text, 'slow loss'::text, 'no results'::text, 'board'::text]))),
    CONSTRAINT alert_role_check CHECK ((role = ANY (ARRAY['baseline'::text, 'parent'::text])))
);

COMMENT ON TABLE alert IS 'one cause that somebody must look at, however many metrics it hits';

COMMENT ON COLUMN alert.key IS 'digest of the cause: the culprit; or branch, board type and change point; or the board';

COMMENT ON COLUMN alert.base_kernel IS 'of a regression: what it was compared with when it was seen last';

COMMENT ON COLUMN alert.new_kernel IS 'the culprit where role is parent; else the newest kernel that shows it';

COMMENT ON COLUMN alert.role IS 'baseline: worse than the baseline; parent: one commit made it worse';

COMMENT ON COLUMN alert.throughput IS 'largest confirmed loss of work or time done, as a positive share; null: none';

COMMENT ON COLUMN alert.latency IS 'largest confirmed rise of a latency, as a positive share; null: none';

COMMENT ON COLUMN alert.withdrawn_at IS 'later data removed it; null: it stands';

COMMENT ON COLUMN alert.muted_until IS 'tells nobody until then; null: not muted';

COMMENT ON COLUMN alert.told_at IS 'when a message with it was first queued; null: nobody was told';

COMMENT ON COLUMN alert.muted_at IS 'benchmark -> size of its largest change when it was muted, as a log ratio; null: not muted, or muted before it was kept';

COMMENT ON COLUMN alert.due IS 'the day by which its owner means to have dealt with it; null: nobody has said';

CREATE TABLE alert_event (
    id bigint NOT NULL,
    alert bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    by text NOT NULL,
    action text NOT NULL,
    triage triage_kind,
    why text NOT NULL,
    CONSTRAINT alert_event_action_check CHECK ((action = ANY (ARRAY['opened'::text, 'reopened'::text, 'withdrawn'::text, 'told'::text, 'triaged'::text, 'muted'::text, 'unmuted'::text, 'split'::text, 'joined'::text])))
);

COMMENT ON TABLE alert_event IS 'what became of an alert, who did it and why; rows are never changed';

COMMENT ON COLUMN alert_event.by IS 'a person, or the service';

COMMENT ON COLUMN alert_event.triage IS 'of triaged: the new state';

ALTER TABLE alert_event ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME alert_event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE alert ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME alert_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE alert_pin (
    scope character(64) NOT NULL,
    benchmark text NOT NULL,
    alert bigint NOT NULL,
    was bigint
);

COMMENT ON TABLE alert_pin IS 'which alert tells of a benchmark of some heads, as people have split and joined alerts; until that alert is withdrawn';

COMMENT ON COLUMN alert_pin.scope IS 'digest of branch, series, variant, knobs, board type and base';

COMMENT ON COLUMN alert_pin.was IS 'the alert that told of it before; null: the same';

CREATE SEQUENCE said
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

COMMENT ON SEQUENCE said IS 'order of all that is said of figures: what has a smaller number was said before, whatever a clock said';

CREATE TABLE alert_text (
    said bigint DEFAULT nextval('said'::regclass) NOT NULL,
    alert bigint NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    verdicts bigint[] NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    replaces bigint
);

COMMENT ON TABLE alert_text IS 'what alerts said, a row for each change; the last one of an alert is its title and body, and the others stay as they were said';

COMMENT ON COLUMN alert_text.said IS 'its place in the order of all that is said';

COMMENT ON COLUMN alert_text.verdicts IS 'what the alert stood on then';

COMMENT ON COLUMN alert_text.replaces IS 'the text that it takes the place of; null: it is the first that was kept';

CREATE TABLE alert_verdict (
    alert bigint NOT NULL,
    verdict bigint NOT NULL
);

COMMENT ON TABLE alert_verdict IS 'what the alert stands on: the verdicts of when it was seen last';

CREATE TABLE bisection (
    id bigint NOT NULL,
    tree text NOT NULL,
    good text NOT NULL,
    bad text NOT NULL,
    board_type text NOT NULL,
    benchmark text NOT NULL,
    parameters jsonb NOT NULL,
    knobs jsonb NOT NULL,
    metric text NOT NULL,
    statistic text NOT NULL,
    commits text[] NOT NULL,
    subject text NOT NULL,
    steps integer NOT NULL,
    "between" integer NOT NULL,
    effect double precision NOT NULL,
    share double precision,
    recovered double precision,
    no_revert text,
    document jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT bisection_commits_check CHECK ((cardinality(commits) > 0))
);

COMMENT ON TABLE bisection IS 'a search by git bisect for the first commit that made a figure worse';

COMMENT ON COLUMN bisection.commits IS 'the first bad commit; several where skipped commits hide which it is';

COMMENT ON COLUMN bisection.subject IS 'of the first of commits';

COMMENT ON COLUMN bisection.effect IS 'relative change of bad against good, 0.01 = 1 %';

COMMENT ON COLUMN bisection.share IS 'part of the change that culprit against parent has, on fresh seeds; null: not verified';

COMMENT ON COLUMN bisection.recovered IS 'part of the change that the revert of the culprit takes back; null: no_revert says why';

COMMENT ON COLUMN bisection.document IS 'the whole result, as vlag bisect --format json prints it, and the command';

CREATE TABLE bisection_comparison (
    comparison bigint NOT NULL,
    bisection bigint NOT NULL
);

COMMENT ON TABLE bisection_comparison IS 'the comparisons whose new kernel has a culprit that their base lacks';

ALTER TABLE bisection ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME bisection_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE board (
    name text NOT NULL,
    board_type text NOT NULL
);

CREATE TABLE board_check (
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
    CONSTRAINT board_check_finding_check CHECK ((finding = ANY (ARRAY['in band'::text, 'too little history'::text, 'level left'::text, 'noise left'::text, 'equal'::text, 'first'::text, 'differs'::text, 'failed'::text, 'moved'::text]))),
    CONSTRAINT board_check_level_check CHECK ((level > (0)::double precision)),
    CONSTRAINT board_check_noise_check CHECK ((noise > (0)::double precision))
);

COMMENT ON TABLE board_check IS 'what a run says of its board: one boot of the baseline kernel with the noise-floor benchmark, or the last of the nights in which the board has moved';

COMMENT ON COLUMN board_check.conditions IS 'digest of all that must be equal for two checks to share a band: benchmark, parameters, tool, image, knobs';

COMMENT ON COLUMN board_check.finding IS 'of a board with a band: in band, too little history, level left, noise left; moved: a figure has moved against the other boards of the type; of a deterministic one: equal, first, differs; failed: nothing was measured';

COMMENT ON COLUMN board_check.accepted IS 'may become part of the band, and vouches for the runs before it';

COMMENT ON COLUMN board_check.level IS 'median in the unit of the metric; null: deterministic board, or failed';

COMMENT ON COLUMN board_check.noise IS 'P99 by the median';

COMMENT ON COLUMN board_check.band IS 'the band it was judged by; null: none';

ALTER TABLE board_check ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME board_check_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE board_doubt (
    id bigint NOT NULL,
    board text NOT NULL,
    since timestamp with time zone,
    until timestamp with time zone,
    found_by bigint NOT NULL,
    lifted_at timestamp with time zone,
    lifted_by text,
    CONSTRAINT board_doubt_check CHECK (((lifted_at IS NULL) = (lifted_by IS NULL)))
);

COMMENT ON TABLE board_doubt IS 'spans of time in which the runs of a board do not count';

COMMENT ON COLUMN board_doubt.since IS 'end of the last good check; null: there was none';

COMMENT ON COLUMN board_doubt.until IS 'when the board was called good again; null: not yet';

COMMENT ON COLUMN board_doubt.found_by IS 'the check that the board failed';

COMMENT ON COLUMN board_doubt.lifted_by IS 'person who said that the runs count after all';

ALTER TABLE board_doubt ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME board_doubt_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE board_state (
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

COMMENT ON TABLE board_state IS 'states of boards; the one with the highest id holds, a board with none is good';

COMMENT ON COLUMN board_state.by IS 'a person, or check N';

COMMENT ON COLUMN board_state.new_band IS 'checks before it are no part of the band any more: the board was repaired or changed';

ALTER TABLE board_state ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME board_state_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE board_type (
    name text NOT NULL,
    arch text NOT NULL,
    deterministic boolean NOT NULL,
    cpus integer NOT NULL,
    limits text,
    CONSTRAINT board_type_cpus_check CHECK ((cpus > 0))
);

COMMENT ON TABLE board_type IS 'a kind of board: all that must be equal for two numbers to be compared';

COMMENT ON COLUMN board_type.deterministic IS 'equal run keys give equal samples, so a repeat is no second observation';

COMMENT ON COLUMN board_type.limits IS 'what its numbers cannot show; said wherever they are shown';

CREATE TABLE branch_commit (
    tree text NOT NULL,
    branch text NOT NULL,
    commit text NOT NULL,
    line integer NOT NULL,
    number integer NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT branch_commit_commit_check CHECK ((commit ~ '^([0-9a-f]{40}|[0-9a-f]{64})$'::text))
);

COMMENT ON TABLE branch_commit IS 'place of each commit that was built for a branch: by line, then by number';

COMMENT ON COLUMN branch_commit.line IS 'that of the branch when the commit was last seen in it';

COMMENT ON COLUMN branch_commit.seen_at IS 'when it was first on record at this place';

CREATE TABLE branch_head (
    tree text NOT NULL,
    branch text NOT NULL,
    line integer NOT NULL,
    commit text NOT NULL,
    number integer NOT NULL,
    rewritten_at timestamp with time zone,
    looked_at timestamp with time zone NOT NULL,
    CONSTRAINT branch_head_commit_check CHECK ((commit ~ '^([0-9a-f]{40}|[0-9a-f]{64})$'::text))
);

COMMENT ON TABLE branch_head IS 'head of each branch as a build of it saw it last';

COMMENT ON COLUMN branch_head.line IS 'how often the branch was seen rewritten, or reset to an older commit';

COMMENT ON COLUMN branch_head.number IS 'commits of its first-parent history, the head included';

COMMENT ON COLUMN branch_head.rewritten_at IS 'when a mirror last noticed that it was rewritten; null: never';

COMMENT ON COLUMN branch_head.looked_at IS 'when the build looked, by the clock of its host';

CREATE TABLE build (
    id bigint NOT NULL,
    kernel bigint NOT NULL,
    bundle_digest character(64) NOT NULL,
    outcome outcome_kind NOT NULL,
    reason text,
    release text,
    image_sha256 character(64),
    config_sha256 character(64),
    toolchain text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    location text NOT NULL,
    document jsonb NOT NULL,
    CONSTRAINT build_check CHECK (((outcome = 'complete'::outcome_kind) = (reason IS NULL))),
    CONSTRAINT build_check1 CHECK (((outcome <> 'complete'::outcome_kind) OR ((image_sha256 IS NOT NULL) AND (config_sha256 IS NOT NULL)))),
    CONSTRAINT build_outcome_check CHECK ((outcome = ANY (ARRAY['complete'::outcome_kind, 'patch_failed'::outcome_kind, 'build_failed'::outcome_kind])))
);

COMMENT ON TABLE build IS 'one attempt to build one kernel';

COMMENT ON COLUMN build.bundle_digest IS 'SHA-256 of the canonical JSON of build.json: one bundle is one row';

COMMENT ON COLUMN build.reason IS 'first error of a build that failed';

COMMENT ON COLUMN build.release IS 'what uname -r says';

COMMENT ON COLUMN build.location IS 'folder of the bundle when it was ingested; relative: below the state folder, see in_state';

COMMENT ON COLUMN build.document IS 'build.json as it was ingested';

ALTER TABLE build ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME build_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE change_point (
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

COMMENT ON TABLE change_point IS 'steps in the history of a series along a branch';

COMMENT ON COLUMN change_point.kernel IS 'first kernel of the new segment; before_kernel is the last of the old one';

COMMENT ON COLUMN change_point.cause IS 'board: the baseline kernel stepped with it';

COMMENT ON COLUMN change_point.withdrawn_at IS 'later data removed it; null: it stands';

ALTER TABLE change_point ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME change_point_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE comparison (
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
    baseline text,
    said bigint DEFAULT nextval('said'::regclass) NOT NULL,
    judge text,
    CONSTRAINT comparison_check CHECK (((plan IS NULL) = (stage IS NULL))),
    CONSTRAINT comparison_check1 CHECK (((round IS NOT NULL) = ((stage IS NOT NULL) AND (stage = 'confirm'::text)))),
    CONSTRAINT comparison_role_check CHECK ((role = ANY (ARRAY['baseline'::text, 'parent'::text]))),
    CONSTRAINT comparison_round_check CHECK ((round > 0)),
    CONSTRAINT comparison_stage_check CHECK ((stage = ANY (ARRAY['screen'::text, 'confirm'::text])))
);

COMMENT ON TABLE comparison IS 'two kernels on one board type, over the runs that were on record then';

COMMENT ON COLUMN comparison.inputs IS 'digest of kernels, knobs, runs, builds and declared metrics: equal inputs are stored once';

COMMENT ON COLUMN comparison.factors IS 'what differs on purpose: factor -> {base, new}';

COMMENT ON COLUMN comparison.failed_builds IS 'builds of either kernel that failed';

COMMENT ON COLUMN comparison.failed_runs IS 'runs of either kernel that panicked, hung or failed';

COMMENT ON COLUMN comparison.notes IS 'runs that were left out and why, repeats that disagree';

COMMENT ON COLUMN comparison.plan IS 'plan whose entries alone were compared; null: every run on record';

COMMENT ON COLUMN comparison.stage IS 'screen: the boots of every kernel; confirm: the fresh boots that a suspicion asked for';

COMMENT ON COLUMN comparison.scope IS 'what counted: [{benchmark, parameters, first, last}], seeds first to last, null: any; []: all there was';

COMMENT ON COLUMN comparison.round IS 'of stage confirm: fresh boots are doubled from round to round';

COMMENT ON COLUMN comparison.role IS 'what the base is to the new kernel; null: a person named both';

COMMENT ON COLUMN comparison.synthetic IS 'of figures from a report, not from boots';

COMMENT ON COLUMN comparison.baseline IS 'where role is baseline: tree and ref as the settings have it, debian/v6.1.*; null: recorded before it was kept, or by hand';

COMMENT ON COLUMN comparison.said IS 'its place in the order of all that is said';

COMMENT ON COLUMN comparison.judge IS 'version of vlag and of its method that judged it; null: from before it was kept';

ALTER TABLE comparison ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME comparison_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE conditions (
    digest text NOT NULL,
    rule integer NOT NULL,
    document jsonb NOT NULL
);

COMMENT ON TABLE conditions IS 'what of run.json must not change within a history; few, as most boots share them';

COMMENT ON COLUMN conditions.rule IS 'number of the rule that read them (vlag/compare/conditions.py); runs with another one are read again';

COMMENT ON COLUMN conditions.document IS 'conditions, firmware and kconfig';

CREATE TABLE decided_differently (
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
    told jsonb NOT NULL,
    sentence text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    timeline bytea
);

COMMENT ON TABLE decided_differently IS 'the first decision of the scheduler that two kernels took differently in a benchmark, or that none differs';

COMMENT ON COLUMN decided_differently.base_runs IS 'the boots that were read, one a seed; they observe, and are in no comparison';

COMMENT ON COLUMN decided_differently.told IS 'what `vlag decisions --format json` prints: seeds, and the rules over all of them';

COMMENT ON COLUMN decided_differently.timeline IS 'a file of Perfetto, at most some MB, of the seed that is told of; null: no decision differs, or the row is older';

ALTER TABLE decided_differently ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME decided_differently_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE decision (
    said bigint DEFAULT nextval('said'::regclass) NOT NULL,
    suspicion bigint NOT NULL,
    stand stand_kind NOT NULL,
    boots integer NOT NULL,
    p double precision,
    decided_by bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    replaces bigint
);

COMMENT ON TABLE decision IS 'what a rerun says of a suspicion; the last one counts, and the others stay as they were said';

COMMENT ON COLUMN decision.boots IS 'rerun boots a side so far, the smaller side';

COMMENT ON COLUMN decision.p IS 'of no change at all, over the rerun boots and allowing for the rounds';

COMMENT ON COLUMN decision.decided_by IS 'the comparison of the rerun: its verdict rows have the figures, the boots and the judge';

COMMENT ON COLUMN decision.replaces IS 'the decision that it takes the place of; null: it is the first';

CREATE TABLE multiple_testing (
    id bigint NOT NULL,
    key character(64) NOT NULL,
    q double precision NOT NULL,
    tests integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    said bigint DEFAULT nextval('said'::regclass) NOT NULL
);

COMMENT ON TABLE multiple_testing IS 'the tests of one night, judged together so that the false discovery rate holds';

COMMENT ON COLUMN multiple_testing.key IS 'digest of its comparisons: one night is judged once';

ALTER TABLE multiple_testing ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME family_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE fix_search (
    bisection bigint NOT NULL,
    branch text NOT NULL,
    head text NOT NULL,
    commits text[] NOT NULL,
    subject text,
    release text,
    says_so boolean NOT NULL,
    "between" integer NOT NULL,
    recovered double precision,
    why text,
    document jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE fix_search IS 'a search for the commit that takes a loss back, from its culprit to a later head of a branch';

COMMENT ON COLUMN fix_search.commits IS 'the first that has the figure back; several where skipped commits hide which; none: no commit up to the head';

COMMENT ON COLUMN fix_search.release IS 'the first tag that has it; null: none has';

COMMENT ON COLUMN fix_search.says_so IS 'it names the culprit in a Fixes: line, or reverts it';

COMMENT ON COLUMN fix_search.recovered IS 'change of the figure from the culprit to the head, as part of the loss';

COMMENT ON COLUMN fix_search.why IS 'why none was found; null: one was';

COMMENT ON COLUMN fix_search.document IS 'the whole result, as vlag bisect --fix --format json prints it; null: none was found';

CREATE TABLE histogram (
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

COMMENT ON TABLE histogram IS 'a distribution of one series from one run, as the tool counted it';

COMMENT ON COLUMN histogram.bounds IS 'where each bucket begins, ascending; only buckets that were hit';

COMMENT ON COLUMN histogram.counts IS 'two dimensions: instances x bounds';

COMMENT ON COLUMN histogram.overflow IS 'samples beyond the last bucket, one number an instance';

COMMENT ON COLUMN histogram.overflow_from IS 'first value that counts as overflow';

COMMENT ON COLUMN histogram.maximum IS 'largest value seen, one number an instance';

COMMENT ON COLUMN histogram.expected IS 'samples that the parameters ask for, all instances together; null: no such number';

COMMENT ON COLUMN histogram.achieved IS 'samples that the tool took: what is missing is a tail nobody saw';

COMMENT ON COLUMN histogram."interval" IS 'distance of an instance''s cycles in the unit of the series, where the tool skips the cycles that are due while it waits; null: it does not, or nothing says so';

CREATE TABLE kernel (
    id bigint NOT NULL,
    digest character(64) NOT NULL,
    tree text NOT NULL,
    branch text NOT NULL,
    commit text NOT NULL,
    describe text NOT NULL,
    subject text NOT NULL,
    committed_at timestamp with time zone NOT NULL,
    series text,
    application text NOT NULL,
    variant text NOT NULL,
    arch text NOT NULL,
    kconfig character(64) NOT NULL,
    patches jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT kernel_commit_check CHECK ((commit ~ '^([0-9a-f]{40}|[0-9a-f]{64})$'::text))
);

COMMENT ON TABLE kernel IS 'tree @ commit + series application + build-time variant';

COMMENT ON COLUMN kernel.branch IS 'name of the first request: a branch, tag or commit; kernel_ref has all';

COMMENT ON COLUMN kernel.describe IS 'nearest tag and distance, for people';

COMMENT ON COLUMN kernel.series IS 'patch series of kernel-patches/; null: none';

COMMENT ON COLUMN kernel.application IS 'how much of the series is applied: none, full, solo(i), prefix(i), without(i)';

COMMENT ON COLUMN kernel.kconfig IS 'digest of the make target and all config fragments';

COMMENT ON COLUMN kernel.patches IS 'patches of the series that were applied, in order: [{name, sha256}]; the digest covers their sha256';

ALTER TABLE kernel ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kernel_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE kernel_ref (
    id bigint NOT NULL,
    kernel bigint NOT NULL,
    tree text NOT NULL,
    name text NOT NULL,
    is_branch boolean NOT NULL
);

COMMENT ON TABLE kernel_ref IS 'names that a kernel was asked for by, in the order of the first request';

COMMENT ON COLUMN kernel_ref.tree IS 'tree of the kernel, for the index';

COMMENT ON COLUMN kernel_ref.is_branch IS 'false: a tag or a commit, as of a baseline';

ALTER TABLE kernel_ref ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kernel_ref_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE lane_build (
    id bigint NOT NULL,
    tree text NOT NULL,
    commit text NOT NULL,
    subject text NOT NULL,
    parent text,
    lane text NOT NULL,
    outcome lane_outcome_kind NOT NULL,
    reason text,
    is_new boolean NOT NULL,
    warnings integer NOT NULL,
    unjudged text,
    toolchain text NOT NULL,
    record text NOT NULL,
    built_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT lane_build_check CHECK (((outcome = 'builds'::lane_outcome_kind) = (reason IS NULL))),
    CONSTRAINT lane_build_warnings_check CHECK ((warnings >= 0))
);

COMMENT ON TABLE lane_build IS 'a commit in a configuration of workers/lanes.toml that was only built';

COMMENT ON COLUMN lane_build.parent IS 'commit that it was held against; null: it has none';

COMMENT ON COLUMN lane_build.is_new IS 'the parent has another outcome; without a parent a break is new';

COMMENT ON COLUMN lane_build.warnings IS 'all warnings in scheduler code; lane_finding has the new ones';

COMMENT ON COLUMN lane_build.unjudged IS 'why no warning could be held against those of the parent';

COMMENT ON COLUMN lane_build.record IS 'folder with lane.json and the log of the build; relative: below the state folder, see in_state';

ALTER TABLE lane_build ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME lane_build_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE lane_finding (
    lane_build bigint NOT NULL,
    number integer NOT NULL,
    kind text NOT NULL,
    file text NOT NULL,
    line integer,
    message text NOT NULL,
    count integer NOT NULL,
    is_new boolean NOT NULL,
    CONSTRAINT lane_finding_kind_check CHECK ((kind = ANY (ARRAY['error'::text, 'warning'::text])))
);

COMMENT ON TABLE lane_finding IS 'an error of a lane that breaks, or a new warning in scheduler code';

COMMENT ON COLUMN lane_finding.file IS 'as the tree has it; empty where the tool names none';

COMMENT ON COLUMN lane_finding.count IS 'places of the file that have it';

CREATE TABLE message (
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
    CONSTRAINT message_channel_check CHECK (((channel = ANY (ARRAY['mail'::text, 'webhook'::text])) OR (channel ~~ 'webhook:%'::text))),
    CONSTRAINT message_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'handing over'::text, 'sent'::text, 'unconfirmed'::text, 'given up'::text])))
);

COMMENT ON TABLE message IS 'what is sent to people; a row is queued in the transaction that makes it due, so that none is lost or made twice';

COMMENT ON COLUMN message.key IS 'what it is about and for whom: one message for one night and recipient';

COMMENT ON COLUMN message.body IS 'the whole mail as it goes over the wire, or the JSON of a webhook';

COMMENT ON COLUMN message.state IS 'handing over: its last byte may have gone out; unconfirmed: we stopped just then, and nobody knows whether it arrived, so it is not sent again by itself';

COMMENT ON COLUMN message.said IS 'what the other side said last';

ALTER TABLE message ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME message_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE multiple_testing_verdict (
    multiple_testing bigint NOT NULL,
    verdict bigint NOT NULL,
    p double precision NOT NULL,
    told boolean NOT NULL
);

COMMENT ON TABLE multiple_testing_verdict IS 'changes that a night found, and whether they stand among all of its tests';

COMMENT ON COLUMN multiple_testing_verdict.p IS 'that counts in the family: of a confirmed one the screening level times p of the fresh boots';

CREATE TABLE night (
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
    conclusion text,
    CONSTRAINT night_check CHECK ((started_at <= finished_at))
);

COMMENT ON TABLE night IS 'one night that has ended, well or not';

COMMENT ON COLUMN night.key IS 'names the build of the night: one night is on record once';

COMMENT ON COLUMN night.branches IS 'what was watched: [{tree, branch, board_types}]';

COMMENT ON COLUMN night.missing IS 'what did not run and why, a sentence each';

COMMENT ON COLUMN night.notes IS 'head of its report';

COMMENT ON COLUMN night.url IS 'page of its build in Buildbot';

COMMENT ON COLUMN night.report IS 'path of the text report, below the state folder';

COMMENT ON COLUMN night.conclusion IS 'whether the branches are regressing, in a sentence without a stop, as of its end; null: it was not kept yet';

ALTER TABLE night ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME night_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE path_count (
    id bigint NOT NULL,
    digest character(64) NOT NULL,
    operations bigint NOT NULL,
    metrics jsonb NOT NULL,
    functions jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT path_count_operations_check CHECK ((operations > 0))
);

COMMENT ON TABLE path_count IS 'what a boot executed; kernels that execute the same share a row';

COMMENT ON COLUMN path_count.digest IS 'SHA-256 of the canonical JSON of operations, metrics and functions';

COMMENT ON COLUMN path_count.operations IS 'that the benchmark did';

COMMENT ON COLUMN path_count.metrics IS 'levels by metric in words, for an operation: [[metric, level]], in the order of lava-jobs/path-metrics.toml';

COMMENT ON COLUMN path_count.functions IS 'instructions of their own in the boot, by function';

ALTER TABLE path_count ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME path_count_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE path_point (
    id bigint NOT NULL,
    kernel bigint NOT NULL,
    board_type text NOT NULL,
    benchmark text NOT NULL,
    parameters jsonb NOT NULL,
    seed bigint NOT NULL,
    setup character(64) NOT NULL,
    program character(64),
    operation text NOT NULL,
    run bigint NOT NULL,
    path_count bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE path_point IS 'what an operation of a benchmark executes in a kernel, from one boot that counts and is never scored';

COMMENT ON COLUMN path_point.setup IS 'digest of all but the commit that counts depend on: board, emulator, userland, compiler, options of the build; only equal ones are compared';

COMMENT ON COLUMN path_point.program IS 'digest of what the kernel is loaded with, but for the lines that warnings name: kernels of one program share the counts that were first; null: its image is of a kind that is not read';

COMMENT ON COLUMN path_point.operation IS 'what a figure is for one of, as in "switch"';

COMMENT ON COLUMN path_point.run IS 'the boot; kernels with equal images share it';

ALTER TABLE path_point ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME path_point_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE prediction (
    comparison bigint NOT NULL,
    name text NOT NULL,
    good boolean NOT NULL,
    text text NOT NULL,
    said bigint DEFAULT nextval('said'::regclass) NOT NULL,
    replaces bigint,
    document jsonb,
    at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE prediction IS 'what comparisons say of the predictions in the header of a patch; the last one of a comparison counts, and the others stay as they were said';

COMMENT ON COLUMN prediction.name IS 'the patch with its knobs and the board type';

COMMENT ON COLUMN prediction.good IS 'all is as predicted; what could not be judged is not';

COMMENT ON COLUMN prediction.text IS 'the same in a few words';

COMMENT ON COLUMN prediction.said IS 'its place in the order of all that is said';

COMMENT ON COLUMN prediction.replaces IS 'the row that it takes the place of; null: it is the first';

COMMENT ON COLUMN prediction.document IS 'each flag that was expected, found, missed or not expected, and doubts; null: from before it was kept';

CREATE TABLE profile (
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
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    frames jsonb DEFAULT '[]'::jsonb NOT NULL
);

COMMENT ON TABLE profile IS 'what two kernels execute differently in a benchmark; instructions are for one operation, means over the boots';

COMMENT ON COLUMN profile.base_runs IS 'the boots that were counted; they observe, and are in no comparison';

COMMENT ON COLUMN profile.operation IS 'what a figure is for one of, as in "switch"';

COMMENT ON COLUMN profile.base_operations IS 'operations a boot';

COMMENT ON COLUMN profile.base_instructions IS 'instructions of the kernel; base_sched are those of kernel/sched among them';

COMMENT ON COLUMN profile.others IS 'functions that differ and have no row; others_change is the sum of their changes';

COMMENT ON COLUMN profile.decisions IS 'decisions of the scheduler an operation: [{what, base, new}]';

COMMENT ON COLUMN profile.frames IS 'the tree of calls: [[depth, function, base, new]], each before those it calls; instructions an operation with those of what it calls';

CREATE TABLE profile_function (
    profile bigint NOT NULL,
    number integer NOT NULL,
    name text NOT NULL,
    source text,
    base_calls double precision,
    base_instructions double precision,
    new_calls double precision,
    new_instructions double precision,
    change double precision NOT NULL,
    certain boolean NOT NULL,
    callers jsonb DEFAULT '[]'::jsonb NOT NULL
);

COMMENT ON TABLE profile_function IS 'the functions with the largest changes of a profile, the largest first';

COMMENT ON COLUMN profile_function.source IS 'its object file, as in kernel/sched/fair; null: unknown';

COMMENT ON COLUMN profile_function.base_calls IS 'calls an operation; null: this side never executed the function';

COMMENT ON COLUMN profile_function.change IS 'instructions an operation, new less base';

COMMENT ON COLUMN profile_function.certain IS 'boots of one kernel do not differ by as much';

COMMENT ON COLUMN profile_function.callers IS 'calls an operation by caller: [{name, base, new, certain}], the most frequent first';

ALTER TABLE profile ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME profile_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE profile_path (
    profile bigint NOT NULL,
    number integer NOT NULL,
    metric text NOT NULL,
    unit text NOT NULL,
    relevance double precision NOT NULL,
    base_values double precision[],
    new_values double precision[],
    base_level double precision,
    new_level double precision,
    verdict verdict_kind NOT NULL,
    effect double precision,
    ci_low double precision,
    ci_high double precision,
    p double precision,
    reason text NOT NULL
);

COMMENT ON TABLE profile_path IS 'a figure of the path of a profile with its verdict; less is better, all are for one operation';

COMMENT ON COLUMN profile_path.unit IS 'instructions, or calls of the function that metric names';

COMMENT ON COLUMN profile_path.relevance IS 'smallest relative change that matters, 0.002 = 0.2 %';

COMMENT ON COLUMN profile_path.base_values IS 'one a boot, in the order of the runs of the profile; null: this kernel has nothing to count';

COMMENT ON COLUMN profile_path.base_level IS 'geometric mean over boots; new_level = base_level * (1 + effect)';

COMMENT ON COLUMN profile_path.ci_low IS 'lower end of the 95 % interval of effect';

CREATE TABLE removal (
    id bigint NOT NULL,
    run bigint,
    build bigint,
    at timestamp with time zone DEFAULT now() NOT NULL,
    bytes bigint NOT NULL,
    why text NOT NULL,
    done_at timestamp with time zone,
    CONSTRAINT removal_check CHECK ((num_nonnulls(run, build) = 1))
);

COMMENT ON TABLE removal IS 'bundles that vlag gc has removed; their rows and figures stay';

COMMENT ON COLUMN removal.bytes IS 'of the files, as they were on the disk';

COMMENT ON COLUMN removal.why IS 'rule that removed it, as a sentence';

COMMENT ON COLUMN removal.done_at IS 'null: the removal was recorded, and some files may still be there';

ALTER TABLE removal ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME removal_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE run (
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
    outcome outcome_kind NOT NULL,
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
    reading integer DEFAULT 1 NOT NULL,
    CONSTRAINT run_check CHECK (((outcome = 'complete'::outcome_kind) = (reason IS NULL))),
    CONSTRAINT run_outcome_check CHECK ((outcome <> ALL (ARRAY['patch_failed'::outcome_kind, 'build_failed'::outcome_kind])))
);

COMMENT ON TABLE run IS 'one boot of one kernel on one board under one plan entry';

COMMENT ON COLUMN run.bundle_digest IS 'SHA-256 of the canonical JSON of run.json: one bundle is one row';

COMMENT ON COLUMN run.run_key IS 'digest of all that goes into the run; on a deterministic board equal keys give equal samples';

COMMENT ON COLUMN run.plan IS 'null: started by hand';

COMMENT ON COLUMN run.knobs IS 'run-time knobs that were asked for and read back';

COMMENT ON COLUMN run.estimate_s IS 'host seconds the run was expected to take';

COMMENT ON COLUMN run.environment IS 'what the board said about itself: file or section -> text, "unreadable: WHY" for what it could not read';

COMMENT ON COLUMN run.health IS 'alarms, stalls and taints of the kernel: [{kind, line, text, phase, detail}]; old bundles have no phase and detail';

COMMENT ON COLUMN run.emulator IS 'program, version and sha256; figures differ between versions; null on hardware';

COMMENT ON COLUMN run.suspect IS 'why a person took the run out of comparisons; null: it counts';

COMMENT ON COLUMN run.location IS 'folder of the bundle when it was ingested; relative: below the state folder, see in_state';

COMMENT ON COLUMN run.executor IS 'which LAVA ran it, job id';

COMMENT ON COLUMN run.synthetic IS 'figures from a report, not from a boot; never compared with those of boots';

COMMENT ON COLUMN run.document IS 'run.json as it was ingested; its command names a build as location does';

COMMENT ON COLUMN run.tool_version IS 'version of the tool that measured; null: no figures, or stored before it was noted';

COMMENT ON COLUMN run.observes IS 'what an extra boot observes; it is in no comparison, history or prior; null: a scored boot';

COMMENT ON COLUMN run.reading IS 'counts what the raw output was read as: a comparison of another reading is another comparison';

CREATE TABLE run_conditions (
    run bigint NOT NULL,
    conditions text NOT NULL
);

COMMENT ON TABLE run_conditions IS 'runs that were a part of a history';

ALTER TABLE run ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW run_in_doubt AS
 SELECT DISTINCT ON (r.id) r.id AS run,
    r.board,
    d.id AS doubt,
    d.since,
    c.sentence AS reason
   FROM ((board_doubt d
     JOIN board_check c ON ((c.id = d.found_by)))
     JOIN run r ON ((r.board = d.board)))
  WHERE ((d.lifted_at IS NULL) AND (NOT r.synthetic) AND ((d.since IS NULL) OR (r.finished_at > d.since)) AND ((d.until IS NULL) OR (r.started_at < d.until)))
  ORDER BY r.id, d.id;

COMMENT ON VIEW run_in_doubt IS 'runs that comparisons leave out because their board was not itself';

CREATE TABLE run_value (
    run bigint NOT NULL,
    series bigint NOT NULL,
    statistic text NOT NULL,
    at timestamp with time zone NOT NULL,
    value double precision NOT NULL
);

COMMENT ON TABLE run_value IS 'one number a boot, series and statistic: what panels plot and verdicts are made of; made from sample and histogram, and again by `vlag migrate` where missing';

COMMENT ON COLUMN run_value.at IS 'end of the run, so that a history needs no other table to find its newest part';

COMMENT ON COLUMN run_value.value IS 'in the unit of the series';

CREATE TABLE sample (
    run bigint NOT NULL,
    series bigint NOT NULL,
    "values" double precision[] NOT NULL,
    instances text[] NOT NULL,
    absent text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT sample_check CHECK ((cardinality("values") = cardinality(instances))),
    CONSTRAINT sample_check1 CHECK (((cardinality("values") + cardinality(absent)) > 0))
);

COMMENT ON TABLE sample IS 'numbers of one series from one run, in the order the tool gave them';

COMMENT ON COLUMN sample.instances IS 'one label a value; empty where the tool gives one figure';

COMMENT ON COLUMN sample.absent IS 'instances that the tool looked for and said are not there';

CREATE TABLE sampled_profile (
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
    event text NOT NULL,
    figures jsonb NOT NULL,
    sentence text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE sampled_profile IS 'where two kernels spend the cycles of a benchmark, sampled on a board with a PMU';

COMMENT ON COLUMN sampled_profile.base_runs IS 'the boots that were sampled; they observe, and are in no comparison';

COMMENT ON COLUMN sampled_profile.operation IS 'what a figure is for one of, as in "switch"';

COMMENT ON COLUMN sampled_profile.event IS 'what was sampled, as in "cycles"';

COMMENT ON COLUMN sampled_profile.figures IS 'what `vlag profile --format json` prints: kernel, user, functions and others, each {name, base, new, change, interval, certain}';

ALTER TABLE sampled_profile ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME sampled_profile_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE search_progress (
    comparison bigint NOT NULL,
    tree text NOT NULL,
    benchmark text NOT NULL,
    parameters jsonb NOT NULL,
    likeliest jsonb NOT NULL,
    credible integer NOT NULL,
    several double precision NOT NULL,
    ended boolean NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE search_progress IS 'a search for a commit that has named none so far; it stays when a commit is named';

COMMENT ON COLUMN search_progress.likeliest IS 'commit, subject and chance of the likeliest commits, these first';

COMMENT ON COLUMN search_progress.credible IS 'the fewest commits that together have the culprit with a chance of 0.95';

COMMENT ON COLUMN search_progress.several IS 'chance that no single commit made the change';

COMMENT ON COLUMN search_progress.ended IS 'the search has ended and names none';

CREATE TABLE series (
    id bigint NOT NULL,
    key character(64) NOT NULL,
    benchmark text NOT NULL,
    parameters jsonb NOT NULL,
    metric text NOT NULL,
    unit text NOT NULL,
    direction direction_kind NOT NULL,
    tool text NOT NULL,
    tool_version text NOT NULL,
    defaults jsonb NOT NULL,
    board_type text NOT NULL,
    joined_to bigint
);

COMMENT ON TABLE series IS 'what is measured; two values may be compared only with one series';

COMMENT ON COLUMN series.key IS 'digest of all other columns but direction';

COMMENT ON COLUMN series.tool_version IS 'version of the tool, or the first of a range within which the catalogue calls the metric one series, as in 0.15.06+';

COMMENT ON COLUMN series.defaults IS 'effective settings of the tool that change what the metric means';

COMMENT ON COLUMN series.joined_to IS 'the series that has its runs now, as its metric was measured under two names; null: it has its own';

ALTER TABLE series ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME series_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE shift (
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

COMMENT ON TABLE shift IS 'where a distribution moved between the two sides of a comparison, a boot being one observation';

COMMENT ON COLUMN shift.p IS 'of the null: the distribution is the same; by permutation of boots, over all quantiles at once';

COMMENT ON COLUMN shift.suspect IS 'some part moved beyond the relevance';

COMMENT ON COLUMN shift.quantiles IS '[{name, base, new, effect, low, high, p, moved}]: geometric means over boots in unit, relative effects with simultaneous 95 % intervals';

COMMENT ON COLUMN shift.unknown IS 'quantiles that some boot does not know';

COMMENT ON COLUMN shift.base_achieved IS 'share of the expected samples that was taken; null: the tool does not say';

CREATE TABLE subscription (
    name text NOT NULL,
    told bigint NOT NULL,
    digested date NOT NULL
);

COMMENT ON TABLE subscription IS 'how far the followers of the settings have been told; the settings say who they are and what they follow';

COMMENT ON COLUMN subscription.told IS 'the last event of an alert that was looked at for it';

COMMENT ON COLUMN subscription.digested IS 'the Monday of the last week of which it was told as a digest, or in which it was new';

CREATE TABLE suspicion (
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
    raised_by bigint,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    conditions text DEFAULT ''::text NOT NULL,
    said bigint DEFAULT nextval('said'::regclass) NOT NULL
);

COMMENT ON TABLE suspicion IS 'a change that a screen or a history saw; decisions of reruns say what became of it';

COMMENT ON COLUMN suspicion.worse IS 'which way: true is a regression';

COMMENT ON COLUMN suspicion.raised_by IS 'the screen; null: the watch on the history of the series';

COMMENT ON COLUMN suspicion.conditions IS 'those of the verdict that raised it; empty: not kept yet';

ALTER TABLE suspicion ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME suspicion_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE try (
    id bigint NOT NULL,
    asked_at timestamp with time zone DEFAULT now() NOT NULL,
    ended_at timestamp with time zone,
    by text NOT NULL,
    title text NOT NULL,
    patches integer NOT NULL,
    mbox bytea NOT NULL,
    against bytea,
    tree text NOT NULL,
    base text NOT NULL,
    plan text NOT NULL,
    board_type text NOT NULL,
    each boolean NOT NULL,
    state try_state_kind DEFAULT 'waiting'::try_state_kind NOT NULL,
    reason text,
    commit text,
    boots integer,
    comparisons bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    CONSTRAINT try_patches_check CHECK ((patches > 0))
);

COMMENT ON TABLE try IS 'a series of patches that somebody has sent on the pages, with its result';

COMMENT ON COLUMN try.mbox IS 'the mails as they were sent; their digest names the series';

COMMENT ON COLUMN try.against IS 'an earlier version of the series, which is the base then';

COMMENT ON COLUMN try.base IS 'the watched branch; commit is its head when the try began';

COMMENT ON COLUMN try.each IS 'each patch on those before it is measured as well';

COMMENT ON COLUMN try.boots IS 'planned boots of all kernels; null: it has not begun';

ALTER TABLE try ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME try_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE verdict (
    id bigint NOT NULL,
    comparison bigint NOT NULL,
    benchmark text NOT NULL,
    parameters jsonb NOT NULL,
    metric text NOT NULL,
    statistic text NOT NULL,
    series_base bigint,
    series_new bigint,
    unit text NOT NULL,
    direction direction_kind NOT NULL,
    base_value double precision,
    new_value double precision,
    effect double precision,
    ci_low double precision,
    ci_high double precision,
    n_base integer NOT NULL,
    n_new integer NOT NULL,
    p double precision,
    verdict verdict_kind NOT NULL,
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
    stand stand_kind,
    confirmable boolean DEFAULT true NOT NULL,
    conditions character(64),
    mode text,
    conditional_effect double precision,
    conditional_low double precision,
    conditional_high double precision
);

COMMENT ON COLUMN verdict.statistic IS 'median of the numbers of a boot, or of a distribution: p50, p90, p99, p99.9, p99.99, max';

COMMENT ON COLUMN verdict.series_base IS 'null: the base has no run of it';

COMMENT ON COLUMN verdict.base_value IS 'level that the effect is computed from, in unit: geometric mean over boots, a boot below one step of the tool counting as one step; 0 where every boot of both sides gave 0';

COMMENT ON COLUMN verdict.effect IS 'relative change, 0.01 = 1 %';

COMMENT ON COLUMN verdict.ci_low IS 'lower end of the 95 % interval of effect';

COMMENT ON COLUMN verdict.n_base IS 'boots; the unit of replication';

COMMENT ON COLUMN verdict.p IS 'p of the null: the change is within the relevance';

COMMENT ON COLUMN verdict.reason IS 'why the verdict is what it is, one sentence';

COMMENT ON COLUMN verdict.hint IS 'a cross-CPU figure of a deterministic board: may raise a suspicion, confirms nothing';

COMMENT ON COLUMN verdict.base_runs IS 'runs whose numbers were used';

COMMENT ON COLUMN verdict.base_achieved IS 'samples taken in all boots of the base; null where the metric is no histogram';

COMMENT ON COLUMN verdict.base_expected IS 'samples that were asked for in all boots of the base';

COMMENT ON COLUMN verdict.base_marked IS 'boots of the base whose kernel raised an alarm while measuring; their numbers count';

COMMENT ON COLUMN verdict.new_marked IS 'boots of the new kernel with such an alarm';

COMMENT ON COLUMN verdict.p_zero IS 'p of the null: there is no change at all; of stage confirm allowing for the rounds';

COMMENT ON COLUMN verdict.boots_needed IS 'boots a side that would decide; null: decided, or more than anybody runs';

COMMENT ON COLUMN verdict.suspect IS 'worth fresh boots, which alone may confirm it';

COMMENT ON COLUMN verdict.stand IS 'of stage confirm: what the fresh boots say of a change; null: not of that stage, or not comparable';

COMMENT ON COLUMN verdict.confirmable IS 'the plan has fresh boots that could settle a suspicion; true: or was made before this was noted';

COMMENT ON COLUMN verdict.conditions IS 'digest of all that the boots of both sides share beside the kernel: tool, compiler, set-up; null: they share less, or it was not kept yet';

COMMENT ON COLUMN verdict.mode IS 'the boots in a new mode, with their seeds; null: none are known';

COMMENT ON COLUMN verdict.conditional_effect IS 'a confirmed change given that it passed, with the interval conditional_low to conditional_high; null: effect needs no correction, nothing is confirmed, or it was not kept yet';

ALTER TABLE verdict ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME verdict_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY alert_event
    ADD CONSTRAINT alert_event_pkey PRIMARY KEY (id);

ALTER TABLE ONLY alert
    ADD CONSTRAINT alert_key_key UNIQUE (key);

ALTER TABLE ONLY alert_pin
    ADD CONSTRAINT alert_pin_pkey PRIMARY KEY (scope, benchmark);

ALTER TABLE ONLY alert
    ADD CONSTRAINT alert_pkey PRIMARY KEY (id);

ALTER TABLE ONLY alert_text
    ADD CONSTRAINT alert_text_pkey PRIMARY KEY (said);

ALTER TABLE ONLY alert_text
    ADD CONSTRAINT alert_text_replaces_key UNIQUE (replaces);

ALTER TABLE ONLY alert_verdict
    ADD CONSTRAINT alert_verdict_pkey PRIMARY KEY (alert, verdict);

ALTER TABLE ONLY bisection_comparison
    ADD CONSTRAINT bisection_comparison_pkey PRIMARY KEY (comparison, bisection);

ALTER TABLE ONLY bisection
    ADD CONSTRAINT bisection_pkey PRIMARY KEY (id);

ALTER TABLE ONLY bisection
    ADD CONSTRAINT bisection_tree_good_bad_board_type_benchmark_parameters_kno_key UNIQUE (tree, good, bad, board_type, benchmark, parameters, knobs, metric, statistic);

ALTER TABLE ONLY board_check
    ADD CONSTRAINT board_check_pkey PRIMARY KEY (id);

ALTER TABLE ONLY board_check
    ADD CONSTRAINT board_check_run_key UNIQUE (run);

ALTER TABLE ONLY board_doubt
    ADD CONSTRAINT board_doubt_pkey PRIMARY KEY (id);

ALTER TABLE ONLY board
    ADD CONSTRAINT board_pkey PRIMARY KEY (name);

ALTER TABLE ONLY board_state
    ADD CONSTRAINT board_state_pkey PRIMARY KEY (id);

ALTER TABLE ONLY board_type
    ADD CONSTRAINT board_type_pkey PRIMARY KEY (name);

ALTER TABLE ONLY branch_commit
    ADD CONSTRAINT branch_commit_pkey PRIMARY KEY (tree, branch, commit);

ALTER TABLE ONLY branch_head
    ADD CONSTRAINT branch_head_pkey PRIMARY KEY (tree, branch);

ALTER TABLE ONLY build
    ADD CONSTRAINT build_bundle_digest_key UNIQUE (bundle_digest);

ALTER TABLE ONLY build
    ADD CONSTRAINT build_pkey PRIMARY KEY (id);

ALTER TABLE ONLY change_point
    ADD CONSTRAINT change_point_pkey PRIMARY KEY (id);

ALTER TABLE ONLY change_point
    ADD CONSTRAINT change_point_series_statistic_tree_branch_kernel_key UNIQUE (series, statistic, tree, branch, kernel);

ALTER TABLE ONLY comparison
    ADD CONSTRAINT comparison_inputs_key UNIQUE (inputs);

ALTER TABLE ONLY comparison
    ADD CONSTRAINT comparison_pkey PRIMARY KEY (id);

ALTER TABLE ONLY comparison
    ADD CONSTRAINT comparison_said_key UNIQUE (said);

ALTER TABLE ONLY conditions
    ADD CONSTRAINT conditions_pkey PRIMARY KEY (digest);

ALTER TABLE ONLY decided_differently
    ADD CONSTRAINT decided_differently_base_kernel_new_kernel_base_knobs_new_k_key UNIQUE (base_kernel, new_kernel, base_knobs, new_knobs, board_type, benchmark, parameters);

ALTER TABLE ONLY decided_differently
    ADD CONSTRAINT decided_differently_pkey PRIMARY KEY (id);

ALTER TABLE ONLY decision
    ADD CONSTRAINT decision_pkey PRIMARY KEY (said);

ALTER TABLE ONLY decision
    ADD CONSTRAINT decision_replaces_key UNIQUE (replaces);

ALTER TABLE ONLY multiple_testing
    ADD CONSTRAINT family_key_key UNIQUE (key);

ALTER TABLE ONLY multiple_testing
    ADD CONSTRAINT family_pkey PRIMARY KEY (id);

ALTER TABLE ONLY multiple_testing_verdict
    ADD CONSTRAINT family_verdict_pkey PRIMARY KEY (multiple_testing, verdict);

ALTER TABLE ONLY fix_search
    ADD CONSTRAINT fix_search_pkey PRIMARY KEY (bisection, branch);

ALTER TABLE ONLY histogram
    ADD CONSTRAINT histogram_pkey PRIMARY KEY (run, series);

ALTER TABLE ONLY kernel
    ADD CONSTRAINT kernel_digest_key UNIQUE (digest);

ALTER TABLE ONLY kernel
    ADD CONSTRAINT kernel_pkey PRIMARY KEY (id);

ALTER TABLE ONLY kernel_ref
    ADD CONSTRAINT kernel_ref_kernel_name_key UNIQUE (kernel, name);

ALTER TABLE ONLY kernel_ref
    ADD CONSTRAINT kernel_ref_pkey PRIMARY KEY (id);

ALTER TABLE ONLY lane_build
    ADD CONSTRAINT lane_build_pkey PRIMARY KEY (id);

ALTER TABLE ONLY lane_build
    ADD CONSTRAINT lane_build_tree_commit_lane_key UNIQUE (tree, commit, lane);

ALTER TABLE ONLY lane_finding
    ADD CONSTRAINT lane_finding_pkey PRIMARY KEY (lane_build, number);

ALTER TABLE ONLY message
    ADD CONSTRAINT message_key_key UNIQUE (key);

ALTER TABLE ONLY message
    ADD CONSTRAINT message_pkey PRIMARY KEY (id);

ALTER TABLE ONLY multiple_testing
    ADD CONSTRAINT multiple_testing_said_key UNIQUE (said);

ALTER TABLE ONLY night
    ADD CONSTRAINT night_key_key UNIQUE (key);

ALTER TABLE ONLY night
    ADD CONSTRAINT night_pkey PRIMARY KEY (id);

ALTER TABLE ONLY path_count
    ADD CONSTRAINT path_count_digest_key UNIQUE (digest);

ALTER TABLE ONLY path_count
    ADD CONSTRAINT path_count_pkey PRIMARY KEY (id);

ALTER TABLE ONLY path_point
    ADD CONSTRAINT path_point_kernel_board_type_benchmark_parameters_seed_setu_key UNIQUE (kernel, board_type, benchmark, parameters, seed, setup);

ALTER TABLE ONLY path_point
    ADD CONSTRAINT path_point_pkey PRIMARY KEY (id);

ALTER TABLE ONLY prediction
    ADD CONSTRAINT prediction_pkey PRIMARY KEY (said);

ALTER TABLE ONLY prediction
    ADD CONSTRAINT prediction_replaces_key UNIQUE (replaces);

ALTER TABLE ONLY profile
    ADD CONSTRAINT profile_base_kernel_new_kernel_base_knobs_new_knobs_board_t_key UNIQUE (base_kernel, new_kernel, base_knobs, new_knobs, board_type, benchmark, parameters);

ALTER TABLE ONLY profile_function
    ADD CONSTRAINT profile_function_pkey PRIMARY KEY (profile, number);

ALTER TABLE ONLY profile_path
    ADD CONSTRAINT profile_path_pkey PRIMARY KEY (profile, number);

ALTER TABLE ONLY profile_path
    ADD CONSTRAINT profile_path_profile_metric_key UNIQUE (profile, metric);

ALTER TABLE ONLY profile
    ADD CONSTRAINT profile_pkey PRIMARY KEY (id);

ALTER TABLE ONLY removal
    ADD CONSTRAINT removal_build_key UNIQUE (build);

ALTER TABLE ONLY removal
    ADD CONSTRAINT removal_pkey PRIMARY KEY (id);

ALTER TABLE ONLY removal
    ADD CONSTRAINT removal_run_key UNIQUE (run);

ALTER TABLE ONLY run
    ADD CONSTRAINT run_bundle_digest_key UNIQUE (bundle_digest);

ALTER TABLE ONLY run_conditions
    ADD CONSTRAINT run_conditions_pkey PRIMARY KEY (run);

ALTER TABLE ONLY run
    ADD CONSTRAINT run_pkey PRIMARY KEY (id);

ALTER TABLE ONLY run_value
    ADD CONSTRAINT run_value_pkey PRIMARY KEY (run, series, statistic);

ALTER TABLE ONLY sample
    ADD CONSTRAINT sample_pkey PRIMARY KEY (run, series);

ALTER TABLE ONLY sampled_profile
    ADD CONSTRAINT sampled_profile_base_kernel_new_kernel_base_knobs_new_knobs_key UNIQUE (base_kernel, new_kernel, base_knobs, new_knobs, board_type, benchmark, parameters);

ALTER TABLE ONLY sampled_profile
    ADD CONSTRAINT sampled_profile_pkey PRIMARY KEY (id);

ALTER TABLE ONLY search_progress
    ADD CONSTRAINT search_progress_pkey PRIMARY KEY (comparison, benchmark, parameters);

ALTER TABLE ONLY series
    ADD CONSTRAINT series_key_key UNIQUE (key);

ALTER TABLE ONLY series
    ADD CONSTRAINT series_pkey PRIMARY KEY (id);

ALTER TABLE ONLY shift
    ADD CONSTRAINT shift_pkey PRIMARY KEY (comparison, benchmark, parameters, metric);

ALTER TABLE ONLY subscription
    ADD CONSTRAINT subscription_pkey PRIMARY KEY (name);

ALTER TABLE ONLY suspicion
    ADD CONSTRAINT suspicion_pkey PRIMARY KEY (id);

ALTER TABLE ONLY suspicion
    ADD CONSTRAINT suspicion_said_key UNIQUE (said);

ALTER TABLE ONLY suspicion
    ADD CONSTRAINT suspicion_subject UNIQUE (base_kernel, new_kernel, base_knobs, new_knobs, board_type, benchmark, parameters, metric, statistic, conditions);

ALTER TABLE ONLY try
    ADD CONSTRAINT try_pkey PRIMARY KEY (id);

ALTER TABLE ONLY verdict
    ADD CONSTRAINT verdict_comparison_benchmark_parameters_metric_statistic_key UNIQUE (comparison, benchmark, parameters, metric, statistic);

ALTER TABLE ONLY verdict
    ADD CONSTRAINT verdict_pkey PRIMARY KEY (id);

CREATE INDEX alert_event_alert ON alert_event USING btree (alert, id);

CREATE INDEX alert_open ON alert USING btree (branch, board_type) WHERE (withdrawn_at IS NULL);

CREATE INDEX alert_pin_alert ON alert_pin USING btree (alert);

CREATE INDEX alert_pin_was ON alert_pin USING btree (was);

CREATE INDEX alert_text_alert ON alert_text USING btree (alert, said);

CREATE INDEX bisection_comparison_bisection ON bisection_comparison USING btree (bisection);

CREATE INDEX board_check_board ON board_check USING btree (board);

CREATE INDEX board_doubt_board ON board_doubt USING btree (board) WHERE (lifted_at IS NULL);

CREATE UNIQUE INDEX board_doubt_open ON board_doubt USING btree (board) WHERE (until IS NULL);

CREATE INDEX board_state_board ON board_state USING btree (board, id);

CREATE INDEX branch_commit_commit ON branch_commit USING btree (commit);

CREATE INDEX build_elsewhere ON build USING btree (id) WHERE (location ~~ '/%'::text);

CREATE INDEX build_finished_at ON build USING btree (finished_at);

CREATE INDEX build_image ON build USING btree (image_sha256, config_sha256);

CREATE INDEX build_kernel ON build USING btree (kernel);

CREATE INDEX comparison_created_at ON comparison USING btree (created_at);

CREATE INDEX comparison_kernels ON comparison USING btree (new_kernel, base_kernel);

CREATE INDEX comparison_latest ON comparison USING btree (board_type, new_kernel, id);

CREATE INDEX comparison_unnamed ON comparison USING btree (base_kernel) WHERE ((role = 'baseline'::text) AND (baseline IS NULL));

CREATE INDEX decided_differently_new_kernel ON decided_differently USING btree (new_kernel);

CREATE INDEX decision_suspicion ON decision USING btree (suspicion, said);

CREATE INDEX histogram_series ON histogram USING btree (series);

CREATE INDEX kernel_commit ON kernel USING btree (commit);

CREATE INDEX kernel_ref_branch ON kernel_ref USING btree (tree, name) WHERE is_branch;

CREATE INDEX kernel_ref_branch_name ON kernel_ref USING btree ((((tree || '/'::text) || name))) WHERE is_branch;

CREATE INDEX kernel_subject ON kernel USING btree (subject);

CREATE INDEX message_due ON message USING btree (next_at) WHERE (state = ANY (ARRAY['queued'::text, 'handing over'::text]));

CREATE INDEX multiple_testing_verdict_verdict ON multiple_testing_verdict USING btree (verdict);

CREATE INDEX night_finished_at ON night USING btree (finished_at);

CREATE INDEX path_point_path_count ON path_point USING btree (path_count);

CREATE INDEX path_point_run ON path_point USING btree (run);

CREATE INDEX prediction_comparison ON prediction USING btree (comparison, said);

CREATE INDEX profile_new_kernel ON profile USING btree (new_kernel);

CREATE INDEX run_board ON run USING btree (board, finished_at) INCLUDE (board_type, started_at, outcome, synthetic);

CREATE INDEX run_board_type ON run USING btree (board_type, kernel, benchmark);

CREATE INDEX run_elsewhere ON run USING btree (id) WHERE (location ~~ '/%'::text);

CREATE INDEX run_finished_at ON run USING btree (finished_at);

CREATE INDEX run_image ON run USING btree (image_sha256, config_sha256);

CREATE INDEX run_kernel ON run USING btree (kernel);

CREATE INDEX run_run_key ON run USING btree (run_key);

CREATE INDEX run_suspect ON run USING btree (finished_at) WHERE (suspect IS NOT NULL);

CREATE INDEX run_took ON run USING btree (date_part('epoch'::text, (finished_at - started_at)));

CREATE INDEX run_value_history ON run_value USING btree (series, statistic, at) INCLUDE (value, run);

CREATE INDEX sample_series ON sample USING btree (series);

CREATE INDEX sampled_profile_new_kernel ON sampled_profile USING btree (new_kernel);

CREATE INDEX series_board_type ON series USING btree (board_type, benchmark);

CREATE INDEX try_open ON try USING btree (id) WHERE (state = ANY (ARRAY['waiting'::try_state_kind, 'running'::try_state_kind]));

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON alert FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON alert_event FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON alert_pin FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON alert_text FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON alert_verdict FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON bisection FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON bisection_comparison FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON board FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON board_check FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON board_doubt FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON board_state FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON board_type FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON branch_commit FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON branch_head FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON build FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON change_point FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON comparison FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON conditions FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON decided_differently FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON decision FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON fix_search FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON kernel FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON kernel_ref FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON lane_build FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON lane_finding FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON message FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON multiple_testing FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON multiple_testing_verdict FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON night FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON path_count FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON path_point FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON prediction FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON profile FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON profile_function FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON profile_path FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON removal FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON run FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON run_conditions FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON run_value FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON sampled_profile FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON search_progress FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON series FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON shift FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON subscription FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON suspicion FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON try FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON verdict FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_code();

CREATE TRIGGER stays BEFORE DELETE OR UPDATE ON alert_text FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

CREATE TRIGGER stays BEFORE DELETE OR UPDATE OF id, inputs, base_kernel, new_kernel, board_type, base_knobs, new_knobs, plan, stage, round, scope, synthetic, failed_builds, failed_runs, said, judge ON comparison FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

CREATE TRIGGER stays BEFORE DELETE OR UPDATE ON decision FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

CREATE TRIGGER stays BEFORE DELETE OR UPDATE ON multiple_testing FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

CREATE TRIGGER stays BEFORE DELETE OR UPDATE ON multiple_testing_verdict FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

CREATE TRIGGER stays BEFORE DELETE OR UPDATE ON prediction FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

CREATE TRIGGER stays BEFORE DELETE OR UPDATE OF comparison, unit, p, suspect, worse, better, headline, quantiles, unknown, base_achieved, new_achieved ON shift FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

CREATE TRIGGER stays BEFORE DELETE OR UPDATE OF base_kernel, new_kernel, base_knobs, new_knobs, board_type, statistic, conditions, worse, hint, raised_by, said ON suspicion FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

CREATE TRIGGER stays BEFORE DELETE OR UPDATE OF comparison, statistic, unit, direction, base_value, new_value, effect, ci_low, ci_high, n_base, n_new, p, p_zero, verdict, reason, hint, base_runs, new_runs, base_achieved, base_expected, new_achieved, new_expected, base_marked, new_marked, boots_needed, suspect, confirmable, stand, conditions ON verdict FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();

ALTER TABLE ONLY alert
    ADD CONSTRAINT alert_base_kernel_fkey FOREIGN KEY (base_kernel) REFERENCES kernel(id);

ALTER TABLE ONLY alert
    ADD CONSTRAINT alert_board_fkey FOREIGN KEY (board) REFERENCES board(name);

ALTER TABLE ONLY alert
    ADD CONSTRAINT alert_board_type_fkey FOREIGN KEY (board_type) REFERENCES board_type(name);

ALTER TABLE ONLY alert
    ADD CONSTRAINT alert_change_point_fkey FOREIGN KEY (change_point) REFERENCES change_point(id);

ALTER TABLE ONLY alert_event
    ADD CONSTRAINT alert_event_alert_fkey FOREIGN KEY (alert) REFERENCES alert(id);

ALTER TABLE ONLY alert
    ADD CONSTRAINT alert_new_kernel_fkey FOREIGN KEY (new_kernel) REFERENCES kernel(id);

ALTER TABLE ONLY alert_pin
    ADD CONSTRAINT alert_pin_alert_fkey FOREIGN KEY (alert) REFERENCES alert(id);

ALTER TABLE ONLY alert_pin
    ADD CONSTRAINT alert_pin_was_fkey FOREIGN KEY (was) REFERENCES alert(id);

ALTER TABLE ONLY alert_text
    ADD CONSTRAINT alert_text_alert_fkey FOREIGN KEY (alert) REFERENCES alert(id);

ALTER TABLE ONLY alert_text
    ADD CONSTRAINT alert_text_replaces_fkey FOREIGN KEY (replaces) REFERENCES alert_text(said);

ALTER TABLE ONLY alert_verdict
    ADD CONSTRAINT alert_verdict_alert_fkey FOREIGN KEY (alert) REFERENCES alert(id);

ALTER TABLE ONLY alert_verdict
    ADD CONSTRAINT alert_verdict_verdict_fkey FOREIGN KEY (verdict) REFERENCES verdict(id);

ALTER TABLE ONLY bisection_comparison
    ADD CONSTRAINT bisection_comparison_bisection_fkey FOREIGN KEY (bisection) REFERENCES bisection(id) ON DELETE CASCADE;

ALTER TABLE ONLY bisection_comparison
    ADD CONSTRAINT bisection_comparison_comparison_fkey FOREIGN KEY (comparison) REFERENCES comparison(id);

ALTER TABLE ONLY board
    ADD CONSTRAINT board_board_type_fkey FOREIGN KEY (board_type) REFERENCES board_type(name);

ALTER TABLE ONLY board_check
    ADD CONSTRAINT board_check_board_fkey FOREIGN KEY (board) REFERENCES board(name);

ALTER TABLE ONLY board_check
    ADD CONSTRAINT board_check_run_fkey FOREIGN KEY (run) REFERENCES run(id);

ALTER TABLE ONLY board_doubt
    ADD CONSTRAINT board_doubt_board_fkey FOREIGN KEY (board) REFERENCES board(name);

ALTER TABLE ONLY board_doubt
    ADD CONSTRAINT board_doubt_found_by_fkey FOREIGN KEY (found_by) REFERENCES board_check(id);

ALTER TABLE ONLY board_state
    ADD CONSTRAINT board_state_board_fkey FOREIGN KEY (board) REFERENCES board(name);

ALTER TABLE ONLY build
    ADD CONSTRAINT build_kernel_fkey FOREIGN KEY (kernel) REFERENCES kernel(id);

ALTER TABLE ONLY change_point
    ADD CONSTRAINT change_point_before_kernel_fkey FOREIGN KEY (before_kernel) REFERENCES kernel(id);

ALTER TABLE ONLY change_point
    ADD CONSTRAINT change_point_kernel_fkey FOREIGN KEY (kernel) REFERENCES kernel(id);

ALTER TABLE ONLY change_point
    ADD CONSTRAINT change_point_series_fkey FOREIGN KEY (series) REFERENCES series(id);

ALTER TABLE ONLY comparison
    ADD CONSTRAINT comparison_base_kernel_fkey FOREIGN KEY (base_kernel) REFERENCES kernel(id);

ALTER TABLE ONLY comparison
    ADD CONSTRAINT comparison_board_type_fkey FOREIGN KEY (board_type) REFERENCES board_type(name);

ALTER TABLE ONLY comparison
    ADD CONSTRAINT comparison_new_kernel_fkey FOREIGN KEY (new_kernel) REFERENCES kernel(id);

ALTER TABLE ONLY decided_differently
    ADD CONSTRAINT decided_differently_base_kernel_fkey FOREIGN KEY (base_kernel) REFERENCES kernel(id);

ALTER TABLE ONLY decided_differently
    ADD CONSTRAINT decided_differently_new_kernel_fkey FOREIGN KEY (new_kernel) REFERENCES kernel(id);

ALTER TABLE ONLY decision
    ADD CONSTRAINT decision_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES comparison(id);

ALTER TABLE ONLY decision
    ADD CONSTRAINT decision_replaces_fkey FOREIGN KEY (replaces) REFERENCES decision(said);

ALTER TABLE ONLY decision
    ADD CONSTRAINT decision_suspicion_fkey FOREIGN KEY (suspicion) REFERENCES suspicion(id);

ALTER TABLE ONLY multiple_testing_verdict
    ADD CONSTRAINT family_verdict_family_fkey FOREIGN KEY (multiple_testing) REFERENCES multiple_testing(id);

ALTER TABLE ONLY multiple_testing_verdict
    ADD CONSTRAINT family_verdict_verdict_fkey FOREIGN KEY (verdict) REFERENCES verdict(id);

ALTER TABLE ONLY fix_search
    ADD CONSTRAINT fix_search_bisection_fkey FOREIGN KEY (bisection) REFERENCES bisection(id) ON DELETE CASCADE;

ALTER TABLE ONLY histogram
    ADD CONSTRAINT histogram_run_fkey FOREIGN KEY (run) REFERENCES run(id);

ALTER TABLE ONLY histogram
    ADD CONSTRAINT histogram_series_fkey FOREIGN KEY (series) REFERENCES series(id);

ALTER TABLE ONLY kernel_ref
    ADD CONSTRAINT kernel_ref_kernel_fkey FOREIGN KEY (kernel) REFERENCES kernel(id);

ALTER TABLE ONLY lane_finding
    ADD CONSTRAINT lane_finding_lane_build_fkey FOREIGN KEY (lane_build) REFERENCES lane_build(id) ON DELETE CASCADE;

ALTER TABLE ONLY message
    ADD CONSTRAINT message_night_fkey FOREIGN KEY (night) REFERENCES night(id);

ALTER TABLE ONLY night
    ADD CONSTRAINT night_family_fkey FOREIGN KEY (multiple_testing) REFERENCES multiple_testing(id);

ALTER TABLE ONLY path_point
    ADD CONSTRAINT path_point_kernel_fkey FOREIGN KEY (kernel) REFERENCES kernel(id);

ALTER TABLE ONLY path_point
    ADD CONSTRAINT path_point_path_count_fkey FOREIGN KEY (path_count) REFERENCES path_count(id);

ALTER TABLE ONLY path_point
    ADD CONSTRAINT path_point_run_fkey FOREIGN KEY (run) REFERENCES run(id);

ALTER TABLE ONLY prediction
    ADD CONSTRAINT prediction_comparison_fkey FOREIGN KEY (comparison) REFERENCES comparison(id);

ALTER TABLE ONLY prediction
    ADD CONSTRAINT prediction_replaces_fkey FOREIGN KEY (replaces) REFERENCES prediction(said);

ALTER TABLE ONLY profile
    ADD CONSTRAINT profile_base_kernel_fkey FOREIGN KEY (base_kernel) REFERENCES kernel(id);

ALTER TABLE ONLY profile_function
    ADD CONSTRAINT profile_function_profile_fkey FOREIGN KEY (profile) REFERENCES profile(id) ON DELETE CASCADE;

ALTER TABLE ONLY profile
    ADD CONSTRAINT profile_new_kernel_fkey FOREIGN KEY (new_kernel) REFERENCES kernel(id);

ALTER TABLE ONLY profile_path
    ADD CONSTRAINT profile_path_profile_fkey FOREIGN KEY (profile) REFERENCES profile(id) ON DELETE CASCADE;

ALTER TABLE ONLY removal
    ADD CONSTRAINT removal_build_fkey FOREIGN KEY (build) REFERENCES build(id) ON DELETE CASCADE;

ALTER TABLE ONLY removal
    ADD CONSTRAINT removal_run_fkey FOREIGN KEY (run) REFERENCES run(id) ON DELETE CASCADE;

ALTER TABLE ONLY run
    ADD CONSTRAINT run_board_fkey FOREIGN KEY (board) REFERENCES board(name);

ALTER TABLE ONLY run
    ADD CONSTRAINT run_board_type_fkey FOREIGN KEY (board_type) REFERENCES board_type(name);

ALTER TABLE ONLY run_conditions
    ADD CONSTRAINT run_conditions_conditions_fkey FOREIGN KEY (conditions) REFERENCES conditions(digest);

ALTER TABLE ONLY run_conditions
    ADD CONSTRAINT run_conditions_run_fkey FOREIGN KEY (run) REFERENCES run(id) ON DELETE CASCADE;

ALTER TABLE ONLY run
    ADD CONSTRAINT run_kernel_fkey FOREIGN KEY (kernel) REFERENCES kernel(id);

ALTER TABLE ONLY run_value
    ADD CONSTRAINT run_value_run_fkey FOREIGN KEY (run) REFERENCES run(id);

ALTER TABLE ONLY run_value
    ADD CONSTRAINT run_value_series_fkey FOREIGN KEY (series) REFERENCES series(id);

ALTER TABLE ONLY sample
    ADD CONSTRAINT sample_run_fkey FOREIGN KEY (run) REFERENCES run(id);

ALTER TABLE ONLY sample
    ADD CONSTRAINT sample_series_fkey FOREIGN KEY (series) REFERENCES series(id);

ALTER TABLE ONLY sampled_profile
    ADD CONSTRAINT sampled_profile_base_kernel_fkey FOREIGN KEY (base_kernel) REFERENCES kernel(id);

ALTER TABLE ONLY sampled_profile
    ADD CONSTRAINT sampled_profile_new_kernel_fkey FOREIGN KEY (new_kernel) REFERENCES kernel(id);

ALTER TABLE ONLY search_progress
    ADD CONSTRAINT search_progress_comparison_fkey FOREIGN KEY (comparison) REFERENCES comparison(id);

ALTER TABLE ONLY series
    ADD CONSTRAINT series_board_type_fkey FOREIGN KEY (board_type) REFERENCES board_type(name);

ALTER TABLE ONLY series
    ADD CONSTRAINT series_joined_to_fkey FOREIGN KEY (joined_to) REFERENCES series(id);

ALTER TABLE ONLY shift
    ADD CONSTRAINT shift_comparison_fkey FOREIGN KEY (comparison) REFERENCES comparison(id);

ALTER TABLE ONLY suspicion
    ADD CONSTRAINT suspicion_base_kernel_fkey FOREIGN KEY (base_kernel) REFERENCES kernel(id);

ALTER TABLE ONLY suspicion
    ADD CONSTRAINT suspicion_board_type_fkey FOREIGN KEY (board_type) REFERENCES board_type(name);

ALTER TABLE ONLY suspicion
    ADD CONSTRAINT suspicion_new_kernel_fkey FOREIGN KEY (new_kernel) REFERENCES kernel(id);

ALTER TABLE ONLY suspicion
    ADD CONSTRAINT suspicion_raised_by_fkey FOREIGN KEY (raised_by) REFERENCES comparison(id);

ALTER TABLE ONLY verdict
    ADD CONSTRAINT verdict_comparison_fkey FOREIGN KEY (comparison) REFERENCES comparison(id);

ALTER TABLE ONLY verdict
    ADD CONSTRAINT verdict_series_base_fkey FOREIGN KEY (series_base) REFERENCES series(id);

ALTER TABLE ONLY verdict
    ADD CONSTRAINT verdict_series_new_fkey FOREIGN KEY (series_new) REFERENCES series(id);
