DROP TABLE removal;
