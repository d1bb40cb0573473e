ALTER TABLE decided_differently DROP COLUMN timeline;
