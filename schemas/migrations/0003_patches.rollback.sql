ALTER TABLE kernel DROP COLUMN patches;
