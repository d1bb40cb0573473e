"""What a deterministic board's guest executed, by kernel function, and two kernels compared."""
