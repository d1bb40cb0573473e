DROP TABLE bisection_comparison;

DROP TABLE bisection;
