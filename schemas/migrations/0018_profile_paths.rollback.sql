DROP TABLE profile_path;
