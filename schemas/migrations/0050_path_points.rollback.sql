DROP TABLE path_point;

DROP TABLE path_count;
