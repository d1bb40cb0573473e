DROP TABLE profile_function;

DROP TABLE profile;
