DROP TABLE decided_differently;
