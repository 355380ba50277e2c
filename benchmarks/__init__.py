"""Benchmarks: the same state graphs explored by Redwhite and by SPIN, side by side in one run."""
