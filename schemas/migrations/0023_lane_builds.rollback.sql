DROP TABLE lane_finding;

DROP TABLE lane_build;

DROP TYPE lane_outcome_kind;
