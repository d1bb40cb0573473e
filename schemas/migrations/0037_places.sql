-- What lies in the state folder is named relative to it, so that the folder may be moved.
-- depends: 0036_board_moves

-- A connection says where the folder is: SET vlag.state = '/srv/vlag'.
CREATE FUNCTION below_state(path text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN starts_with(path, current_setting('vlag.state', true) || '/')
    THEN substr(path, length(current_setting('vlag.state')) + 2) ELSE path END
$$;

COMMENT ON FUNCTION below_state IS 'a path as tables keep it: relative to the state folder that vlag.state names, if it lies there';

CREATE FUNCTION in_state(path text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN path LIKE '/%' OR coalesce(current_setting('vlag.state', true), '') = '' THEN path
    ELSE current_setting('vlag.state') || '/' || path END
$$;

COMMENT ON FUNCTION in_state IS 'where a path of a table is now: below the state folder that vlag.state names, unless it is absolute';

CREATE FUNCTION portable(document jsonb) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN strpos(document ->> 'reproduce', nullif(current_setting('vlag.state', true), '') || '/') > 0
    THEN jsonb_set(document, '{reproduce}', to_jsonb(replace(document ->> 'reproduce', current_setting('vlag.state') || '/', '')))
    ELSE document END
$$;

COMMENT ON FUNCTION portable IS 'a run.json or build.json whose command names no path of the state folder that vlag.state names';

COMMENT ON COLUMN build.location IS 'folder of the bundle when it was ingested; relative: below the state folder, see in_state';

COMMENT ON COLUMN run.location IS 'folder of the bundle when it was ingested; relative: below the state folder, see in_state';

COMMENT ON COLUMN lane_build.record IS 'folder with lane.json and the log of the build; relative: below the state folder, see in_state';

COMMENT ON COLUMN run.document IS 'run.json as it was ingested; its command names a build as location does';

-- Empty as a rule: each start asks for them.
CREATE INDEX build_elsewhere ON build (id) WHERE location LIKE '/%';

CREATE INDEX run_elsewhere ON run (id) WHERE location LIKE '/%';
