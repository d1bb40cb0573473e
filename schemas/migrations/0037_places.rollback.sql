DROP INDEX run_elsewhere;
DROP INDEX build_elsewhere;
DROP FUNCTION portable(jsonb);
DROP FUNCTION in_state(text);
DROP FUNCTION below_state(text);
COMMENT ON COLUMN build.location IS 'folder of the bundle when it was ingested';
COMMENT ON COLUMN run.location IS 'folder of the bundle when it was ingested';
COMMENT ON COLUMN lane_build.record IS 'folder with lane.json and the log of the build';
COMMENT ON COLUMN run.document IS 'run.json as it was ingested';
