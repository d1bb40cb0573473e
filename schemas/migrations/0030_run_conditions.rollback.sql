DROP TABLE run_conditions;
DROP TABLE conditions;
