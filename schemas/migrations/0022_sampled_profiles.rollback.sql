DROP TABLE sampled_profile;
