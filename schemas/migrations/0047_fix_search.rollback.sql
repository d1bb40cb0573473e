DROP TABLE fix_search;
