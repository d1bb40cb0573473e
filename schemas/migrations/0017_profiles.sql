-- Why a change is there: what two kernels execute for each operation of a benchmark, by function.
-- depends: 0016_refs_and_predictions

CREATE TABLE profile (
  id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  base_kernel       bigint NOT NULL REFERENCES kernel,
  new_kernel        bigint NOT NULL REFERENCES kernel,
  base_knobs        jsonb NOT NULL,
  new_knobs         jsonb NOT NULL,
  board_type        text NOT NULL,
  benchmark         text NOT NULL,
  parameters        jsonb NOT NULL,
  base_runs         bigint[] NOT NULL,
  new_runs          bigint[] NOT NULL,
  operation         text NOT NULL,
  base_operations   double precision NOT NULL,
  new_operations    double precision NOT NULL,
  base_instructions double precision NOT NULL,
  new_instructions  double precision NOT NULL,
  base_sched        double precision NOT NULL,
  new_sched         double precision NOT NULL,
  base_user         double precision NOT NULL,
  new_user          double precision NOT NULL,
  others            integer NOT NULL,
  others_change     double precision NOT NULL,
  decisions         jsonb NOT NULL,
  sentence          text NOT NULL,
  created_at        timestamptz NOT NULL DEFAULT now(),
  UNIQUE (base_kernel, new_kernel, base_knobs, new_knobs, board_type, benchmark, parameters)
);

CREATE INDEX profile_new_kernel ON profile (new_kernel);

COMMENT ON TABLE profile IS 'what two kernels execute differently in a benchmark; instructions are for one operation, means over the boots';

COMMENT ON COLUMN profile.base_runs IS 'the boots that were counted; they observe, and are in no comparison';

COMMENT ON COLUMN profile.operation IS 'what a figure is for one of, as in "switch"';

COMMENT ON COLUMN profile.base_operations IS 'operations a boot';

COMMENT ON COLUMN profile.base_instructions IS 'instructions of the kernel; base_sched are those of kernel/sched among them';

COMMENT ON COLUMN profile.others IS 'functions that differ and have no row; others_change is the sum of their changes';

COMMENT ON COLUMN profile.decisions IS 'decisions of the scheduler an operation: [{what, base, new}]';

CREATE TABLE profile_function (
  profile           bigint NOT NULL REFERENCES profile ON DELETE CASCADE,
  number            integer NOT NULL,
  name              text NOT NULL,
  source            text,
  base_calls        double precision,
  base_instructions double precision,
  new_calls         double precision,
  new_instructions  double precision,
  change            double precision NOT NULL,
  certain           boolean NOT NULL,
  PRIMARY KEY (profile, number)
);

COMMENT ON TABLE profile_function IS 'the functions with the largest changes of a profile, the largest first';

COMMENT ON COLUMN profile_function.source IS 'its object file, as in kernel/sched/fair; null: unknown';

COMMENT ON COLUMN profile_function.base_calls IS 'calls an operation; null: this side never executed the function';

COMMENT ON COLUMN profile_function.change IS 'instructions an operation, new less base';

COMMENT ON COLUMN profile_function.certain IS 'boots of one kernel do not differ by as much';
