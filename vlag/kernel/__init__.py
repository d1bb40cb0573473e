"""Kernels: mirrors, checkouts, configs and builds."""
