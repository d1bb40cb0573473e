DROP TABLE search_progress;
